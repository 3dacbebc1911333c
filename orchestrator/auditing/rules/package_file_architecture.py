"""MA402: a package file for one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.programs import PACKAGE_MANAGERS, QUIET
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_talk
from orchestrator.core.finding import Severity

_FILE = re.compile(r"\.(?:deb|rpm|apk|pkg\.tar(?:\.\w+)?|snap|AppImage)\b|_amd64\*|\.(?:deb|rpm)$", re.IGNORECASE)


@rule("MA402", Severity.ERROR)
def package_file_architecture(context: Context) -> Iterator[Problem]:
    """A package file for one architecture is installed.

    dpkg and rpm refuse a package of another architecture, so the build fails on the other platform. Name the file with
    `$(dpkg --print-architecture)` or `$(uname -m)`, or install from a repository.

    Bad:
        FROM debian:13
        COPY tool_1.0_amd64.deb /tmp/
        RUN dpkg -i /tmp/tool_1.0_amd64.deb

    Good:
        FROM debian:13
        ARG TARGETARCH
        COPY tool_1.0_${TARGETARCH}.deb /tmp/
        RUN dpkg -i /tmp/tool_1.0_$(dpkg --print-architecture).deb
    """
    for mention in context.mentions:
        if not _FILE.search(mention.value) or is_talk(mention):
            continue
        installs = mention.program in PACKAGE_MANAGERS
        if installs or (mention.role is Role.SOURCE and not is_address(mention.value)):
            message = (
                f"this package is for {mention.family}: on {wrong_platforms(mention)} "
                "the package manager refuses it and the build fails"
            )
            yield problem(mention, message, follows=_is_brought_before(mention, installs=installs))


def _is_brought_before(mention: Mention, *, installs: bool) -> bool:
    return installs and not is_address(mention.value) and mention.program not in QUIET
