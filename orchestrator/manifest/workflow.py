"""The steps of GitHub workflows and composite actions, with the place in the file of every line that a step runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.core.fleet import Pairs, Place
from orchestrator.manifest.document import read_document
from orchestrator.manifest.files import LARGEST_FILE
from orchestrator.manifest.mistake import fatal
from orchestrator.manifest.node import Document, MappingNode, Node, ScalarNode, SequenceNode

_MISSING = ScalarNode("", "", 1, 1)


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """One step. `job` and `runs_on` are empty in a composite action; `run` is empty for a step that uses an action.

    `lines` has line and column, from 1, of the first letter of each line of `run`. In literal blocks (`|`) they are
    exact; where YAML folds lines they lead to the line of the file where a line of `run` begins.
    """

    job: str
    runs_on: tuple[str, ...]
    name: str
    shell: str
    run: str
    lines: tuple[tuple[int, int], ...]
    uses: str
    inputs: Pairs
    place: Place


def read_workflow(text: str, path: str) -> tuple[WorkflowStep, ...]:
    """All steps of a workflow or of a composite action; raises ManifestError for what is no YAML, or too large."""
    if len(text) > LARGEST_FILE:
        raise fatal("too-large", Place(path, 1, 1), f"the file is larger than {LARGEST_FILE >> 20} MiB")
    document = read_document(text, path)
    root = document.root
    shell = _default_shell(root)
    found = list(_steps(document, _at(root, "runs"), "", shell))
    jobs = _at(root, "jobs")
    if isinstance(jobs, MappingNode):
        for entry in jobs.entries.values():
            found += _steps(document, entry.value, entry.key, _default_shell(entry.value) or shell)
    return tuple(found)


def _steps(document: Document, job: Node, name: str, shell: str) -> Iterator[WorkflowStep]:
    steps = _at(job, "steps")
    for step in steps.items if isinstance(steps, SequenceNode) else ():
        if isinstance(step, MappingNode):
            run = _at(step, "run")
            yield WorkflowStep(
                job=name,
                runs_on=_labels(_at(job, "runs-on")),
                name=_text(_at(step, "name")),
                shell=_text(_at(step, "shell")) or shell,
                run=_text(run),
                lines=tuple(_places(document, run)) if isinstance(run, ScalarNode) and run.text else (),
                uses=_text(_at(step, "uses")),
                inputs=_inputs(_at(step, "with")),
                place=document.place(step),
            )


def _at(node: Node, *keys: str) -> Node:
    for key in keys:
        if not isinstance(node, MappingNode) or key not in node.entries:
            return _MISSING
        node = node.entries[key].value
    return node


def _text(node: Node) -> str:
    return node.text if isinstance(node, ScalarNode) and not node.is_null else ""


def _default_shell(node: Node) -> str:
    return _text(_at(node, "defaults", "run", "shell"))


def _labels(node: Node) -> tuple[str, ...]:
    """The labels of a runner: one, several, or those of a group."""
    if isinstance(node, MappingNode):
        return _labels(_at(node, "labels"))
    items = node.items if isinstance(node, SequenceNode) else (node,)
    return tuple(text for text in map(_text, items) if text)


def _inputs(node: Node) -> Pairs:
    if not isinstance(node, MappingNode):
        return ()
    return tuple((entry.key, _text(entry.value)) for entry in node.entries.values())


def _places(document: Document, node: ScalarNode) -> Iterator[tuple[int, int]]:
    lines = node.text.removesuffix("\n").split("\n")
    if node.style == "|":
        column = document.block_indent(node) + 1
        yield from ((node.line + 1 + row, column) for row in range(len(lines)))
    else:
        yield from _folded_places(document, node, lines)


def _folded_places(document: Document, node: ScalarNode, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Follows the words of folded lines through the lines of the file, as far as they agree."""
    start = document.position(node, 0)
    row, column = (start.line, start.column) if node.style != ">" else (start.line + 1, 1)
    agree = node.style != '"'
    for line in lines:
        if agree and line:
            row, column = _next_words(document, row, column)
        yield row, column
        if agree:
            row, column, agree = _behind(document, (row, column), line.strip())


def _next_words(document: Document, row: int, column: int) -> tuple[int, int]:
    """The first letter at or behind a place."""
    while row < len(document.lines) and not document.lines[row - 1][column - 1 :].strip():
        row, column = row + 1, 1
    written = document.lines[row - 1][column - 1 :]
    return row, column + len(written) - len(written.lstrip(" "))


def _behind(document: Document, place: tuple[int, int], words: str) -> tuple[int, int, bool]:
    """The place behind words that begin at a place, and whether they were found there."""
    row, column = place
    while words:
        written = document.lines[row - 1][column - 1 :].strip()
        if not written or not words.startswith(written) or row == len(document.lines):
            return row, column, False
        words = words[len(written) :].lstrip(" ")
        row, column = row + 1, 1
    return row, column, True
