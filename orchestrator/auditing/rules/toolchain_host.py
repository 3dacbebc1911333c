"""MA304: a cross toolchain that runs on one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem
from orchestrator.auditing.architectures import names
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_download, is_harmless
from orchestrator.core.finding import Severity

_TOOLCHAIN = re.compile(
    r"none-(?:linux-)?e?abi|none-linux-gnu|-elf\b|musl-cross|[-_]cross\b|cross[-_.]|toolchain|gnueabihf|crosstool|buildroot|gcc-arm|gcc-linaro",
    re.IGNORECASE,
)
_IMPLIED = re.compile(
    r"musl\.cc/(?:[\w.-]+/)*(?P<target>[\w.]+)-cross\.tgz|/(?:aarch64|arm|x86_64|i686)-linux-musl\w*-cross\.tgz"
)


@rule("MA304", Severity.ERROR)
def toolchain_host(context: Context) -> Iterator[Problem]:
    """A toolchain runs on one architecture only.

    The architecture that a toolchain compiles for is one thing, the machine that it runs on another. A compiler for
    x86_64 hosts does not start on an arm64 build machine ("exec format error"), whatever it compiles for.

    Bad:
        FROM debian:13
        ADD https://example.com/gcc-arm-10.3-x86_64-aarch64-none-linux-gnu.tar.xz /opt/

    Good:
        FROM debian:13
        RUN apt-get update && apt-get install -y gcc-aarch64-linux-gnu
    """
    for mention in context.all_mentions:
        if not _is_toolchain(mention):
            continue
        host = "x86_64" if _IMPLIED.search(mention.value) else mention.name
        message = (
            f"this toolchain runs on {host} machines only: where the build runs on another architecture it cannot "
            "start, and the build fails"
        )
        yield problem(mention, message)


def _is_toolchain(mention: Mention) -> bool:
    if not is_address(mention.value) or is_harmless(mention):
        return False
    if mention.role not in {Role.SOURCE, Role.ENV, Role.VARIABLE} and not is_download(mention):
        return False
    if _IMPLIED.search(mention.value):
        return True
    file = mention.value.rpartition("/")[2]
    families = {name.family for name in names(file)}
    return bool(_TOOLCHAIN.search(file)) and (len(families) > 1 or "eabi" in file or "-elf" in file)
