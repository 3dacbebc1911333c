"""The page: what was built, where and when, what tags point at, and what was found."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from orchestrator.core.finding import Finding
from orchestrator.core.plan import Plan
from orchestrator.core.result import CellResult, IndexResult, Results
from orchestrator.report.page.chart import graph, timeline
from orchestrator.report.page.timeline import Span
from orchestrator.report.results import results_sentence
from orchestrator.report.summary import plan_sentence, seconds

_STYLE = """
:root { color-scheme: light dark; --text: #1d2430; --back: #fff; --line: #d5dae2; --soft: #667; }
@media (prefers-color-scheme: dark) { :root { --text: #e3e7ee; --back: #14181f; --line: #333b48; --soft: #9aa4b2; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 0 auto;
  max-width: 1100px; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.wide { overflow-x: auto; } svg { width: 100%; height: auto; }
svg text { fill: var(--text); font-size: 13px; } svg .small { font-size: 11px; fill: var(--soft); }
rect { fill: #8b95a5; } .built rect { fill: #2e9e5b; } .unchanged rect { fill: #3b7dd8; }
.failed rect { fill: #cf3b3b; } .skipped rect { fill: #b58a1b; } .slow rect { stroke: #e0a400; stroke-width: 3; }
g.built text, g.failed text, g.unchanged text, g.skipped text { fill: var(--text); }
.graph rect { fill-opacity: .25; stroke: var(--line); } .edge { fill: none; stroke: var(--soft); stroke-width: 1.5; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem; vertical-align: top;
  border-bottom: 1px solid var(--line); } td.number { text-align: right; white-space: nowrap; }
code { font-size: 12px; overflow-wrap: anywhere; } .soft { color: var(--soft); }
"""

_CELL_HEADINGS = ("cell", "outcome", "mode", "node", "time", "tries", "digest")


def page(plan: Plan, results: Results, spans: tuple[Span, ...], title: str, created: str) -> str:
    """One HTML document without scripts, and without anything that a browser would fetch."""
    parts = (
        f"<h1>{escape(title)}</h1><p>{escape(results_sentence(results))}<br>",
        f'<span class="soft">{escape(plan_sentence(plan))} · {escape(created)}</span></p>',
        f'<h2>Services</h2><div class="graph">{graph(plan, results)}</div>',
        f"<h2>Cells over time, by node</h2>{timeline(spans, results)}",
        _table("Cells", ("cell", "outcome", "mode", "node", "time", "tries", "digest"), map(_cell, results.cells)),
        _table("Tags", ("tag", "before", "now"), (row for index in results.indexes for row in _tags(index))),
        _table("Findings", ("rule", "place", "what"), map(_finding, plan.findings)),
    )
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    body = "\n".join(parts)
    start = f'<!doctype html>\n<html lang="en"><head>{head}{policy}<style>{_STYLE}</style></head>'
    return f"{start}\n<body>{body}</body></html>\n"


def _table(title: str, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{column}</td>' for column in row)}</tr>" for row in rows)
    if not body:
        return ""
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    return f'<h2>{title}</h2><div class="wide"><table><tr>{head}</tr>{body}</table></div>'


def _cell(cell: CellResult) -> tuple[str, ...]:
    outcome = f"{cell.outcome}{f': {escape(cell.reason)}' if cell.reason else ''}"
    return (
        escape(str(cell.id)),
        outcome,
        cell.mode.value,
        escape(cell.node),
        seconds(cell.seconds) if cell.seconds else "",
        str(cell.attempts or ""),
        f"<code>{escape(cell.digest)}</code>",
    )


def _tags(index: IndexResult) -> list[tuple[str, ...]]:
    return [
        (escape(tag.reference), f"<code>{escape(tag.old or 'none')}</code>", f"<code>{escape(tag.new)}</code>")
        for tag in index.tags
    ]


def _finding(finding: Finding) -> tuple[str, ...]:
    return (
        f"{finding.severity} {escape(finding.rule)}",
        escape(f"{finding.path}:{finding.line}"),
        escape(finding.message),
    )
