"""MA208: an address made of a name that the vendor does not use."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.architectures import names
from orchestrator.auditing.call import Call
from orchestrator.auditing.context import Context
from orchestrator.auditing.programs import DOWNLOADERS
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.vendors.table import Vendor, vendor_of
from orchestrator.core.finding import Severity
from orchestrator.core.platform import Platform


@rule("MA208", Severity.ERROR)
def vendor_name_mismatch(context: Context) -> Iterator[Problem]:
    """A download asks a vendor for a file by a name that the vendor does not use.

    TARGETARCH is amd64 or arm64; `uname -m` is x86_64 or aarch64; others say x64 or aarch_64. With the wrong scheme the
    address does not exist on one platform or on both (404), and the build fails. Translate with a `case`.

    Bad:
        FROM debian:13
        ARG TARGETARCH
        RUN curl -fsSLO https://nodejs.org/dist/v24.0.0/node-v24.0.0-linux-$(uname -m).tar.xz

    Good:
        FROM debian:13
        ARG TARGETARCH
        RUN case "${TARGETARCH}" in amd64) A=x64 ;; *) A=${TARGETARCH} ;; esac; \\
            curl -fsSLO https://nodejs.org/dist/v24.0.0/node-v24.0.0-linux-${A}.tar.xz
    """
    for call in context.commands:
        if call.name not in DOWNLOADERS:
            continue
        for index, word in enumerate(call.command.words):
            if not word.names and len(word.parts) > 0:
                yield from _judged(call, index)


def _judged(call: Call, index: int) -> Iterator[Problem]:
    """Each address that is made of variables, against what the vendor calls its files."""
    wrong: list[tuple[Platform, str, Vendor]] = []
    for platform, visit in call.visits.items():
        address = visit.values[index]
        vendor = vendor_of(address) if "/" in address else None
        if vendor is None:
            continue
        expected = vendor.names(platform.architecture)
        used = [one.text for one in names(address.rpartition("//")[2]) if one.family == platform.architecture]
        if used and expected and "" not in expected and not set(used) & set(expected):
            wrong.append((platform, used[-1], vendor))
    if wrong:
        platforms = " and ".join(f"{used} for {platform}" for platform, used, _ in wrong)
        vendor = wrong[0][2]
        right = " and ".join(f"{' or '.join(vendor.names(platform.architecture))}" for platform, _, _ in wrong)
        word = call.command.words[index]
        message = f"this asks {vendor.name} for {platforms}, but the files are called {right}: the download fails (404)"
        yield Problem(call.run.source.word(word.start, word.end), message, path=call.path, cause=vendor.source)
