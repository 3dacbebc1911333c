"""A plan as a Mermaid graph, which GitHub and GitLab draw in Markdown."""

from __future__ import annotations

from orchestrator.core.plan import Mode, Plan
from orchestrator.report.screen import Screen

_SLOW = frozenset({Mode.EMULATED, Mode.SYSTEM_EMULATED})


def render(plan: Plan, screen: Screen) -> str:  # noqa: ARG001
    """One box a service with its platforms and modes, one arrow from a parent to what is built on it."""
    numbers = {planned.service.name: index for index, planned in enumerate(plan.services)}
    lines = ["flowchart LR"]
    for name, number in numbers.items():
        cells = plan.cells_of(name)
        modes = "<br/>".join(f"{cell.id.platform} {cell.mode}" for cell in cells)
        lines.append(f'  s{number}["<b>{name}</b><br/>{modes}"]')
        if any(cell.mode in _SLOW for cell in cells):
            lines.append(f"  style s{number} stroke:#d4a017")
    for planned in plan.services:
        child = numbers[planned.service.name]
        lines += [f"  s{numbers[need]} --> s{child}" for need in planned.needs if need in numbers]
    return "\n".join([*lines, ""])
