"""A plan as JSON, in the shape that the documentation promises."""

from __future__ import annotations

from orchestrator.core.finding import counts
from orchestrator.core.plan import Base, Cell, Plan, PlannedService
from orchestrator.report.screen import Screen
from orchestrator.report.shapes import document, finding_fields
from orchestrator.report.summary import mode_counts


def render(plan: Plan, screen: Screen) -> str:  # noqa: ARG001
    """The document."""
    return document(plan_fields(plan))


def plan_fields(plan: Plan) -> dict[str, object]:
    """The plan as plain data."""
    return {
        "services": [_service(planned) for planned in plan.services],
        "cells": [_cell(cell) for cell in plan.cells],
        "bases": [_base(base) for base in plan.bases],
        "tags": [
            {"reference": tag.reference, "digest": tag.digest or None, "unknown": tag.unknown or None}
            for tag in plan.tags
        ],
        "findings": [finding_fields(finding) for finding in plan.findings],
        "summary": summary_fields(plan),
    }


def summary_fields(plan: Plan) -> dict[str, object]:
    """Counts over the whole plan."""
    return {
        "services": len(plan.services),
        "cells": len(plan.cells),
        "unchanged": sum(cell.unchanged for cell in plan.cells),
        "waves": max((planned.wave for planned in plan.services), default=-1) + 1,
        "modes": mode_counts(plan),
        "findings": counts(plan.findings),
    }


def _service(planned: PlannedService) -> dict[str, object]:
    service = planned.service
    return {
        "name": service.name,
        "images": [image.name for image in service.images],
        "tags": list(service.tags),
        "platforms": [str(platform) for platform in service.platforms],
        "wave": planned.wave,
        "needs": list(planned.needs),
        "dockerfile": str(service.dockerfile),
    }


def _cell(cell: Cell) -> dict[str, object]:
    return {
        "id": str(cell.id),
        "service": cell.id.service,
        "platform": str(cell.id.platform),
        "node": cell.node or None,
        "mode": cell.mode.value,
        "why": cell.why,
        "wave": cell.wave,
        "needs": [str(need) for need in cell.needs],
        "key": cell.key or None,
        "unchanged": cell.unchanged,
        "reason": cell.reason or None,
        "runner": cell.runner or None,
        "estimate_seconds": cell.estimate_seconds or None,
    }


def _base(base: Base) -> dict[str, object]:
    return {
        "reference": base.reference.familiar,
        "digest": base.digest or None,
        "platforms": {str(entry.platform): entry.digest or None for entry in base.platforms},
        "used_by": list(base.used_by),
    }
