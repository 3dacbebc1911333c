"""`mabuild init`: from a repository to a manifest that can be planned at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.calling import call, write

WORKFLOW = """\
on: push
env: {REGISTRY: ghcr.io}
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: docker/build-push-action@v6
        with:
          tags: |
            ${{ env.REGISTRY }}/${{ github.repository_owner }}/api:latest
            ${{ env.REGISTRY }}/acme/api:${{ github.sha }}
      - run: |
          docker buildx build \\
            -t ghcr.io/acme/worker:1 docker
"""
FILES = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@github.com:Acme/Shop.git\n',
    ".gitignore": "ignored/\n",
    "ignored/Dockerfile": "FROM scratch\n",
    "api/Dockerfile": "FROM alpine\nRUN wget https://example.org/tool-linux-amd64\nCOPY main.py /\n",
    "api/main.py": "",
    "docker/Dockerfile.worker": "FROM ghcr.io/acme/api\nCOPY worker/run.py /\n",
    "worker/run.py": "",
    ".github/workflows/build.yml": WORKFLOW,
    "compose.yaml": "services:\n  web: {image: acme/web, build: ./web}\n  db: {image: postgres}\n",
    "web/Dockerfile": "FROM alpine\n",
    "deploy/compose.yaml": "services: {cache: {image: redis}}\n",
    "Makefile": "image:\n\tdocker build -t quay.io/acme/tool tool\n",
    "tool/Dockerfile": "FROM alpine\n",
    "broken.Dockerfile": "FROM\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def test_what_is_found_becomes_a_manifest_that_can_be_planned(repository: Path) -> None:
    done = call(repository, "init")
    assert done.code == 0
    assert "next: mabuild audit, mabuild plan" in done.err
    assert "broken.Dockerfile:1" in done.err, "a Dockerfile that nothing can read is told"
    assert "left out: db" in done.err
    text = (repository / "mabuild.yaml").read_text()
    for image in ("ghcr.io/acme/api", "ghcr.io/acme/worker", "docker.io/acme/web", "quay.io/acme/tool"):
        assert f"image: {image}\n" in text
    assert "# The audit found 1 thing that would go wrong on another platform: mabuild audit api/Dockerfile" in text
    assert "ignored" not in text
    planned = call(repository, "plan", "--offline", "--format", "json")
    assert planned.code == 0, planned.err
    assert '"api@linux/arm64"' in planned.out


def test_a_dry_run_writes_nothing(repository: Path) -> None:
    shown = call(repository, "init", "--dry-run")
    assert not (repository / "mabuild.yaml").exists()
    call(repository, "init")
    assert (repository / "mabuild.yaml").read_text() == shown.out


def test_a_manifest_is_overwritten_only_on_demand(repository: Path) -> None:
    (repository / "mabuild.yaml").write_text("mine\n")
    refused = call(repository, "init")
    assert (refused.code, (repository / "mabuild.yaml").read_text()) == (2, "mine\n")
    assert "--force" in refused.err
    assert call(repository, "init", "--force").code == 0
    assert "version: 1" in (repository / "mabuild.yaml").read_text()


def test_a_folder_of_manifests_counts_as_one(repository: Path) -> None:
    (repository / "manifests").mkdir()
    assert call(repository, "init").code == 2


def test_a_folder_can_be_named(repository: Path) -> None:
    done = call(repository.parent, "init", repository.name)
    assert done.code == 0
    assert f"wrote {repository.name}/mabuild.yaml" in done.err
    assert (repository / "mabuild.yaml").exists()


def test_nothing_to_build_is_said(tmp_path: Path) -> None:
    done = call(tmp_path, "init")
    assert done.code == 2
    assert "no Dockerfile" in done.err
    assert call(tmp_path, "init", "nowhere").code == 2


@pytest.mark.parametrize("content", ["services: [", "services: {}", "\x00", "a: &a [*a]"])
def test_odd_compose_files_do_not_keep_it_from_working(repository: Path, content: str) -> None:
    (repository / "compose.yaml").write_text(content)
    assert call(repository, "init").code == 0
    assert "web" in (repository / "mabuild.yaml").read_text()
