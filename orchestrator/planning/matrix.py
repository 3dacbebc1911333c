"""A plan as job matrices for GitHub Actions: one per wave, grouped by cell, by platform or by dependency subgraph."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from orchestrator.core.errors import UsageError
from orchestrator.core.plan import Cell, CellId, Plan
from orchestrator.planning.assign import RANK, SLOW_MODES

_MOST_JOBS = 256
"""GitHub runs at most so many jobs of one matrix."""


class GroupBy(StrEnum):
    """What one job builds: one cell, all cells of a platform, or the cells of a platform that hang together."""

    CELL = "cell"
    PLATFORM = "platform"
    SUBGRAPH = "subgraph"


def matrix(plan: Plan, group_by: GroupBy) -> dict[str, object]:
    """The matrices as JSON data; cells that are unchanged are no jobs. UsageError where GitHub would refuse them."""
    groups = _groups(plan, group_by)
    waves = _waves(plan, groups, group_by)
    for number, entries in enumerate(waves):
        if len(entries) > _MOST_JOBS:
            raise UsageError(
                f"wave {number} has {len(entries)} jobs, and GitHub runs at most {_MOST_JOBS} of a matrix",
                hint="--group-by platform makes one job per platform; or plan fewer services at once",
            )
    emulated = {str(cell.id.platform) for cell in plan.cells if cell.mode in SLOW_MODES and not cell.unchanged}
    return {
        "version": 1,
        "group_by": group_by.value,
        "waves": [{"include": entries} for entries in waves],
        "counts": [len(entries) for entries in waves],
        "total": sum(len(entries) for entries in waves),
        "emulated": sorted(emulated),
    }


def _groups(plan: Plan, group_by: GroupBy) -> list[list[Cell]]:
    """Cells by job, in plan order; jobs that need each other's cells become one, except where waves order them."""
    if group_by is GroupBy.CELL:
        return [[cell] for cell in plan.cells if not cell.unchanged]
    key: Callable[[CellId], object] = str if group_by is GroupBy.SUBGRAPH else lambda cell: cell.platform
    joined = _joined(plan, key)
    groups: dict[object, list[Cell]] = {}
    for cell in plan.cells:
        if not cell.unchanged:
            groups.setdefault(joined(key(cell.id)), []).append(cell)
    return list(groups.values())


def _joined(plan: Plan, key: Callable[[CellId], object]) -> Callable[[object], object]:
    leaders: dict[object, object] = {}

    def leader(name: object) -> object:
        while name in leaders:
            name = leaders[name]
        return name

    for cell in plan.cells:
        for need in cell.needs:
            mine, other = leader(key(cell.id)), leader(key(need))
            if mine != other:
                leaders[mine] = other
    return leader


def _waves(plan: Plan, groups: list[list[Cell]], group_by: GroupBy) -> list[list[dict[str, object]]]:
    last = max((cell.wave for cell in plan.cells), default=0) if group_by is GroupBy.CELL else 0
    waves: list[list[dict[str, object]]] = [[] for _ in range(last + 1)]
    for group in groups:
        number = group[0].wave if group_by is GroupBy.CELL else 0
        waves[number].append(_entry(group, number, group_by))
    return waves


def _entry(group: list[Cell], wave: int, group_by: GroupBy) -> dict[str, object]:
    first = group[0]
    platforms = dict.fromkeys(cell.id.platform for cell in group)
    return {
        "service": "all" if group_by is GroupBy.PLATFORM else first.id.service,
        "platform": ",".join(map(str, platforms)),
        "slug": "-".join(platform.slug for platform in platforms),
        "runner": _labels(first.runner),
        "wave": wave,
        "mode": max((cell.mode for cell in group), key=lambda mode: RANK[mode]).value,
        "cells": [str(cell.id) for cell in group],
    }


def _labels(runner: str) -> str | list[str]:
    """One label, or the labels of a self-hosted runner, which the manifest writes with commas."""
    labels = [label.strip() for label in runner.split(",") if label.strip()]
    return labels if len(labels) > 1 else runner
