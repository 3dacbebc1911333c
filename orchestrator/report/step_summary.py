"""Adds Markdown to the summary page of a GitHub Actions step."""

from __future__ import annotations

from pathlib import Path

_MOST = 1024 * 1024
"""Bytes that GitHub takes for one step."""


def add_to_step_summary(path: str, text: str) -> None:
    """Append to the file that the runner named (`GITHUB_STEP_SUMMARY`); nothing where it named none."""
    if not path:
        return
    with Path(path).open("a", encoding="utf-8") as file:
        room = _MOST - file.tell()
        file.write(text if len(text.encode()) < room else "mabuild: the summary is too long for this page\n")
