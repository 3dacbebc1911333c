"""MA105: an image whose name says one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.auditing.architectures import AMD64, Name, names, word_name
from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import replaced
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.staging import Side
from orchestrator.core.finding import Fix, Severity
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.graph import EXTERNAL, UseKind
from orchestrator.dockerfile.instruction import Flag
from orchestrator.dockerfile.resolve import SCRATCH, ResolvedStage, Use
from orchestrator.dockerfile.scope import Origin
from orchestrator.dockerfile.source import Word

_OFFICIAL = re.compile(r"(?:docker\.io/)?(?P<prefix>amd64)/(?P<rest>[a-z0-9._-]+(?::[\w.-]+)?)")
_CROSS = re.compile(r"cross|binfmt|qemu|multiarch|musl-gcc|toolchain", re.IGNORECASE)
"""Images that run anywhere and are named for what they make."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A name of an architecture in an image, as `word` has it, and the platforms that get it."""

    word: Word
    image: str
    name: Name
    kind: UseKind
    stage: int
    platforms: tuple[Platform, ...]


@rule("MA105", Severity.ERROR)
def architecture_specific_image(context: Context) -> Iterator[Problem]:
    """The repository or tag of an image names one architecture.

    `arm64v8/alpine`, `tool:2.1-amd64` and `manylinux2014_x86_64` are images of one platform. BuildKit takes them for
    every platform of the list: a RUN on top ends with "exec format error", and without a RUN, or with `COPY --from`,
    the image gets programs of the wrong architecture while the build is green. Most such repositories are the parts of
    one that has all platforms under one name; where there is none, two stages chosen by `FROM base-${TARGETARCH}` do
    it.

    Bad:
        FROM amd64/debian:13-slim
        RUN apt-get update

    Good:
        FROM debian:13-slim
        RUN apt-get update
    """
    found: dict[tuple[int, int], _Found] = {}
    for platform, surveyed in context.staging.surveys.items():
        for resolved in surveyed.stages:
            for one in _in_stage(context, resolved, platform):
                key = (one.word.line, one.word.column)
                before = found.get(key)
                platforms = (*before.platforms, platform) if before is not None else (platform,)
                found[key] = _Found(one.word, one.image, one.name, one.kind, one.stage, platforms)
    for one in found.values():
        yield _problem(context, one)


def _in_stage(context: Context, resolved: ResolvedStage, platform: Platform) -> Iterator[_Found]:
    index = resolved.stage.index
    if platform not in context.stages[index].platforms or not _counts(context, index):
        return
    for use in resolved.uses:
        if use.stage != EXTERNAL or not use.name or use.name == SCRATCH:
            continue
        name = _named(use.name)
        if name is None or name.family == platform.architecture or _CROSS.search(use.name):
            continue
        word = _written(context, resolved, use, name)
        if word is not None and not _is_pinned(context, index, use, name):
            yield _Found(word, use.name, name, use.kind, index, (platform,))


def _counts(context: Context, index: int) -> bool:
    """Whether the target needs the stage, or nobody does, so that it may be a target of its own."""
    staging = context.staging
    return bool(staging.platforms(index)) or not context.target


def _named(image: str) -> Name | None:
    """The first strong name of an architecture in an image without its digest; none where it names several families."""
    found = [one for one in names(image.partition("@")[0]) if not one.weak]
    families = {one.family for one in found}
    return found[0] if len(families) == 1 else None


def _is_pinned(context: Context, index: int, use: Use, name: Name) -> bool:
    """Whether the FROM line has a constant `--platform` of the same architecture, which is reported by itself."""
    role = context.staging.roles[index]
    return (
        use.kind is UseKind.FROM
        and role.side is Side.CONSTANT
        and Platform.parse(role.constant).architecture == name.family
    )


def _written(context: Context, resolved: ResolvedStage, use: Use, name: Name) -> Word | None:
    """Where the architecture is written: in the word itself, or in the default of an argument that it expands.

    An argument that is nothing but the name of an architecture is a matter of its own.
    """
    word = resolved.stage.base_word if use.kind is UseKind.FROM else _flag_word(resolved, use)
    if name.text in re.sub(r"\$\{[^}]*\}|\$\w+", "", word.text):
        return word
    for assignment in (one for instruction in context.dockerfile.global_args for one in instruction.assignments):
        value = assignment.value
        if value is None or name.text not in value.text or not re.search(rf"\$\{{?{assignment.name}\b", word.text):
            continue
        variable = context.staging.surveys[context.platforms[0]].global_scope.get(assignment.name)
        if variable is None or variable.origin is not Origin.GLOBAL_DEFAULT or word_name(value.text):
            return None
        return value
    return None


def _flag_word(resolved: ResolvedStage, use: Use) -> Word:
    flags: list[Flag] = [flag for one in resolved.executed for flag in one.flags]
    return next(flag.word for flag in flags if (flag.word.line, flag.word.column) == (use.line, use.column))


def _problem(context: Context, found: _Found) -> Problem:
    platforms = ", ".join(map(str, found.platforms))
    side = context.staging.roles[found.stage].side
    if found.kind is not UseKind.FROM:
        effect = f"its files get into the image for {platforms} too, and the build is green"
    elif side is Side.BUILD:
        effect = "a builder of another architecture has to emulate it"
    else:
        effect = f"for {platforms} RUN fails with an exec format error, or the wrong files ship without a word"
    severity = Severity.WARNING if side is Side.BUILD and found.kind is UseKind.FROM else Severity.ERROR
    message = f"{found.image} is an image of {found.name.family} ({found.name.text} in its name): {effect}"
    return Problem(found.word, message, severity=severity, fix=_fix(found))


def _fix(found: _Found) -> Fix | None:
    """Docker's official images under `amd64/` are those of the plain name."""
    match = _OFFICIAL.fullmatch(found.word.text)
    if match is None or found.name.family != AMD64 or found.kind is not UseKind.FROM:
        return None
    return Fix("use the image of all platforms", (replaced(found.word, match["rest"]),))
