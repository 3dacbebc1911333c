"""How verifications look: a table for people, and the documented JSON."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from orchestrator.core.finding import Severity
from orchestrator.core.verification import Verdict, Verification, VerifiedPlatform
from orchestrator.report.screen import Screen, indented, render
from orchestrator.report.shapes import document, finding_fields
from orchestrator.report.summary import plural, short, size

_STYLES = {Verdict.PASS: "bold green", Verdict.FAIL: "bold red", Verdict.INCOMPLETE: "bold yellow"}


def verifications_json(verifications: tuple[Verification, ...]) -> str:
    """The documented shape of `verify`."""
    summary: dict[str, object] = {verdict.value: _count(verifications, verdict) for verdict in Verdict}
    summary["requests"] = sum(one.requests for one in verifications)
    summary["received_bytes"] = sum(one.received_bytes for one in verifications)
    return document({"images": [_fields(one) for one in verifications], "summary": summary})


def _count(verifications: tuple[Verification, ...], verdict: Verdict) -> int:
    return sum(one.verdict is verdict for one in verifications)


def _fields(one: Verification) -> dict[str, object]:
    return {
        "reference": one.reference,
        "digest": one.digest or None,
        "media_type": one.media_type or None,
        "level": one.level.value,
        "verdict": one.verdict.value,
        "platforms": [_platform_fields(platform) for platform in one.platforms],
        "findings": [finding_fields(finding) for finding in one.findings],
        "proved": list(one.proved),
        "not_checked": list(one.not_checked),
    }


def _platform_fields(platform: VerifiedPlatform) -> dict[str, object]:
    return {
        "platform": platform.platform,
        "digest": platform.digest,
        "size": platform.size,
        "attestations": list(platform.attestations),
        "built_on": platform.built_on or None,
        "mode": platform.mode or None,
    }


def choices_table(title: str, rows: tuple[tuple[str, str, str, str, str], ...], screen: Screen) -> str:
    """Which entry of a list the usual nodes take: client, node, platform of the entry, its digest, a remark."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("client", "node", "takes", "digest", ""):
        table.add_column(heading, no_wrap=bool(heading), overflow="fold")
    for client, node, platform, digest, remark in rows:
        taken = Text(platform) if digest else Text("nothing", style="bold red")
        table.add_row(client, node, taken, short(digest), Text(remark, style="dim"))
    return render(Group(Text(title, style="bold"), table), screen)


def verifications_table(verifications: tuple[Verification, ...], screen: Screen, *, verbose: bool) -> str:
    """One block an image: verdict, platforms, and what was and was not proved. Findings are shown by their formats."""
    common = _common(verifications)
    parts = [part for one in verifications for part in _block(one, common, verbose=verbose)]
    rest = [Text(f"not checked: {sentence}", style="dim") for sentence in common]
    return render(Group(*parts, *rest, Text(_closing(verifications), style="bold")), screen)


def _common(verifications: tuple[Verification, ...]) -> tuple[str, ...]:
    """What was not looked at in any of several images, to be said once."""
    if len(verifications) < 2:
        return ()
    first, *others = verifications
    return tuple(one for one in first.not_checked if all(one in other.not_checked for other in others))


def _block(one: Verification, common: tuple[str, ...], *, verbose: bool) -> list[RenderableType]:
    head = Text.assemble(
        (one.verdict.value.upper(), _STYLES[one.verdict]), f" {one.reference} ", (short(one.digest), "dim")
    )
    head.append(f" (level {one.level})", style="dim")
    table = Table(box=None, pad_edge=False, show_header=False)
    for platform in one.platforms:
        table.add_row(
            Text(f"  {platform.platform}"),
            Text(short(platform.digest), style="dim"),
            Text(size(platform.size), justify="right"),
            Text(", ".join(_attestation(one) for one in platform.attestations), style="dim"),
            Text(f"built on {platform.built_on}" if platform.built_on else "", style="dim"),
        )
    notes = [f"proved: {sentence}" for sentence in one.proved if verbose]
    notes += [f"not checked: {sentence}" for sentence in one.not_checked if sentence not in common]
    return [head, *([table] if one.platforms else []), *(indented(Text(note, style="dim")) for note in notes)]


def _attestation(predicate: str) -> str:
    """The everyday name of an in-toto predicate type."""
    if predicate.startswith("https://slsa.dev/provenance/"):
        return "provenance"
    return "sbom" if predicate.startswith("https://spdx.dev/") else predicate


def _closing(verifications: tuple[Verification, ...]) -> str:
    parts = [f"{_count(verifications, verdict)} {verdict}" for verdict in Verdict if _count(verifications, verdict)]
    requests = sum(one.requests for one in verifications)
    received = sum(one.received_bytes for one in verifications)
    notes = sum(finding.severity is Severity.NOTE for one in verifications for finding in one.findings)
    more = f"; {plural(notes, 'note')} with -v" if notes else ""
    amounts = f"{plural(requests, 'request')}, {size(received)}"
    return f"{plural(len(verifications), 'image')}: {', '.join(parts)}; {amounts}{more}"
