"""MA504: .NET publishes for one runtime."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import option_before
from orchestrator.core.finding import Severity

_RUNTIME = re.compile(r"(?:linux|alpine|debian|ubuntu|rhel)[\w.]*-(?:musl-)?(?:x64|arm64|x86|arm)\b")
_OPTIONS = frozenset({"-r", "--runtime", "-a", "--arch", "--use-current-runtime"})


@rule("MA504", Severity.ERROR)
def dotnet_runtime(context: Context) -> Iterator[Problem]:
    """A .NET runtime identifier names one architecture.

    The published program and its native parts are for that architecture on every platform: the build succeeds, and the
    other platform's image cannot start it. `-a $TARGETARCH` takes the names that BuildKit gives.

    Bad:
        FROM mcr.microsoft.com/dotnet/sdk:10.0
        RUN dotnet publish -c Release -r linux-musl-x64 -o /app

    Good:
        FROM mcr.microsoft.com/dotnet/sdk:10.0
        ARG TARGETARCH
        RUN dotnet publish -c Release -a $TARGETARCH -o /app
    """
    for mention in context.mentions:
        if _is_runtime(mention):
            message = (
                f"this publishes for {mention.name} on every platform: on {wrong_platforms(mention)} "
                "the program cannot start"
            )
            yield problem(mention, message)


def _is_runtime(mention: Mention) -> bool:
    if mention.role is not Role.ARGUMENT or mention.program not in {"dotnet", "msbuild", "nuget"}:
        return False
    if "/" in mention.value and not mention.value.startswith(("/p:", "-p:")):
        return False
    attached = mention.value.startswith(("-r", "--runtime", "-a", "--arch", "/p:", "-p:", "--property", "/property"))
    return option_before(mention) in _OPTIONS or attached or bool(_RUNTIME.fullmatch(mention.value))
