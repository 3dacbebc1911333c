"""Docker's rules for .dockerignore, as examples of its documentation and held against BuildKit itself."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from lab.home import Home
from lab.setting import Lab
from orchestrator.core.errors import DockerfileError
from orchestrator.dockerfile.context import walk
from orchestrator.dockerfile.ignore import Ignore, parse_ignore, read_ignore

FILES = [
    "a",
    "b.md",
    "README.md",
    "README-secret.md",
    "d/a",
    "d/b.md",
    "d/e/a",
    "d/e/f/b.md",
    "x/d/a",
    "temp/q",
    "tempa",
    ".git/c",
]
EXAMPLES = [
    ("*.md", {"b.md", "README.md", "README-secret.md"}),
    ("**/*.md", {"b.md", "README.md", "README-secret.md", "d/b.md", "d/e/f/b.md"}),
    ("*.md\n!README.md", {"b.md", "README-secret.md"}),
    ("*.md\n!README*.md\nREADME-secret.md", {"b.md", "README-secret.md"}),
    ("*.md\nREADME-secret.md\n!README*.md", {"b.md"}),
    ("d", {"d/a", "d/b.md", "d/e/a", "d/e/f/b.md"}),
    ("/d/", {"d/a", "d/b.md", "d/e/a", "d/e/f/b.md"}),
    ("./d/../d", {"d/a", "d/b.md", "d/e/a", "d/e/f/b.md"}),
    ("**/d", {"d/a", "d/b.md", "d/e/a", "d/e/f/b.md", "x/d/a"}),
    ("*/e", {"d/e/a", "d/e/f/b.md"}),
    ("temp?", {"tempa"}),
    ("d\n!d/e/a", {"d/a", "d/b.md", "d/e/f/b.md"}),
    ("d\n!**/b.md", {"d/a", "d/e/a"}),
    (
        "**\n!d/e/**",
        {"a", "b.md", "README.md", "README-secret.md", "d/a", "d/b.md", "x/d/a", "temp/q", "tempa", ".git/c"},
    ),
    ("[ab]*", {"a", "b.md"}),
    ("\\a", set()),
    ("# a\n\n  a  ", {"a"}),
    ("\ufeffa", {"a"}),
    ("d/e/**", {"d/e/a", "d/e/f/b.md"}),
    ("d**", {"d/a", "d/b.md", "d/e/a", "d/e/f/b.md"}),
]


def fill(folder: Path) -> None:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")


def left_out(folder: Path, ignore: Ignore) -> set[str]:
    sent = {entry.path for entry in walk(folder, ignore) if entry.kind == "file"}
    return set(FILES) - sent


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_examples(tmp_path: Path, text: str, expected: set[str]) -> None:
    fill(tmp_path)
    assert left_out(tmp_path, parse_ignore(text, "")) == expected


def test_the_file_of_the_dockerfile_comes_first(tmp_path: Path) -> None:
    (tmp_path / ".dockerignore").write_text("a\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "web.Dockerfile.dockerignore").write_text("b.md\n")
    assert read_ignore(tmp_path, tmp_path / "sub" / "web.Dockerfile").patterns[0].text == "b.md"
    assert read_ignore(tmp_path, tmp_path / "Dockerfile").patterns[0].text == "a"
    assert read_ignore(tmp_path / "sub", tmp_path / "Dockerfile").patterns == ()


@pytest.mark.parametrize("text", ["a\n!", "a\n[b"])
def test_what_docker_refuses(text: str) -> None:
    with pytest.raises(DockerfileError) as caught:
        parse_ignore(text, ".dockerignore")
    assert caught.value.line == 2


PIECES = ["a", "b.md", "README*", "*.md", "d", "e", "f", "x", "temp", "temp?", "**", "*", "[a-e]", ".git", "d*"]


def random_ignore(chance: random.Random) -> str:
    lines = []
    for _ in range(chance.randint(1, 5)):
        path = "/".join(chance.choices(PIECES, k=chance.randint(1, 3)))
        lines.append(chance.choice(["", "", "!", "/", "!/"]) + path + chance.choice(["", "", "/"]))
    return "\n".join(lines) + "\n"


@pytest.mark.real
def test_buildkit_sends_the_same_files(tmp_path: Path) -> None:
    """Forty random ignore files in one build: each a named context of its own, copied out whole."""
    chance = random.Random(7)
    environment = {**os.environ, **Lab.load(Home.from_environment(os.environ)).environment}
    texts = [text for text, _ in EXAMPLES] + [random_ignore(chance) for _ in range(40)]
    words, lines = [], ["FROM scratch"]
    for number, text in enumerate(texts):
        folder = tmp_path / f"c{number}"
        folder.mkdir()
        fill(folder)
        (folder / ".dockerignore").write_text(f"{text}\n.dockerignore\n")
        words += ["--build-context", f"c{number}={folder}"]
        lines.append(f"COPY --from=c{number} / /c{number}/")
    (tmp_path / "main").mkdir()
    (tmp_path / "main" / "Dockerfile").write_text("\n".join(lines))
    command = [
        "docker",
        "buildx",
        "build",
        "--output",
        f"type=local,dest={tmp_path / 'out'}",
        *words,
        str(tmp_path / "main"),
    ]
    subprocess.run(command, env=environment, capture_output=True, check=True)
    for number, text in enumerate(texts):
        out = tmp_path / "out" / f"c{number}"
        sent = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
        ours = {
            entry.path
            for entry in walk(tmp_path / f"c{number}", parse_ignore(f"{text}\n.dockerignore\n", ""))
            if entry.kind == "file"
        }
        assert ours == sent, text
