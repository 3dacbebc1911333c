"""Looks through a repository for what a first manifest can be made of."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.auditing.discover import dockerfiles, visible_files
from orchestrator.auditing.engine import Options
from orchestrator.commands.audit_files import audit_targets, targets_of_paths
from orchestrator.commands.importing import import_file, is_bake_file, tell_left_out, text_of
from orchestrator.commands.session import Session
from orchestrator.core.errors import DockerfileError, MabuildError
from orchestrator.core.finding import Severity
from orchestrator.dockerfile.parse import read
from orchestrator.manifest.git import Repository
from orchestrator.manifest.image_names import names_in_script, names_in_workflow
from orchestrator.manifest.proposing import FoundDockerfile, Survey

if TYPE_CHECKING:
    from orchestrator.manifest.draft import DraftService

_COMPOSE = frozenset({"compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"})
_BAKE = frozenset({"docker-bake.hcl", "docker-bake.json"})
_WORKFLOWS = ".github/workflows/"
_SCRIPTS = frozenset(
    {"Makefile", "makefile", "GNUmakefile", "justfile", "Jenkinsfile", ".gitlab-ci.yml", "Taskfile.yml"}
)
_OF_TESTS = re.compile(r"(?:^|/)(?:tests?|testdata|fixtures|vendor|third_party|node_modules)/")
_SCRIPT_ENDINGS = (".sh", ".mk")


@dataclass(slots=True)
class _Found:
    """What other files say: the files that said something, image names, and services."""

    read: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    drafts: list[DraftService] = field(default_factory=list)


def survey(here: Session) -> Survey:
    """What is in the folder of the session; files that git ignores are left out."""
    repository = Repository.around(here.directory.resolve())
    origin = repository.origin() if repository else ""
    found = _Found()
    for path in visible_files(here.directory, _may_say_something):
        _look_into(path, origin, found, here)
    return Survey(
        name=origin.rpartition("/")[2] or here.directory.resolve().name,
        dockerfiles=tuple(_dockerfiles(here)),
        exists=lambda path: (here.directory / path).exists(),
        images=tuple(dict.fromkeys(found.images)),
        drafts=tuple(found.drafts),
        read=tuple(found.read),
    )


def _may_say_something(path: str) -> bool:
    if _OF_TESTS.search(path):
        return False
    name = path.rpartition("/")[2]
    if path.startswith(_WORKFLOWS):
        return name.endswith((".yml", ".yaml"))
    return name in _COMPOSE | _BAKE | _SCRIPTS or name.endswith(_SCRIPT_ENDINGS)


def _look_into(path: str, origin: str, found: _Found, here: Session) -> None:
    name = path.rpartition("/")[2]
    if name in _COMPOSE | _BAKE:
        _import(path, found, here)
        return
    try:
        text = text_of(here.directory / path, path)
    except MabuildError:
        return
    names = names_in_workflow(text, path, origin) if path.startswith(_WORKFLOWS) else names_in_script(text)
    if names:
        found.read.append(path)
        found.images += names


def _import(path: str, found: _Found, here: Session) -> None:
    """Services of a compose or bake file that are not there yet; a file that cannot be read is told and left out."""
    try:
        imported = import_file(path, here.directory, here)
    except MabuildError as error:
        if not _builds_nothing(path, here):
            here.say(f"warning: {path} is left out: {error.message}\n")
        return
    tell_left_out(imported, here)
    known = {draft.name for draft in found.drafts}
    images = {image for draft in found.drafts for image in draft.images}
    fresh = [one for one in imported.draft.services if one.name not in known and not images & set(one.images)]
    if fresh:
        found.read.append(path)
        found.drafts += fresh


def _builds_nothing(path: str, here: Session) -> bool:
    """Whether a compose file only runs images, which is no reason for a warning."""
    text = text_of(here.directory / path, path)
    return not is_bake_file(Path(path), text) and "build:" not in text


def _dockerfiles(here: Session) -> Iterator[FoundDockerfile]:
    paths = dockerfiles((".",), here.directory)
    audited = audit_targets(targets_of_paths(paths, here.directory), Options(), here.directory)
    worse = [one for one in audited.findings if one.severity is not Severity.NOTE]
    number = Counter(os.path.normpath(finding.path) for finding in worse)
    for path in paths:
        try:
            yield FoundDockerfile(path, _copied(here.directory / path, path), number[path])
        except DockerfileError as error:
            here.say(f"warning: {error}; it is left out\n")


def _copied(path: Path, shown: str) -> tuple[str, ...]:
    """What COPY and ADD take from the context."""
    taken: dict[str, None] = {}
    for stage in read(path, shown).stages:
        for one in stage.instructions:
            if one.keyword in {"COPY", "ADD"} and not one.flag("from"):
                words = [word.text for word in one.words[:-1]]
                taken.update(dict.fromkeys(word for word in words if "<<" not in word and "://" not in word))
    return tuple(taken)
