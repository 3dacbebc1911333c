"""Sentences and counts that several reports share."""

from __future__ import annotations

from collections import Counter

from orchestrator.core.plan import Mode, Outlook, Plan


def mode_counts(plan: Plan) -> dict[str, int]:
    """How many cells are built in each mode."""
    found = Counter(cell.mode for cell in plan.cells)
    return {mode.value: found[mode] for mode in Mode if found[mode]}


def plan_sentence(plan: Plan) -> str:
    """The plan in one line."""
    modes = ", ".join(f"{count} {mode}" for mode, count in mode_counts(plan).items())
    waves = max((planned.wave for planned in plan.services), default=-1) + 1
    unchanged = sum(cell.unchanged for cell in plan.cells)
    skipped = f"; {unchanged} unchanged" if unchanged else ""
    amounts = f"{plural(len(plan.services), 'service')}, {plural(len(plan.cells), 'cell')} in {plural(waves, 'wave')}"
    return f"{amounts}: {modes}{skipped}"


def outlook_sentence(outlook: Outlook) -> str:
    """When the plan will be done, as far as earlier builds tell; empty where they tell nothing."""
    if not outlook.seconds:
        return ""
    path = " → ".join(str(cell) for cell in outlook.critical_path)
    unknown = f", and {plural(outlook.unknown, 'cell')} never built before" if outlook.unknown else ""
    saving = f"; native nodes would save {seconds(outlook.native_saving)}" if outlook.native_saving >= 1 else ""
    return f"expected: {seconds(outlook.seconds)} by {path}{unknown}{saving}"


def plural(number: int, noun: str) -> str:
    """`1 cell`, `2 cells`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def seconds(value: float) -> str:
    """`8.3 s`, `2m05s`, `1h02m`."""
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes}m{rest:02d}s" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02d}m"


def size(number: int) -> str:
    """`31.4 MB`, in powers of 1000 as docker prints them."""
    value = float(number)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.2f} GB"


def short(digest: str) -> str:
    """The first twelve digits of a digest."""
    return digest.partition(":")[2][:12] or "-"
