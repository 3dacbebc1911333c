"""External base images: each asked of the registry once, all side by side, before anything is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from orchestrator.core.errors import Exit, MabuildError, UnreachableError
from orchestrator.core.finding import Finding, Severity
from orchestrator.core.plan import Base, BasePlatform
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.planning.published import Published
from orchestrator.planning.recipe import ImageUse

_AT_ONCE = 16
Ask = Callable[[Reference], Published]


@dataclass(frozen=True, slots=True)
class Use:
    """A service that takes an external image."""

    service: str
    image: ImageUse


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking for one image: what is published, or why that is not known."""

    reference: Reference
    published: Published | None = None
    error: MabuildError | None = None


def ask_all(uses: Iterable[Use], ask: Ask) -> tuple[Answer, ...]:
    """Ask for every image once, in the order of first use; UnreachableError where a registry does not answer."""
    references = list(dict.fromkeys(use.image.reference for use in uses))
    if not references:
        return ()
    with ThreadPoolExecutor(min(_AT_ONCE, len(references))) as pool:
        answers = tuple(pool.map(lambda reference: _ask(reference, ask), references))
    failed = [answer for answer in answers if answer.error and answer.error.exit_code is Exit.UNREACHABLE]
    if failed:
        _raise_unreachable(failed)
    return answers


def _ask(reference: Reference, ask: Ask) -> Answer:
    try:
        return Answer(reference, published=ask(reference))
    except MabuildError as error:
        return Answer(reference, error=error)


def _raise_unreachable(failed: list[Answer]) -> None:
    first = failed[0].error
    told = "; ".join(f"{answer.reference.familiar}: {answer.error}" for answer in failed[:5])
    more = f"; and {len(failed) - 5} more" if len(failed) > 5 else ""
    hint = first.hint if first and first.hint else "plan --offline does without registries"
    raise UnreachableError(f"cannot ask for {len(failed)} base image(s): {told}{more}", hint=hint) from first


def bases(uses: Iterable[Use], answers: tuple[Answer, ...]) -> tuple[Base, ...]:
    """The bases of a plan; the digests of the platforms that are used."""
    by_reference: dict[Reference, list[Use]] = {}
    for use in uses:
        by_reference.setdefault(use.image.reference, []).append(use)
    known = {answer.reference: answer.published for answer in answers}
    return tuple(_base(reference, taken, known.get(reference)) for reference, taken in by_reference.items())


def _base(reference: Reference, uses: list[Use], found: Published | None) -> Base:
    used_by = tuple(dict.fromkeys(use.service for use in uses))
    platforms = sorted({use.image.platform for use in uses})
    taken = tuple(BasePlatform(platform, _digest(found, platform)) for platform in platforms)
    return Base(reference, found.digest if found else "", taken, used_by)


def _digest(found: Published | None, platform: Platform) -> str:
    entry = found.taken_for(platform) if found else None
    return entry.digest if entry else ""


def missing(uses: Iterable[Use], answers: tuple[Answer, ...]) -> tuple[Finding, ...]:
    """A finding for every place that takes an image for a platform that the image does not have."""
    known = {answer.reference: answer for answer in answers}
    found: dict[tuple[str, int, str, Platform], Finding] = {}
    for use in uses:
        answer = known.get(use.image.reference)
        finding = _fault(use, answer) if answer else None
        if finding:
            place = use.image.place
            found.setdefault((place.path, place.line, use.image.text, use.image.platform), finding)
    return tuple(found.values())


def _fault(use: Use, answer: Answer) -> Finding | None:
    if answer.published is None:
        return _finding(use, "MA107", f"{use.image.text} cannot be had: {answer.error}")
    if answer.published.taken_for(use.image.platform):
        return None
    existing = sorted(str(entry.platform) for entry in answer.published.platforms)
    wanted = use.image.platform
    if answer.published.is_list:
        there = ", ".join(existing) or "no platform"
        return _finding(use, "MA107", f"{use.image.text} has no {wanted}; it has {there}")
    only = existing[0]
    if use.image.reference.digest:
        message = f"{use.image.text} is pinned to the digest of one platform, {only}, and cannot serve {wanted}"
        return _finding(use, "MA106", message)
    return _finding(use, "MA107", f"{use.image.text} is a single image for {only} and cannot serve {wanted}")


_CAUSES = {
    "MA106": "the digest names a manifest and not a list; pin the digest of the list instead",
    "MA107": "BuildKit would fail, or quietly take an image of another architecture; take an image that has the "
    "platform, or leave it out of the service's `platforms`",
}
_NAMES = {"MA106": "single-platform-digest", "MA107": "base-lacks-platform"}


def _finding(use: Use, rule: str, message: str) -> Finding:
    place = use.image.place
    return Finding(
        rule=rule,
        name=_NAMES[rule],
        severity=Severity.ERROR,
        message=message,
        path=place.path,
        line=place.line,
        column=place.column,
        platform=str(use.image.platform),
        cause=_CAUSES[rule],
    )
