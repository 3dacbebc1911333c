"""How packages look: a table of package and platform, Markdown, and the documented JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from rich.table import Table
from rich.text import Text

from orchestrator.core.finding import counts
from orchestrator.core.packages import Availability, Offer, Package, PackageReport
from orchestrator.report.findings.markdown import cell
from orchestrator.report.screen import Screen, render
from orchestrator.report.shapes import document, finding_fields
from orchestrator.report.summary import plural

_STYLES = {
    Availability.BUILT: "green",
    Availability.SOURCE: "bold yellow",
    Availability.NONE: "bold red",
    Availability.UNKNOWN: "dim",
}
_WORST = (Availability.NONE, Availability.SOURCE, Availability.UNKNOWN, Availability.BUILT)

SORTS: Final[dict[str, Callable[[Package], tuple[object, ...]]]] = {
    "place": lambda one: (one.service, one.place.path, one.place.line, one.name),
    "name": lambda one: (one.name, one.version, one.place.path),
    "verdict": lambda one: (min((_WORST.index(each.verdict) for each in one.offers), default=9), one.name),
}


def packages_json(report: PackageReport) -> str:
    """The documented shape of `packages`."""
    return document(
        {
            "packages": [_fields(one) for one in report.packages],
            "findings": [finding_fields(finding) for finding in report.findings],
            "not_checked": list(report.not_checked),
            "failed": [{"path": path, "line": line, "message": message} for path, line, message in report.failed],
            "summary": {**verdict_counts(report), **counts(report.findings)},
        }
    )


def _fields(one: Package) -> dict[str, object]:
    return {
        "name": one.name,
        "version": one.version or None,
        "ecosystem": one.ecosystem.value,
        "service": one.service or None,
        "path": one.place.path,
        "line": one.place.line,
        "platforms": {
            str(each.platform): {
                "verdict": each.verdict.value,
                "file": each.file or None,
                "reason": each.reason or None,
            }
            for each in one.offers
        },
    }


def verdict_counts(report: PackageReport) -> dict[str, int]:
    """How many packages there are, and how many pairs of package and platform have each verdict."""
    found = Counter(each.verdict for one in report.packages for each in one.offers)
    return {"packages": len(report.packages), **{verdict.value: found[verdict] for verdict in Availability}}


def packages_table(report: PackageReport, screen: Screen, *, everything: bool) -> str:
    """One row a package; those that are built for all platforms only where `everything` is asked for."""
    shown = [one for one in report.packages if everything or not _is_fine(one)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = _platforms(report)
    for heading in ("package", "version", "where", *columns):
        table.add_column(heading, overflow="fold")
    for one in shown:
        by_platform = {str(each.platform): each for each in one.offers}
        offers = [_offer(by_platform.get(platform)) for platform in columns]
        table.add_row(Text(one.name, style="bold"), one.version or "-", Text(_where(one), style="dim"), *offers)
    parts = [render(table, screen)] if shown else []
    parts += [f"not checked: {sentence}\n" for sentence in report.not_checked]
    return "".join([*parts, f"{closing(report)}\n"])


def _is_fine(one: Package) -> bool:
    return all(each.verdict is Availability.BUILT for each in one.offers)


def _platforms(report: PackageReport) -> list[str]:
    return sorted({str(each.platform) for one in report.packages for each in one.offers})


def _where(one: Package) -> str:
    place = f"{one.place.path}:{one.place.line}"
    return f"{one.service} {place}" if one.service else place


def _offer(each: Offer | None) -> Text:
    if each is None:
        return Text("-", style="dim")
    return Text(each.verdict.value, style=_STYLES[each.verdict])


def packages_markdown(report: PackageReport) -> str:
    """The same as a Markdown table, with all packages."""
    columns = _platforms(report)
    head = "".join(f" {platform} |" for platform in columns)
    lines = [f"| package | version | where |{head}", f"|---|---|---|{'---|' * len(columns)}"]
    for one in report.packages:
        by_platform = {str(each.platform): each for each in one.offers}
        offers = "".join(f" {_word(by_platform.get(platform))} |" for platform in columns)
        lines.append(f"| `{cell(one.name)}` | {cell(one.version or '-')} | `{cell(_where(one))}` |{offers}")
    lines += ["", *(f"- not checked: {cell(sentence)}" for sentence in report.not_checked), closing(report)]
    return "\n".join(lines) + "\n"


def _word(each: Offer | None) -> str:
    return each.verdict.value if each else "-"


def closing(report: PackageReport) -> str:
    """The answer in one line."""
    lacking = sum(not _is_fine(one) for one in report.packages)
    unsure = f", {plural(len(report.not_checked), 'thing')} not checked" if report.not_checked else ""
    return (
        f"{plural(len(report.packages), 'package')}: {len(report.packages) - lacking} built for all platforms{unsure}"
    )
