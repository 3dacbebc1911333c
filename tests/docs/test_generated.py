"""The pages that are made of the code are those that are in the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.generate import DOCS, pages

PAGES = pages()


@pytest.mark.parametrize("path", sorted(PAGES), ids=lambda path: str(path.relative_to(DOCS)))
def test_page_is_fresh(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path], "run `make docs`"


def test_every_rule_check_and_command_has_its_place() -> None:
    assert "### MA101 from-platform-constant" in PAGES[DOCS / "rules.md"]
    assert "### MV101 platform-missing" in PAGES[DOCS / "checks.md"]
    assert "Usage: mabuild import [OPTIONS] {file}" in PAGES[DOCS / "reference/commands.md"]
    assert "| `platforms` | The platforms of the image |" in PAGES[DOCS / "reference/manifest.md"]
