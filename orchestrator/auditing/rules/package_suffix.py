"""MA403: a package with an architecture behind its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, replacing, wrong_platforms
from orchestrator.auditing.architectures import I386
from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import replaced
from orchestrator.auditing.mention import Mention
from orchestrator.auditing.programs import PACKAGE_MANAGERS
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Fix, Severity

_SUFFIX = re.compile(
    r"^[\w.+*~-]+(?P<sign>[:.])(?P<name>amd64|i386|arm64|armhf|x86_64|aarch64|i686|i586)(?P<rest>[=/-][^/]*)?$"
)
_DEBIAN = frozenset({"apt", "apt-get", "aptitude", "dpkg", "install_packages", "clean-install", "nala", "apt-fast"})


@rule("MA403", Severity.ERROR)
def package_suffix(context: Context) -> Iterator[Problem]:
    """A package is asked for in one architecture.

    On the other platform the package manager does not find it, and the build fails. Without the suffix it takes the
    package of the machine that builds.

    Bad:
        FROM debian:13
        RUN apt-get update && apt-get install -y libc6:amd64

    Good:
        FROM debian:13
        RUN apt-get update && apt-get install -y libc6
    """
    enabled = _enabled(context)
    for mention in context.mentions:
        match = _SUFFIX.match(mention.value) if mention.program in PACKAGE_MANAGERS else None
        if match is None or (match["sign"] == ":") != (mention.program in _DEBIAN):
            continue
        is_foreign = (mention.stage, mention.name) in enabled
        if is_foreign and mention.family != I386:
            continue
        message = (
            f"this asks for the {mention.name} package: on {wrong_platforms(mention)} it is not found "
            "and the build fails"
        )
        yield problem(mention, message, fix=_fix(context, mention), follows=is_foreign)


def _enabled(context: Context) -> frozenset[tuple[int, str]]:
    """Stages and the foreign architectures that dpkg is told of there: on purpose, or the cause of it all."""
    return frozenset(
        (call.run.stage, call.arguments[-1])
        for call in context.commands
        if call.name == "dpkg" and len(call.arguments) > 1 and call.arguments[0] == "--add-architecture"
    )


def _fix(context: Context, mention: Mention) -> Fix | None:
    title = "leave the suffix out"
    if mention.family == I386 or replacing(context, mention, lambda name: name.text, title, safe=True) is None:
        return None
    name = mention.names[0]
    word = mention.source.word(name.start - 1, name.end)
    return Fix(title, (replaced(word, ""),))
