"""Values that the tests of reports show."""

from __future__ import annotations

from pathlib import Path

from orchestrator.core.finding import Confidence, Edit, Finding, Fix, Related, RuleInfo, Severity
from orchestrator.core.fleet import Fleet, Place, Service
from orchestrator.core.plan import Base, BasePlatform, Cell, CellId, Mode, Node, NodePlatform, Plan, PlannedService
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.core.reference import Reference
from orchestrator.core.result import CellResult, IndexResult, Outcome, Results, TagMove
from orchestrator.report.findings.view import View
from orchestrator.report.screen import Screen

OLD = "sha256:" + "a" * 64
NEW = "sha256:" + "b" * 64
SOURCE = ("FROM debian\n", "RUN curl -O https://example.com/tool-linux-amd64 | sh\n")

DOWNLOAD = Finding(
    "MA301",
    "download-architecture",
    Severity.ERROR,
    "this download is for amd64 only: the arm64 image gets a binary that cannot run",
    "api/Dockerfile",
    2,
    44,
    2,
    49,
    fix=Fix("use ${TARGETARCH}", (Edit(2, 44, 2, 49, "${TARGETARCH}"),)),
    related=(Related("api/Dockerfile", 3, "unpacked here"),),
)
UNSURE = Finding(
    "MA601", "library-path", Severity.WARNING, "a | b\nc", "api/Dockerfile", 1, 1, confidence=Confidence.LOW
)
INSIDE = Finding(
    "MV401",
    "entrypoint-architecture",
    Severity.ERROR,
    "the entry point is an amd64 program",
    platform="linux/arm64",
    file="/usr/bin/api",
    cause="layer shared with linux/amd64",
)
RULES = (
    RuleInfo(
        "MA301", "download-architecture", Severity.ERROR, "A download names one CPU.", "Long help.", "bad\n", "good\n"
    ),
)


def view(*findings: Finding, width: int = 100) -> View:
    return View(
        "Audit",
        findings,
        RULES,
        "1 Dockerfile",
        "1.2.3",
        Screen(width),
        {"api/Dockerfile": SOURCE},
        ("api/Dockerfile",),
    )


def service(name: str) -> Service:
    return Service(
        name,
        Place("mabuild.yaml", 3, 3),
        (Reference.parse(f"ghcr.io/acme/{name}"),),
        ("latest",),
        (LINUX_AMD64, LINUX_ARM64),
        Path(name),
        Path(name) / "Dockerfile",
    )


def plan() -> Plan:
    base, api = service("base"), service("api")
    node = Node("here", "default", "docker", platforms=(NodePlatform(LINUX_AMD64, Mode.NATIVE, "kernel says x86_64"),))
    cells = (
        Cell(CellId("base", LINUX_AMD64), "here", Mode.NATIVE, "the node is amd64", 0, unchanged_digest=OLD),
        Cell(CellId("base", LINUX_ARM64), "here", Mode.EMULATED, "no node is arm64", 0, estimate_seconds=90.0),
        Cell(CellId("api", LINUX_AMD64), "here", Mode.NATIVE, "the node is amd64", 1, (CellId("base", LINUX_AMD64),)),
        Cell(
            CellId("api", LINUX_ARM64), "here", Mode.CROSS, "nothing runs for arm64", 1, (CellId("base", LINUX_ARM64),)
        ),
    )
    debian = Base(
        Reference.parse("debian:12"),
        OLD,
        (BasePlatform(LINUX_AMD64, OLD), BasePlatform(LINUX_ARM64, NEW)),
        ("base",),
    )
    planned = (PlannedService(base, 0, ()), PlannedService(api, 1, ("base",)))
    return Plan(Fleet((base, api)), planned, cells, (node,), (debian,), (UNSURE,))


def results() -> Results:
    cells = (
        CellResult(CellId("api", LINUX_AMD64), Outcome.BUILT, NEW, node="here", attempts=1, seconds=8.25),
        CellResult(
            CellId("api", LINUX_ARM64),
            Outcome.FAILED,
            node="here",
            attempts=2,
            seconds=75.0,
            reason="exit code 1",
            log=("boom",),
        ),
        CellResult(CellId("web", LINUX_AMD64), Outcome.SKIPPED, reason="api@linux/arm64 failed"),
    )
    indexes = (
        IndexResult("api", Outcome.FAILED, reason="linux/arm64 is missing"),
        IndexResult("base", Outcome.BUILT, NEW, (TagMove("ghcr.io/acme/base:latest", OLD, NEW),)),
    )
    return Results(cells, indexes)
