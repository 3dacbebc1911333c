"""Hands values to later steps of a GitHub Actions job."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def add_step_outputs(path: str, outputs: Mapping[str, str], delimiter: str) -> None:
    """Append to the file that the runner named (`GITHUB_OUTPUT`); nothing where it named none.

    The delimiter has to be random: a value that held it could set other outputs. ValueError where one does.
    """
    if not path:
        return
    if any(delimiter in text for pair in outputs.items() for text in pair):
        raise ValueError("an output holds the delimiter")
    with Path(path).open("a", encoding="utf-8") as file:
        file.writelines(f"{name}<<{delimiter}\n{value}\n{delimiter}\n" for name, value in outputs.items())
