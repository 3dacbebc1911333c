"""Imports: `cases/NAME` holds a compose file or the JSON of a bake file, and in `expected.txt` what comes of it.

The manifest stands in the folder `manifests` beside the file; the notes follow behind a line of dashes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.errors import ManifestError, UsageError
from orchestrator.core.fleet import Fleet
from orchestrator.manifest.importing.bake import import_bake
from orchestrator.manifest.importing.compose import import_compose
from orchestrator.manifest.importing.imported import Imported, split_images, split_tag
from orchestrator.manifest.load import load

CASES = sorted(path for path in (Path(__file__).parent / "cases").iterdir() if path.is_dir())
ENVIRONMENT = {"SOURCES": "..", "VERSION": "3", "FROM_OUTSIDE": "yes"}


def imported(case: Path) -> Imported:
    folder = case / "manifests"
    if (case / "bake.json").exists():
        return import_bake((case / "bake.json").read_text(), "docker-bake.hcl", directory=case, folder=folder)
    return import_compose((case / "compose.yaml").read_text(), "compose.yaml", directory=case, folder=folder)


def told(found: Imported) -> str:
    notes = [f"{note.path}:{note.line}: {note.message}" if note.path else note.message for note in found.notes]
    return found.text + "---\n" + "".join(f"{note}\n" for note in notes)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_case(case: Path) -> None:
    assert told(imported(case)) == (case / "expected.txt").read_text()


def loaded(found: Imported, project: Path) -> Fleet:
    """The fleet of an imported manifest, with every folder and Dockerfile that it asks for."""
    folder = project / "manifests"
    folder.mkdir(parents=True)
    (folder / "fleet.yaml").write_text(found.text)
    for service in found.draft.services:
        context = folder / service.context.replace("${SOURCES}", ENVIRONMENT["SOURCES"])
        dockerfile = context / (service.dockerfile or "Dockerfile")
        dockerfile.parent.mkdir(parents=True, exist_ok=True)
        dockerfile.write_text("FROM scratch\n")
        for _, context_path in service.contexts:
            if context_path and ":" not in context_path:
                (folder / context_path).mkdir(parents=True, exist_ok=True)
    return load((), environment=ENVIRONMENT, directory=project)


@pytest.mark.parametrize("name", ["compose_forms", "bake"])
def test_what_is_imported_can_be_read(name: str, tmp_path: Path) -> None:
    fleet = loaded(imported(Path(__file__).parent / "cases" / name), tmp_path)
    expected = {"compose_forms": ["short", "api", "worker"], "bake": ["api", "base"]}
    assert [service.name for service in fleet.services] == expected[name]


def test_values_survive(tmp_path: Path) -> None:
    worker = loaded(imported(Path(__file__).parent / "cases" / "compose_forms"), tmp_path).service("worker")
    assert dict(worker.args) == {"VERSION": "3", "MODE": "fast", "PRICE": "5$"}
    assert [image.name for image in worker.images] == ["registry.example.com:5000/worker", "docker.io/acme/worker"]
    assert worker.context == tmp_path / "worker"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("api", ("api", "")),
        ("acme/api:1", ("acme/api", "1")),
        ("r:5000/api", ("r:5000/api", "")),
        ("r:5000/api:1@sha256:abc", ("r:5000/api", "1")),
        ("${R:-r:5000}/api:${TAG:-1.0}", ("${R:-r:5000}/api", "${TAG:-1.0}")),
        ("${IMAGE:-api:1}", ("${IMAGE:-api:1}", "")),
    ],
)
def test_tags_are_told_from_variables_and_ports(reference: str, expected: tuple[str, str]) -> None:
    assert split_tag(reference) == expected


def test_tags_that_differ_between_repositories_are_noticed() -> None:
    assert split_images(["a:1", "a:2", "b:1", "b:2"]) == (("a", "b"), ("1", "2"), True)
    assert split_images(["a:1", "b:2"]) == (("a", "b"), ("1", "2"), False)


@pytest.mark.parametrize("text", ["", "services: {}", "a: b", "services: {a: {image: b}}", "services: [a]"])
def test_a_compose_file_without_builds_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        import_compose(text, "compose.yaml", directory=Path(), folder=Path())


def test_a_broken_compose_file_has_a_place() -> None:
    with pytest.raises(ManifestError):
        import_compose("services: [", "compose.yaml", directory=Path(), folder=Path())


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"target": []}', '{"target": {"a": 1}}', "[" * 100_000])
def test_what_is_no_bake_output_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        import_bake(text, "docker-bake.hcl", directory=Path(), folder=Path())
