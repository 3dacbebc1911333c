"""What the documentation shows works: commands parse, manifests load, workflows lint, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from typer._click import Context
from typer.main import get_command

from orchestrator.cli import app
from orchestrator.commands import COMMANDS
from orchestrator.manifest.load import load

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
_INLINE = re.compile(r"`mabuild ([^`]+)`")
_MADE = {"rules.md", "checks.md", "commands.md"}
_ENVIRONMENT = {"NPMRC": "x", "CI_COMMIT_SHORT_SHA": "abc", "GIT_SHORT_SHA": "abc", "CI_REGISTRY_IMAGE": "r.example/a"}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(path: Path, *languages: str) -> Iterator[str]:
    for language, content in _BLOCK.findall(path.read_text(encoding="utf-8")):
        if language in languages:
            yield content


def calls() -> Iterator[tuple[str, str]]:
    """Every call of mabuild in the pages."""
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        lines = [
            line for block in blocks(path, "sh", "console", "yaml") for line in block.replace("\\\n", " ").splitlines()
        ]
        found = [
            match[1] for line in lines if (match := re.match(r"\s*(?:\$ |- (?:run: )?)?(?:docker )?mabuild (.*)", line))
        ]
        if path.name not in _MADE:
            found += _INLINE.findall(_BLOCK.sub("", text))
        yield from ((named(path), call) for call in found if call.split()[0].rstrip(",") in COMMANDS)


CALLS = sorted(set(calls()))


@pytest.mark.parametrize(("page", "call"), CALLS, ids=[f"{page}: {call}" for page, call in CALLS])
def test_command_parses(page: str, call: str) -> None:
    words = shlex.split(re.split(r" [|>&]|; | #|…", call)[0])
    group = get_command(app)
    root = Context(group, info_name="mabuild")
    command = group.get_command(root, words[0])  # type: ignore[attr-defined]
    if words[1:] and "--help" not in words:
        command.make_context(words[0], words[1:], parent=root)


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_manifests_load(path: Path, tmp_path: Path) -> None:
    for number, content in enumerate(blocks(path, "yaml")):
        if not content.lstrip().startswith(("version: 1", "# mabuild.yaml", "# yaml-language-server")):
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "mabuild.yaml").write_text(content)
        for service in (yaml.safe_load(content).get("services") or {}).values():
            dockerfile = folder / service.get("context", ".") / service.get("dockerfile", "Dockerfile")
            dockerfile.parent.mkdir(parents=True, exist_ok=True)
            dockerfile.write_text("FROM scratch\n")
        assert load((), environment=_ENVIRONMENT, directory=folder).files


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_workflows_are_sound(path: Path, tmp_path: Path) -> None:
    for number, content in enumerate(blocks(path, "yaml")):
        if re.search(r"^on:", content, re.MULTILINE):
            file = tmp_path / f"{number}.yml"
            file.write_text(content)
            command = [str(Path(sys.executable).parent / "actionlint"), str(file)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
            assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_to_files(path: Path) -> None:
    text = _BLOCK.sub("", path.read_text(encoding="utf-8"))
    broken = [link for link in _LINK.findall(text) if "://" not in link and not (path.parent / link).exists()]
    assert not broken


def test_the_comparison_only_names_tests_and_measurements_that_are_there() -> None:
    text = (ROOT / "docs/comparison.md").read_text(encoding="utf-8")
    named_files = re.findall(r"`((?:tests|benchmarks)/[^`]+)`", text)
    assert len(named_files) > 10
    assert all((ROOT / name).is_file() for name in named_files)
