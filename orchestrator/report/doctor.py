"""How an examination looks: one line a check, and below it what mends it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rich.text import Text

from orchestrator.report.screen import Screen, render
from orchestrator.report.shapes import document


@dataclass(frozen=True, slots=True)
class Checked:
    """One fact about the machine; without what is `needed` builds fail."""

    name: str
    ok: bool
    detail: str
    mend: str = ""
    needed: bool = True


def doctor_page(checks: tuple[Checked, ...], screen: Screen) -> str:
    """The page."""
    width = max((len(check.name) for check in checks), default=0)
    lines = [line for check in checks for line in _lines(check, width)]
    missing = sum(not check.ok and check.needed for check in checks)
    closing = f"{missing} to mend before builds work" if missing else "this machine can build what is asked"
    lines.append(Text(closing, style="bold red" if missing else "bold green"))
    return render(Text("\n").join(lines), screen)


def _lines(check: Checked, width: int) -> list[Text]:
    sign, style = ("ok", "green") if check.ok else ("missing", "bold red") if check.needed else ("advice", "yellow")
    lines = [Text.assemble((f"{sign:<8}", style), (f"{check.name:<{width}}  ", "bold"), check.detail)]
    if not check.ok and check.mend:
        lines.append(Text(f"{'':8}{'':{width}}  → {check.mend}"))
    return lines


def doctor_json(checks: tuple[Checked, ...]) -> str:
    """The same as JSON."""
    return document({"checks": [asdict(check) for check in checks]})
