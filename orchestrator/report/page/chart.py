"""The two drawings of the page, as SVG: services and what they are built on, and the timeline of cells by node."""

from __future__ import annotations

from html import escape

from orchestrator.core.plan import Plan
from orchestrator.core.result import CellResult, Outcome, Results
from orchestrator.report.page.timeline import Span
from orchestrator.report.summary import seconds

_BOX_WIDTH, _BOX_HEIGHT, _GAP_X, _GAP_Y = 150, 44, 60, 18
_ROW, _LABEL, _WIDTH = 26, 190, 900


def graph(plan: Plan, results: Results) -> str:
    """Waves from left to right, an arrow from a parent to each child; the worst outcome colours a box."""
    outcomes = {planned.service.name: _worst(planned.service.name, results) for planned in plan.services}
    places: dict[str, tuple[int, int]] = {}
    rows: dict[int, int] = {}
    for planned in plan.services:
        row = rows.get(planned.wave, 0)
        rows[planned.wave] = row + 1
        places[planned.service.name] = (planned.wave * (_BOX_WIDTH + _GAP_X), row * (_BOX_HEIGHT + _GAP_Y))
    edges = "".join(
        _edge(places[need], places[planned.service.name])
        for planned in plan.services
        for need in planned.needs
        if need in places
    )
    boxes = "".join(_box(name, place, outcomes[name]) for name, place in places.items())
    width = max((x for x, _ in places.values()), default=0) + _BOX_WIDTH
    height = max((y for _, y in places.values()), default=0) + _BOX_HEIGHT
    return _svg(width, height, edges + boxes, "Services and what they are built on")


def _worst(service: str, results: Results) -> str:
    order = [Outcome.UNCHANGED, Outcome.BUILT, Outcome.SKIPPED, Outcome.FAILED]
    found = [cell.outcome for cell in results.cells if cell.id.service == service]
    return max(found, key=order.index).value if found else Outcome.SKIPPED.value


def _edge(parent: tuple[int, int], child: tuple[int, int]) -> str:
    x1, y1 = parent[0] + _BOX_WIDTH, parent[1] + _BOX_HEIGHT // 2
    x2, y2 = child[0], child[1] + _BOX_HEIGHT // 2
    middle = (x1 + x2) // 2
    return f'<path class="edge" d="M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}"/>'


def _box(name: str, place: tuple[int, int], outcome: str) -> str:
    x, y = place
    return (
        f'<g class="{outcome}"><rect x="{x}" y="{y}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="6"/>'
        f'<text x="{x + _BOX_WIDTH // 2}" y="{y + 19}" text-anchor="middle">{escape(name)}</text>'
        f'<text class="small" x="{x + _BOX_WIDTH // 2}" y="{y + 35}" text-anchor="middle">{outcome}</text></g>'
    )


def timeline(spans: tuple[Span, ...], results: Results) -> str:
    """One bar a cell, grouped by node."""
    cells = {str(cell.id): cell for cell in results.cells}
    rows = sorted((span for span in spans if span.task in cells), key=lambda span: (cells[span.task].node, span.began))
    end = max((span.ended for span in rows), default=0.0) or 1.0
    drawn = "".join(_bar(number, span, cells[span.task], end) for number, span in enumerate(rows))
    height = max(1, len(rows)) * _ROW + 20
    scale = f'<text class="small" x="{_LABEL}" y="{height - 4}">0 s</text>'
    scale += f'<text class="small" x="{_LABEL + _WIDTH}" y="{height - 4}" text-anchor="end">{seconds(end)}</text>'
    return _svg(_LABEL + _WIDTH, height, drawn + scale, "Cells over time")


def _bar(number: int, span: Span, cell: CellResult, end: float) -> str:
    y = number * _ROW
    x = _LABEL + _WIDTH * span.began / end
    width = max(3.0, _WIDTH * (span.ended - span.began) / end)
    slow = " slow" if "emulated" in cell.mode else ""
    told = f"{span.task}: {cell.outcome} {cell.mode} on {cell.node}, {seconds(span.ended - span.began)}"
    return (
        f'<g class="{cell.outcome}{slow}"><title>{escape(told)}</title>'
        f'<text x="0" y="{y + 17}">{escape(span.task)}</text>'
        f'<rect x="{x:.1f}" y="{y + 4}" width="{width:.1f}" height="{_ROW - 8}" rx="3"/></g>'
    )


def _svg(width: int, height: int, content: str, title: str) -> str:
    head = f'<svg viewBox="0 0 {width} {height}" style="min-width:{min(width, 700)}px" role="img" aria-label="{title}">'
    return f'<div class="wide">{head}{content}</svg></div>'
