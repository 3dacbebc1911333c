"""MA603: a Java folder that ends in an architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_talk
from orchestrator.core.finding import Severity

_HOME = re.compile(
    r"/jvm/[\w.+-]*(?:amd64|arm64|x86_64|aarch64|x64|i386)|jre/lib/(?:amd64|aarch64)|lib/amd64/(?:server|jli)"
)


@rule("MA603", Severity.ERROR)
def java_home(context: Context) -> Iterator[Problem]:
    """A Java folder names one architecture.

    Debian and Ubuntu put the architecture behind the folder's name, so JAVA_HOME points to nothing on the other
    platform and everything that starts Java through it fails. Make a link in RUN, with `$(dpkg
    --print-architecture)`, or use `/usr/lib/jvm/default-java`.

    Bad:
        FROM debian:13
        ENV JAVA_HOME=/usr/lib/jvm/java-21-openjdk-amd64

    Good:
        FROM debian:13
        ENV JAVA_HOME=/usr/lib/jvm/default-java
    """
    for mention in context.mentions:
        if mention.role is Role.ARG or not _HOME.search(mention.value) or is_talk(mention) or is_address(mention.value):
            continue
        message = (
            f"this folder is called so on {mention.family} only: on {wrong_platforms(mention)} Java is not found there"
        )
        yield problem(mention, message)
