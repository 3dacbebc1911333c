"""MA303: a checksum that fits the file of one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.call import Call
from orchestrator.auditing.context import Context
from orchestrator.auditing.programs import DOWNLOADERS, SUMMERS
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.syntax import Literal
from orchestrator.auditing.usage import is_address, is_checksum
from orchestrator.core.finding import Severity
from orchestrator.dockerfile.source import Word

_HASH = re.compile(r"\b(?:[0-9a-f]{128}|[0-9a-f]{96}|[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\b", re.IGNORECASE)
_LINE = re.compile(r"^\\?(?P<hash>[0-9a-fA-F]{32,128})\s+\*?(?P<file>\S+)")


@rule("MA303", Severity.ERROR)
def checksum_of_one_architecture(context: Context) -> Iterator[Problem]:
    """One checksum stands for files of several architectures.

    The file differs between platforms, the checksum does not: on the other platform the check fails, and with it the
    build. Keep one checksum for each architecture, in the branches of a `case`.

    Bad:
        FROM debian:13
        ARG TARGETARCH
        RUN curl -fsSLo tool https://example.com/tool-${TARGETARCH}; \\
            echo "2c26b46b68ffc68ff99b453c1d304134  tool" | md5sum -c -

    Good:
        FROM debian:13
        ARG TARGETARCH
        RUN case "${TARGETARCH}" in \\
              amd64) SUM=2c26b46b68ffc68ff99b453c1d304134 ;; \\
              arm64) SUM=fcde2b2edba56bf408601fb721fe9b5c ;; \\
            esac; \\
            curl -fsSLo tool https://example.com/tool-${TARGETARCH}; \\
            echo "${SUM}  tool" | md5sum -c -
    """
    for mention in context.mentions:
        if is_checksum(mention):
            message = (
                f"this checksum is that of the {mention.family} file: on {wrong_platforms(mention)} "
                "the check fails, and with it the build"
            )
            yield problem(mention, message, follows=True)
    yield from _shared(context)


def _shared(context: Context) -> Iterator[Problem]:
    """One literal checksum for a file that is fetched from an address that differs between platforms."""
    varying: dict[int, set[str]] = {}
    checking = {id(call.run) for call in context.commands if call.name in SUMMERS}
    for call in context.commands:
        key = id(call.run)
        if key not in checking:
            continue
        if call.name in DOWNLOADERS and len(call.visits) > 1:
            varying.setdefault(key, set()).update(_varying_files(call))
        elif call.name in {"echo", "printf"} and varying.get(key) and _feeds_sums(call):
            yield from _judged(call, varying[key])


def _feeds_sums(call: Call) -> bool:
    return len(call.visits) > 1 and bool({one.rpartition("/")[2] for one in call.visit.downstream} & SUMMERS)


def _varying_files(call: Call) -> Iterator[str]:
    """The files that a download writes, where its address differs between platforms but the file's name does not."""
    visits = list(call.visits.values())
    addresses = {next((one for one in visit.values if is_address(one)), "") for visit in visits}
    if len(addresses) < 2 or "" in addresses:
        return
    values = visits[0].values
    for option, value in pairwise(values):
        if re.fullmatch(r"-\w*[oO]|--output(?:-document)?", option) and not is_address(value):
            yield value.rpartition("/")[2]
    for redirect in call.command.redirects:
        if ">" in redirect.operator:
            yield redirect.word.literal.rpartition("/")[2]
    for visit in visits:
        address = next(one for one in visit.values if is_address(one))
        yield address.rpartition("/")[2]


def _judged(call: Call, files: set[str]) -> Iterator[Problem]:
    texts = {" ".join(visit.values[1:]) for visit in call.visits.values()}
    if len(texts) != 1:
        return
    text = texts.pop()
    line = _LINE.match(text.strip())
    if line is None or UNKNOWN in line["hash"] or line["file"].rpartition("/")[2] not in files:
        return
    yield Problem(
        _place(call),
        "one checksum for the files of all platforms: the file differs, so on one of them the check fails, "
        "and the build with it",
        path=call.path,
    )


def _place(call: Call) -> Word:
    """The checksum itself where it is written there, else the word that expands it."""
    for word in call.command.words[1:]:
        for part in word.parts:
            match = _HASH.search(part.text) if isinstance(part, Literal) else None
            if match is not None and isinstance(part, Literal):
                return call.run.source.word(part.start + match.start(), part.start + match.end())
    last = call.command.words[-1]
    return call.run.source.word(last.start, last.end)
