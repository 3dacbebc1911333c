"""Globs for paths inside an image: `*` within one name, `**` over any number of folders, a leading slash or none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WORDS = {"**/": r"(?:[^/]+/)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}


def matches(path: str, globs: Iterable[str]) -> bool:
    """Whether a path without a leading slash fits one of the globs."""
    pattern = compiled(tuple(globs))
    return pattern is not None and pattern.fullmatch(path) is not None


@lru_cache(maxsize=64)
def compiled(globs: tuple[str, ...]) -> re.Pattern[str] | None:
    """One regular expression for all globs; None for none."""
    return re.compile("|".join(f"(?:{_expression(glob)})" for glob in globs), re.DOTALL) if globs else None


def _expression(glob: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob.strip().lstrip("/"))
    return "".join(_WORDS.get(part) or re.escape(part) for part in parts)
