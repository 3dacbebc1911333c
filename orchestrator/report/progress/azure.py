"""Azure Pipelines: groups, and an issue in the timeline for each task that failed."""

from __future__ import annotations

from orchestrator.report.progress.grouped import Marks, grouped

show = grouped(
    Marks(
        begin=lambda title: f"##[group]{title}\n",
        end=lambda _: "##[endgroup]\n",
        error=lambda task, reason: f"##vso[task.logissue type=error]{task}: {' '.join(reason.split())}\n",
        harmless=lambda text: text.replace("##", "# #"),
    )
)
