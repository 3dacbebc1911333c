"""GitLab: sections that are folded up; their names must be plain, all are printed at once, so their times are 0."""

from __future__ import annotations

import re

from orchestrator.report.progress.grouped import Marks, grouped

_NO_NAME = re.compile(r"[^a-z0-9]+")
_ERASE = "\x1b[0K"


def _name(title: str) -> str:
    return _NO_NAME.sub("_", title.lower()).strip("_")


show = grouped(
    Marks(
        begin=lambda title: f"{_ERASE}section_start:0:{_name(title)}[collapsed=true]\r{_ERASE}{title}\n",
        end=lambda title: f"{_ERASE}section_end:0:{_name(title)}\r{_ERASE}\n",
        error=lambda task, reason: f"{task}: {reason}\n",
        harmless=lambda text: text.replace(_ERASE, "").replace("section_", "section-"),
    )
)
