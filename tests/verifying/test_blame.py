"""From a layer's history back to the line of the Dockerfile."""

from __future__ import annotations

import pytest

from orchestrator.core.fleet import Level
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.dockerfile.parse import parse
from orchestrator.verifying.blame import BASE, blame
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation
from tests.verifying.binaries import program
from tests.verifying.images import AMD64, ARM64, REFERENCE, Shelf, file, index, layer
from tests.verifying.roots import healthy

TEXT = """# syntax=docker/dockerfile:1
FROM golang:1.22 AS build
RUN go build -o /out/app
COPY tool-${TARGETARCH} /tool

FROM debian:bookworm AS base
RUN apt-get update \\
 && apt-get install -y curl

FROM base AS runtime
COPY --from=build --chown=1000 /out/app /usr/bin/app
COPY tool-${TARGETARCH} /usr/bin/tool
RUN curl -L https://x/tool-linux-amd64 \\
    -o /usr/bin/fetched

FROM runtime AS debug
RUN apt-get install -y gdb
"""
DOCKERFILE = parse(TEXT, "api/Dockerfile")


@pytest.mark.parametrize(
    ("step", "line"),
    [
        ("RUN curl -L https://x/tool-linux-amd64 -o /usr/bin/fetched", 13),
        ("RUN apt-get update && apt-get install -y curl", 7),
        ("COPY --chown=1000 /out/app /usr/bin/app", 11),
        ("COPY tool-arm64 /usr/bin/tool", 12),
        (BASE, 6),
    ],
)
def test_lines(step: str, line: int) -> None:
    (related,) = blame(DOCKERFILE, "runtime", step)
    assert (related.path, related.line) == ("api/Dockerfile", line)


def test_what_is_not_alike_or_not_in_the_target() -> None:
    assert blame(DOCKERFILE, "runtime", "RUN something else entirely, of the base image") == ()
    assert blame(DOCKERFILE, "runtime", "RUN go build -o /out/app") == ()
    assert blame(DOCKERFILE, "runtime", "RUN apt-get install -y gdb") == ()
    assert blame(DOCKERFILE, "none", BASE) == ()


def test_without_a_target_the_last_stage_counts() -> None:
    assert blame(DOCKERFILE, "", "RUN apt-get install -y gdb")[0].line == 17


def test_a_finding_names_the_line() -> None:
    shelf = Shelf()
    steps = [
        {"created_by": "base"},
        {"created_by": "COPY /out/app /usr/bin/app # buildkit"},
        {
            "created_by": "RUN |1 TARGETARCH=arm64 /bin/sh -c curl -L https://x/tool-linux-amd64 "
            "    -o /usr/bin/fetched # buildkit"
        },
    ]
    tool = layer(file("usr/bin/fetched", program("amd64")))
    index(shelf, *(healthy(shelf, platform, tool, config={"history": steps}) for platform in (AMD64, ARM64)))
    expectation = Expectation((LINUX_AMD64, LINUX_ARM64), Level.FULL, dockerfile=DOCKERFILE, target="runtime")
    (finding,) = [one for one in verify(shelf, REFERENCE, expectation).findings if one.rule == "MV402"]
    assert [(one.path, one.line) for one in finding.related] == [("api/Dockerfile", 13)]
