"""What an import gives: the manifest, and a note for everything that it could not carry over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Place
from orchestrator.manifest.draft import Draft, DraftService, manifest_text
from orchestrator.manifest.local import is_remote, relative_between

NOWHERE = Place("", 0, 0)
CACHE_ADVICE = "say `cache: {type: registry}` or gha: mabuild keeps one cache for each service and platform"
_LAYOUT = "oci-layout://"
_PLATFORM_ARGUMENTS = frozenset(
    side + part for side in ("TARGET", "BUILD") for part in ("PLATFORM", "OS", "OSVERSION", "ARCH", "VARIANT")
)


@dataclass(frozen=True, slots=True)
class Imported:
    """A manifest out of another file, and notes on what was left behind."""

    draft: Draft
    notes: tuple[Finding, ...]

    @property
    def text(self) -> str:
        """The manifest as YAML."""
        return manifest_text(self.draft)


@dataclass(slots=True)
class Notes:
    """Collects what is left behind."""

    found: list[Finding] = field(default_factory=list)

    def add(self, place: Place, message: str) -> None:
        """Note something at a place of the file that is imported."""
        note = Finding("import-left-out", "left-out", Severity.WARNING, message, place.path, place.line, place.column)
        if note not in self.found:
            self.found.append(note)

    def add_finding(self, finding: Finding) -> None:
        """Note a mistake in the file that does not keep it from being imported."""
        self.add(Place(finding.path, finding.line, finding.column), finding.message)


def relative_path(text: str, directory: Path, folder: Path) -> str:
    """A path that is relative to one folder, as it is called from another; other paths stay as they are."""
    if text.startswith(("/", "~", "$")):
        return text
    return relative_between(folder, directory / text)


def context_path(text: str, directory: Path, folder: Path) -> str:
    """What a named context leads to, as it is called from another folder."""
    if text.startswith(_LAYOUT):
        return _LAYOUT + relative_path(text.removeprefix(_LAYOUT), directory, folder)
    if "://" in text or text.startswith("service:") or is_remote(text):
        return text
    return relative_path(text, directory, folder)


def split_images(references: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Repositories and tags of references, and whether every repository has every tag, as mabuild would give it.

    Variables stay as they are: a colon inside `${…}` separates nothing.
    """
    tags: dict[str, dict[str, None]] = {}
    for reference in references:
        repository, tag = split_tag(reference)
        tags.setdefault(repository, {})[tag or "latest"] = None
    together = tuple(dict.fromkeys(tag for found in tags.values() for tag in found))
    return tuple(tags), together, all(len(found) == len(together) for found in tags.values())


def split_tag(reference: str) -> tuple[str, str]:
    """Repository and tag of a reference that may hold variables; a digest is cut off."""
    depth = 0
    colon = -1
    for index, letter in enumerate(reference):
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
        elif not depth and letter == "@":
            reference = reference[:index]
            break
        elif not depth and letter in ":/":
            colon = index if letter == ":" else -1
    return (reference[:colon], reference[colon + 1 :]) if colon >= 0 else (reference, "")


def without_platform_arguments(service: DraftService, place: Place, notes: Notes) -> DraftService:
    """The service without build arguments that fix its platform."""
    for name, _ in service.args:
        if name in _PLATFORM_ARGUMENTS:
            notes.add(place, f"{service.name}: the argument {name} is left out; BuildKit sets it for each platform")
    return replace(service, args=tuple(pair for pair in service.args if pair[0] not in _PLATFORM_ARGUMENTS))


def settled(services: list[DraftService], comment: tuple[str, ...], notes: Notes) -> Imported:
    """The draft of services; platforms that all of them have stand in its defaults."""
    platforms = {service.platforms for service in services}
    shared = next(iter(platforms)) if len(platforms) == 1 else ()
    if shared:
        services = [replace(service, platforms=()) for service in services]
    elif () in platforms:
        comment = (*comment, "A service without platforms is built for linux/amd64 and linux/arm64.")
    bare = next((image for service in services for image in service.images if "/" not in image), "")
    if bare and "$" not in bare:
        comment = (*comment, f"`{bare}` means docker.io/library/{bare}: write `registry: …` below to push elsewhere.")
    _note_shared_repositories(services, notes)
    return Imported(Draft(tuple(services), comment, platforms=shared), tuple(notes.found))


def _note_shared_repositories(services: list[DraftService], notes: Notes) -> None:
    first: dict[str, str] = {}
    for service in services:
        for image in service.images:
            owner = first.setdefault(image, service.name)
            if owner != service.name:
                message = f"{owner} and {service.name} both push to {image}; give each a repository of its own"
                notes.add(NOWHERE, message)
