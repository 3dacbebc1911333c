"""Buildkite: groups begin at a line of their own and end where the next one begins; a failed task's is left open."""

from __future__ import annotations

from orchestrator.report.progress.grouped import Marks, grouped

show = grouped(
    Marks(
        begin=lambda title: f"--- {title}\n",
        end=lambda _: "",
        error=lambda task, reason: f"^^^ +++\n{task}: {reason}\n",
        harmless=lambda text: f" {text}" if text.startswith(("--- ", "+++ ", "~~~ ", "^^^ ")) else text,
    )
)
