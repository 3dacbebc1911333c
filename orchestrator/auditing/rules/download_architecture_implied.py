"""MA302: a download that is for x86 although its name does not say so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.architectures import AMD64, names
from orchestrator.auditing.context import Context
from orchestrator.auditing.mentions import expanded_word
from orchestrator.auditing.programs import DOWNLOADERS
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.usage import is_address
from orchestrator.auditing.vendors.table import vendor_of
from orchestrator.core.finding import Severity
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.source import Word

_MAYBE_NAMED = re.compile(f"(?:linux|tini|static){UNKNOWN}")


@rule("MA302", Severity.ERROR)
def download_architecture_implied(context: Context) -> Iterator[Problem]:
    """A download is for amd64 although nothing in its name says so.

    Some vendors leave the architecture out where it is amd64. The other platform gets the same file: the build
    succeeds, and the program cannot run. Only vendors that are known to do so are looked at.

    Bad:
        FROM debian:13
        RUN curl -fsSLO https://github.com/buildpacks/pack/releases/download/v0.38.0/pack-v0.38.0-linux.tgz

    Good:
        FROM debian:13
        ARG TARGETARCH
        RUN case "${TARGETARCH}" in amd64) S= ;; *) S=-${TARGETARCH} ;; esac; \\
            curl -fsSLO https://github.com/buildpacks/pack/releases/download/v0.38.0/pack-v0.38.0-linux${S}.tgz
    """
    for address, word, path, platforms in _addresses(context):
        vendor = vendor_of(address) if is_address(address) else None
        wrong = [one for one in platforms if one.architecture != AMD64]
        if vendor is None or "" not in vendor.amd64 or names(address) or not wrong or not _is_program(address):
            continue
        others = vendor.names(wrong[0].architecture)
        called = f"; its {wrong[0].architecture} files carry '{others[0]}'" if others else "; it has no other known"
        message = (
            f"{vendor.name} publishes this file for amd64: on {' and '.join(map(str, wrong))} the build succeeds, "
            f"and the program cannot run{called}"
        )
        yield Problem(word, message, path=path)


def _addresses(context: Context) -> Iterator[tuple[str, Word, str, tuple[Platform, ...]]]:
    for view in context.stages:
        for instruction in view.stage.instructions:
            for word in instruction.words[:-1] if instruction.keyword == "ADD" else ():
                texts = {expanded_word(view, instruction, word, platform) for platform in view.platforms}
                yield texts.pop() if len(texts) == 1 else "", word, "", view.platforms
    for call in context.commands:
        if call.name in DOWNLOADERS:
            for text, word in zip(call.arguments, call.words, strict=False):
                same = tuple(platform for platform, visit in call.visits.items() if text in visit.values)
                yield text, word, call.path, same


def _is_program(address: str) -> bool:
    """Whether the address is of a file that holds programs; unknown variables may hold the architecture."""
    file = address.rpartition("/")[2]
    return not file.endswith((".asc", ".sig", ".pub", ".sha256", ".txt")) and not _MAYBE_NAMED.search(file)
