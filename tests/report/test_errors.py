"""Errors as people see them, and the report of a fault."""

from __future__ import annotations

from pathlib import Path

from orchestrator.core.errors import DockerfileError, ManifestError, PlanError, UsageError
from orchestrator.core.finding import Finding, Related, Severity
from orchestrator.report.errors import error_text, fault_report, write_fault_report
from orchestrator.report.screen import Screen

TWICE = Finding(
    "manifest-duplicate-service",
    "duplicate-service",
    Severity.ERROR,
    "service api is there twice",
    "b.yaml",
    4,
    3,
    related=(Related("a.yaml", 9, "first here"),),
)


def test_each_error_names_place_cause_and_next_step() -> None:
    screen = Screen()
    assert (
        error_text(UsageError("no such file", hint="look again"), screen) == "error: no such file\n  hint: look again\n"
    )
    assert error_text(DockerfileError("unknown instruction", path="Dockerfile", line=3), screen) == (
        "error: Dockerfile:3: unknown instruction\n"
    )
    assert error_text(ManifestError((TWICE,)), screen) == (
        "b.yaml:4:3: error: service api is there twice\n  a.yaml:9: first here\n"
    )
    assert error_text(PlanError("no plan", findings=(TWICE,)), screen).endswith("error: no plan\n")
    assert "\x1b[1;31merror" in error_text(UsageError("x"), Screen(color=True))


def test_a_fault_report_can_be_pasted_and_holds_no_values(tmp_path: Path) -> None:
    text = fault_report(ValueError("odd"), ["build", "--set", "api.args.TOKEN=hunter2", "--push"], "1.2.3")
    assert text.startswith("### mabuild 1.2.3: ValueError")
    assert "hunter2" not in text
    assert "`mabuild build --set … --push`" in text
    path = write_fault_report(text, tmp_path)
    assert Path(path).read_text(encoding="utf-8") == text
