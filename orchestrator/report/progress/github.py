"""GitHub Actions: groups, and an annotation for each task that failed."""

from __future__ import annotations

from orchestrator.report.findings.github import escape
from orchestrator.report.progress.grouped import Marks, grouped

show = grouped(
    Marks(
        begin=lambda title: f"::group::{title}\n",
        end=lambda _: "::endgroup::\n",
        error=lambda task, reason: f"::error title={task}::{escape(reason)}\n",
        harmless=lambda text: text.replace("::", ": :").replace("##[", "# #["),
    )
)
