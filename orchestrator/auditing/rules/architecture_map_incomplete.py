"""MA207: a map of architectures without an entry for a platform."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.programs import DOWNLOADERS
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.runs import Run
from orchestrator.auditing.shell.branches import assigned_in
from orchestrator.auditing.shell.state import Trace
from orchestrator.auditing.shell.syntax import Block, Case, Chain, Command, Group, If, Pipeline
from orchestrator.core.finding import Severity
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.source import Word


@rule("MA207", Severity.ERROR)
def architecture_map_incomplete(context: Context) -> Iterator[Problem]:
    """A map of architectures has no entry for a platform.

    The shell then goes on with an empty variable, or without the file that another branch would have fetched: an
    address with a hole in it, a build that fails later, or an image without the program. Add the branch, and end with
    `*) exit 1` so that a missing one is told where it is missing.

    Bad:
        FROM debian:13
        ARG TARGETARCH
        RUN case "$TARGETARCH" in amd64) A=x64 ;; esac; curl -fsSLO https://example.com/tool-$A

    Good:
        FROM debian:13
        ARG TARGETARCH
        RUN case "$TARGETARCH" in amd64) A=x64 ;; arm64) A=arm64 ;; esac; curl -fsSLO https://example.com/tool-$A
    """
    for run in context.interesting:
        for word, effect, platforms in _lacking(run):
            message = f"there is no branch for {' and '.join(map(str, platforms))}: {effect} there"
            yield Problem(word, message, path=run.path)


def _lacking(run: Run) -> Iterator[tuple[Word, str, tuple[Platform, ...]]]:
    found: dict[int, tuple[Word, str]] = {}
    lacking: dict[int, dict[Platform, None]] = {}
    holes = ((platform, hole) for platform, trace in run.traces.items() for hole in _holes(run, trace))
    for platform, (key, word, effect) in holes:
        found.setdefault(key, (word, effect))
        lacking.setdefault(key, {})[platform] = None
    for key, (word, effect) in found.items():
        yield word, effect, tuple(lacking[key])


def _holes(run: Run, trace: Trace) -> Iterator[tuple[int, Word, str]]:
    """What lacks an entry on one platform: a key, the place, and what follows from it."""
    for case in trace.unserved:
        if _chooses(case):
            yield id(case), _head(run, case), "what the other branches do is left out"
    for node, name in trace.missing.values():
        if isinstance(node, Case) or len(node.branches) > 1:
            yield id(node), _head(run, node), f"${name} is empty"
    for part in trace.holes:
        yield id(part), run.source.word(part.start, part.end), f"{part.name} has no such key"


def _head(run: Run, node: Case | If) -> Word:
    """The first line of the statement."""
    end = node.subject.end if isinstance(node, Case) else node.start + 2
    return run.source.word(node.start, max(end, node.start + 2))


def _chooses(node: Case) -> bool:
    """Whether the arms set variables or fetch something; commands of other kinds may be for some platforms only."""
    return any(_sets_or_fetches(arm.body) for arm in node.arms)


def _sets_or_fetches(block: Block) -> bool:
    if any(True for _ in assigned_in(block)):
        return True
    return any(_fetches(node) for node in block)


def _fetches(node: object) -> bool:
    match node:
        case Command(words=words):
            return bool(words) and words[0].literal.rpartition("/")[2] in DOWNLOADERS | {"echo", "printf"}
        case Chain(first=first, rest=rest):
            return any(_fetches(one) for one in (first, *(one for _, one in rest)))
        case Pipeline(stages=stages):
            return any(_fetches(one) for one in stages)
        case Group(body=body):
            return _sets_or_fetches(body)
        case _:
            return False
