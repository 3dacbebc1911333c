"""How an examination looks: one line a check, and below it what mends it."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Group
from rich.table import Table
from rich.text import Text

from orchestrator.buildx.doctor import Check
from orchestrator.report.screen import Screen, render
from orchestrator.report.shapes import document


def doctor_page(checks: tuple[Check, ...], screen: Screen) -> str:
    """The page."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(min_width=len("missing"))
    table.add_column(min_width=max((len(check.name) for check in checks), default=0) + 1, no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        _add(check, table)
    missing = sum(not check.ok and check.needed for check in checks)
    closing = f"{missing} to mend before builds work" if missing else "this machine can build what is asked"
    return render(Group(table, Text(closing, style="bold red" if missing else "bold green")), screen)


def _add(check: Check, table: Table) -> None:
    sign, style = ("ok", "green") if check.ok else ("missing", "bold red") if check.needed else ("advice", "yellow")
    table.add_row(Text(sign, style=style), Text(check.name, style="bold"), Text(check.detail))
    if not check.ok and check.mend:
        table.add_row("", "", Text(f"→ {check.mend}"))


def doctor_json(checks: tuple[Check, ...]) -> str:
    """The same as JSON."""
    return document({"checks": [asdict(check) for check in checks]})
