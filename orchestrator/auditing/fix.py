"""Applies the fixes of findings to a text, and shows what that changes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.core.finding import Edit, Finding, Fix


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text after fixes, with the findings whose fix is in it."""

    text: str
    applied: tuple[Finding, ...]


def apply_fixes(text: str, findings: Iterable[Finding], *, unsafe: bool = False) -> Fixed:
    """Apply safe fixes, and unsafe ones on demand. A fix is taken whole or not at all; of two that touch, the first."""
    starts = _line_starts(text)
    taken: dict[tuple[int, int], str] = {}
    applied: list[Finding] = []
    for finding in findings:
        if finding.fix is None or not (finding.fix.safe or unsafe):
            continue
        spans = _spans(finding.fix, starts, len(text))
        if all(_fits(span, edit.text, taken) for span, edit in spans):
            taken.update({span: edit.text for span, edit in spans})
            applied.append(finding)
    for (start, end), replacement in sorted(taken.items(), reverse=True):
        text = text[:start] + replacement + text[end:]
    return Fixed(text, tuple(applied))


def diff(before: str, after: str, path: str) -> str:
    """A unified diff, empty where nothing changed."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for index, character in enumerate(text):
        if character == "\n":
            starts.append(index + 1)
    return starts


def _spans(fix: Fix, starts: list[int], length: int) -> list[tuple[tuple[int, int], Edit]]:
    def offset(line: int, column: int) -> int:
        return length if line > len(starts) else min(starts[line - 1] + column - 1, length)

    return [((offset(edit.line, edit.column), offset(edit.end_line, edit.end_column)), edit) for edit in fix.edits]


def _fits(span: tuple[int, int], replacement: str, taken: dict[tuple[int, int], str]) -> bool:
    """Whether an edit touches no other one; the same edit again is fine."""
    if span in taken:
        return taken[span] == replacement
    start, end = span
    return not any(start < other_end and other_start < end for other_start, other_end in taken)
