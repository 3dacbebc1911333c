"""The first manifest of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.platform import LINUX_ARM64
from orchestrator.manifest.draft import DraftService, scalar
from orchestrator.manifest.load import load
from orchestrator.manifest.proposing import FoundDockerfile, Survey, context_of, propose

PATHS = {
    "Dockerfile": ["main.py"],
    "api/Dockerfile": ["requirements.txt"],
    "api/Dockerfile.dev": ["requirements.txt"],
    "docker/Dockerfile.worker": ["worker/run.py", "docker/entry.sh"],
    "services/web/build/web.Dockerfile": ["."],
    "edge/Dockerfile.arm64": ["*.py", "${NAME}"],
}
FILES = ["main.py", "api/requirements.txt", "worker/run.py", "docker/entry.sh"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in (*FILES, *PATHS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("FROM scratch\n")
    return tmp_path


def survey(project: Path, **more: object) -> Survey:
    found = tuple(FoundDockerfile(path, tuple(copied), findings=len(path) % 3) for path, copied in PATHS.items())
    return Survey("Shop Floor", found, exists=lambda path: (project / path).exists(), **more)  # type: ignore[arg-type]


def test_a_repository_without_anything_but_dockerfiles(project: Path) -> None:
    text = propose(survey(project), schema="mabuild.schema.json")
    assert text == (Path(__file__).parent / "proposed.yaml").read_text()
    (project / "mabuild.yaml").write_text(text)
    fleet = load((), environment={}, directory=project)
    assert [(service.name, service.context.relative_to(project).as_posix()) for service in fleet.services] == [
        ("shop-floor", "."),
        ("api", "api"),
        ("api-dev", "api"),
        ("worker", "."),
        ("web", "services/web/build"),
        ("edge-arm64", "edge"),
    ]
    assert fleet.service("edge-arm64").platforms == (LINUX_ARM64,)
    assert fleet.service("worker").images[0].name == "localhost:5000/worker"
    assert fleet.service("api").tags == ("dev", "latest")


def test_image_names_of_other_files_are_used(project: Path) -> None:
    images = ("ghcr.io/acme/api:${TAG}", "quay.io/acme/api", "acme/worker:1", "ghcr.io/acme/other", "${R}/web")
    (project / "mabuild.yaml").write_text(propose(survey(project, images=images)))
    fleet = load((), environment={}, directory=project)
    names = {service.name: [image.name for image in service.images] for service in fleet.services}
    assert names["api"] == ["ghcr.io/acme/api", "quay.io/acme/api"]
    assert names["worker"] == ["docker.io/acme/worker"]
    assert names["web"] == ["ghcr.io/acme/web"]


def test_services_of_a_compose_file_come_first_and_cover_their_dockerfiles(project: Path) -> None:
    draft = DraftService("backend", ("acme/backend",), "./api", tags=("2",), comment=("from compose",))
    text = propose(survey(project, drafts=(draft,), read=("compose.yaml",), registry="ghcr.io/acme"))
    (project / "mabuild.yaml").write_text(text)
    fleet = load((), environment={}, directory=project)
    assert "compose.yaml" in text
    assert [service.name for service in fleet.services][:3] == ["backend", "shop-floor", "api-dev"]
    assert fleet.service("backend").images[0].name == "docker.io/acme/backend"
    assert fleet.service("worker").images[0].name == "ghcr.io/acme/worker"


def test_names_never_clash() -> None:
    found = tuple(FoundDockerfile(f"{folder}/Dockerfile") for folder in ("a/api", "b/api", "docker", "build", "DOCKER"))
    text = propose(Survey("...", found, exists=lambda _: True))
    names = [line.strip(" :") for line in text.splitlines() if line.startswith("  ") and line.endswith(":")]
    assert names == ["api", "b-api", "image-2", "image-3", "image-4"]


@pytest.mark.parametrize(
    ("path", "copied", "context"),
    [
        ("api/Dockerfile", (), "api"),
        ("api/Dockerfile", ("requirements.txt",), "api"),
        ("api/Dockerfile", ("main.py",), "."),
        ("docker/Dockerfile.worker", ("docker/entry.sh", "/main.py"), "."),
        ("api/Dockerfile", ("not/there",), "api"),
        ("api/Dockerfile", ("../outside",), "api"),
    ],
)
def test_the_context_has_what_is_copied(project: Path, path: str, copied: tuple[str, ...], context: str) -> None:
    assert context_of(FoundDockerfile(path, copied), lambda name: (project / name).exists()) == context


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("api", "api"),
        ("3.10", '"3.10"'),
        ("no", '"no"'),
        ("a b", '"a b"'),
        ("", '""'),
        ("r:5000/a", "r:5000/a"),
        ("ü", '"ü"'),
    ],
)
def test_scalars_are_quoted_where_it_matters(text: str, written: str) -> None:
    assert scalar(text) == written
