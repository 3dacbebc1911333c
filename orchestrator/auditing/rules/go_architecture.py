"""MA501: Go compiles for one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, replacing, wrong_platforms
from orchestrator.auditing.architectures import ARM64
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_ASSIGNED = re.compile(r"-?(?:GO(?:HOST)?ARCH|XGOARCH)=")
_TOOLS = frozenset({"gox", "xgo", "tinygo", "ko", "garble", "goreleaser", "mage"})


@rule("MA501", Severity.ERROR)
def go_architecture(context: Context) -> Iterator[Problem]:
    """GOARCH is a constant.

    Go then compiles for that architecture on every platform. The build succeeds everywhere, and the other platform's
    image holds a program that cannot start. In a stage of the target platform GOARCH can be left out; in a stage on
    $BUILDPLATFORM it has to be TARGETARCH.

    Bad:
        FROM golang:1.26
        RUN CGO_ENABLED=0 GOOS=linux GOARCH=amd64 go build -o /app .

    Good:
        FROM golang:1.26
        ARG TARGETARCH
        RUN CGO_ENABLED=0 GOOS=linux GOARCH=${TARGETARCH} go build -o /app .
    """
    for mention in context.mentions:
        if not _is_go(mention):
            continue
        message = (
            f"Go compiles for {mention.name} on every platform: on {wrong_platforms(mention)} the build succeeds, "
            "and the program cannot run"
        )
        fix = replacing(context, mention, _target, "compile for TARGETARCH", safe=True)
        yield problem(mention, message, fix=fix)


def _target(name: object) -> str:
    return "${TARGETARCH}" if getattr(name, "text", "") in {"amd64", ARM64} else ""


def _is_go(mention: Mention) -> bool:
    if mention.variable in {"GOARCH", "GOHOSTARCH", "XGOARCH"}:
        return mention.role in {Role.ENV, Role.VARIABLE, Role.FALLBACK}
    if mention.role not in {Role.ARGUMENT, Role.LIST}:
        return False
    return bool(_ASSIGNED.match(mention.value)) or mention.program in _TOOLS
