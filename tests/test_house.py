"""The house rules that no other tool enforces: how large files and functions are, and what each room may touch."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "orchestrator").rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "helpers", "manager", "base", "misc", "common"}
TABLES = {"commands", "rules", "checks", "drivers", "findings", "plan", "progress"}


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert text.count("\n") <= 300, "a file has at most 300 lines"
    assert ast.get_docstring(tree), "a module says what it is for"
    assert path.stem not in FORBIDDEN_NAMES
    for function in functions(tree):
        length = (function.end_lineno or 0) - function.lineno + 1
        assert length <= 60, f"{function.name} has {length} lines"
        assert depth(function) <= 3, f"{function.name} nests too deep"
    if path.name == "__init__.py" and path.parent.name not in TABLES and path.parent.name != "orchestrator":
        body = [node for node in tree.body if not isinstance(node, ast.Expr)]
        assert not body, "an __init__ is a docstring, or one of the tables"


def depth(node: ast.AST, level: int = 0) -> int:
    """How deep blocks nest inside a function, an `elif` not counting as deeper."""
    deepest = level
    for child in ast.iter_child_nodes(node):
        is_block = isinstance(child, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Match)
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        deepest = max(deepest, depth(child, level + (is_block and not is_elif)))
    return deepest


def test_environment_and_exit_are_touched_at_the_door_only() -> None:
    allowed = {"cli.py"}
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        if path.name not in allowed:
            assert "os.environ" not in text, f"{path} reads the environment"
            assert "sys.exit" not in text, f"{path} exits"


def test_every_file_is_mirrored_by_the_layers_contract() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    named = {room.strip() for layer in contract["layers"] for room in layer.split("|")}
    rooms = {
        f"orchestrator.{path.name}" for path in (ROOT / "orchestrator").iterdir() if (path / "__init__.py").exists()
    }
    assert rooms <= named


def test_the_lock_names_no_address() -> None:
    text = (ROOT / "requirements" / "dev.txt").read_text()
    assert "://" not in text
    assert "--index-url" not in text
    assert "--hash=sha256:" in text
