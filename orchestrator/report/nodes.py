"""How nodes look: a table of node and platform with what proves the mode, and the documented JSON."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from orchestrator.core.plan import Node, NodePlatform
from orchestrator.report.plan.table import MODE_STYLES
from orchestrator.report.screen import Screen, render
from orchestrator.report.shapes import document


def nodes_json(nodes: tuple[Node, ...]) -> str:
    """The documented shape of `nodes`."""
    return document({"nodes": [_fields(node) for node in nodes]})


def _fields(node: Node) -> dict[str, object]:
    return {
        "name": node.name,
        "builder": node.builder,
        "driver": node.driver,
        "endpoint": node.endpoint or None,
        "status": node.status,
        "buildkit": node.buildkit or None,
        "platforms": [_platform_fields(entry) for entry in node.platforms],
    }


def _platform_fields(entry: NodePlatform) -> dict[str, object]:
    return {
        "platform": str(entry.platform),
        "mode": entry.mode.value,
        "evidence": entry.evidence,
        "slowdown": entry.slowdown or None,
    }


def nodes_table(nodes: tuple[Node, ...], screen: Screen) -> str:
    """One row a node and platform."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("node", "driver", "status", "buildkit", "platform", "mode", "slower"):
        table.add_column(heading, no_wrap=heading != "status", overflow="fold")
    table.add_column("evidence", overflow="fold")
    for node in nodes:
        for number, entries in enumerate(_alike(node.platforms) or [()]):
            table.add_row(*_node_columns(node, first=number == 0), *_platform_columns(entries))
    return render(table, screen)


def _alike(entries: tuple[NodePlatform, ...]) -> list[tuple[NodePlatform, ...]]:
    """Entries of one architecture of which all is the same but the variant, together."""
    groups: dict[tuple[str, str, str, str], tuple[NodePlatform, ...]] = {}
    for entry in entries:
        key = (entry.platform.os, entry.platform.architecture, entry.mode.value, entry.evidence)
        groups[key] = (*groups.get(key, ()), entry)
    return list(groups.values())


def _node_columns(node: Node, *, first: bool) -> list[Text]:
    if not first:
        return [Text("")] * 4
    status = Text(node.status, style="green" if node.is_up else "bold red")
    return [Text(node.name, style="bold"), Text(node.driver), status, Text(node.buildkit or "-")]


def _platform_columns(entries: tuple[NodePlatform, ...]) -> list[Text]:
    if not entries:
        return [Text("-")] * 4
    entry, *variants = entries
    name = ", ".join([str(entry.platform), *(other.platform.variant for other in variants)])
    slower = f"{entry.slowdown:.1f}x" if entry.slowdown else "-"
    mode = Text(entry.mode.value, style=MODE_STYLES[entry.mode])
    return [Text(name), mode, Text(slower), Text(entry.evidence, style="dim")]
