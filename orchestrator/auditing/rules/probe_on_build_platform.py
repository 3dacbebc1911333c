"""MA209: a stage on the build platform asks its own machine which file to fetch for the image."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.probes import ProbedRun, probed_runs
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.staging import Side
from orchestrator.core.finding import Related, Severity
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.source import shown


@rule("MA209", Severity.ERROR)
def probe_on_build_platform(context: Context) -> Iterator[Problem]:
    """`uname -m` in a `$BUILDPLATFORM` stage tells the builder's architecture, not the target's.

    A stage that fetches `tool-$(uname -m)` on `$BUILDPLATFORM` fetches the amd64 file on an amd64 builder for every
    platform. Copied into the image it is wrong for arm64, and the build is green. `TARGETARCH` tells the target. A tool
    that is only used while building is right this way.

    Bad:
        FROM --platform=$BUILDPLATFORM alpine:3.22 AS fetch
        RUN wget -O /usr/local/bin/tool "https://example.com/tool-$(uname -m)"
        FROM debian:13-slim
        COPY --from=fetch /usr/local/bin/tool /usr/local/bin/tool

    Good:
        FROM alpine:3.22 AS fetch
        RUN wget -O /usr/local/bin/tool "https://example.com/tool-$(uname -m)"
        FROM debian:13-slim
        COPY --from=fetch /usr/local/bin/tool /usr/local/bin/tool
    """
    for role in context.staging.roles:
        platforms = context.staging.platforms(role.stage.index)
        if role.side is not Side.BUILD or not platforms:
            continue
        for probed in probed_runs(context, role.stage.index, platforms):
            problem = _problem(context, role.stage.index, platforms[0], probed)
            if problem is not None:
                yield problem


def _problem(context: Context, stage: int, platform: Platform, probed: ProbedRun) -> Problem | None:
    into = context.artifacts.arrival(platform, stage, probed.paths)
    if into is None:
        return None
    message = (
        f"{shown(probed.title)} tells the architecture of the builder in this $BUILDPLATFORM stage, and the file that "
        "is chosen by it is copied into the image: wrong for every other platform, and the build is green; choose "
        "it by TARGETARCH"
    )
    related = Related(context.path, into.word.line, "copied into the target platform here")
    return Problem(probed.word, message, path=probed.path, related=(related,))
