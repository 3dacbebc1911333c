"""The page about a build: whole, harmless, and without anything from elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from orchestrator.core.event import Line, Phase, StateChanged
from orchestrator.core.result import Results
from orchestrator.report.page.page import page
from orchestrator.report.page.timeline import Span, Timeline
from tests.report.samples import plan, results

SPANS = (Span("api@linux/amd64", 0.0, 8.0), Span("api@linux/arm64", 1.0, 76.0), Span("api", 76.0, 77.0))
VOID = {"meta", "br"}


class Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def text(found: Results | None = None) -> str:
    return page(plan(), found or results(), SPANS, "Build of <mabuild.yaml>", "2026-01-01T00:00:00Z")


def test_every_element_is_closed() -> None:
    parser = Balanced()
    parser.feed(text())
    assert parser.open == []


def test_nothing_comes_from_elsewhere_and_nothing_runs() -> None:
    assert not re.search(r"<script|<link|<img|<iframe|src=|href=|url\(|@import", text())
    assert "default-src 'none'" in text()


def test_what_comes_from_outside_is_text() -> None:
    odd = results().cells[0]
    shown = text(Results((replace(odd, reason="<b onclick=x>"),), ()))
    assert "<b onclick" not in shown
    assert "&lt;b onclick=x&gt;" in shown
    assert "Build of &lt;mabuild.yaml&gt;" in shown


def test_it_tells_cells_tags_and_findings() -> None:
    shown = text()
    assert "api@linux/arm64: failed native on here, 1m15s" in shown
    assert "ghcr.io/acme/base:latest" in shown
    assert "MA601" in shown
    assert shown.count('class="edge"') == 1


def test_the_timeline_notes_when_tasks_ran() -> None:
    now = iter([10.0, 11.0, 15.0, 16.0])
    timeline = Timeline(lambda: next(now))
    heard: list[object] = []
    listen = timeline.before(heard.append)
    listen(StateChanged("a", Phase.BUILDING))
    listen(Line("a", "text"))
    listen(StateChanged("a", Phase.BUILT))
    listen(StateChanged("b", Phase.SKIPPED))
    assert timeline.spans() == (Span("a", 1.0, 5.0),)
    assert len(heard) == 4
