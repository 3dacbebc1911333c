"""A plan in every face."""

from __future__ import annotations

import json
from dataclasses import replace

from orchestrator.core.plan import TagNow
from orchestrator.report.plan import FORMATS
from orchestrator.report.screen import Screen
from tests.report.samples import NEW, plan

SCREEN = Screen(140)


def test_table_says_where_how_and_why() -> None:
    lines = FORMATS["table"](plan(), SCREEN).splitlines()
    assert lines[0].split() == ["wave", "service", "platform", "mode", "node", "needs", "why"]
    assert lines[1].split()[:3] == ["0", "base", "linux/amd64"]
    assert "unchanged: published as aaaaaaaaaaaa" in lines[1]
    assert "emulated" in lines[2]
    assert "no node is arm64 (about 1m30s)" in lines[2]
    assert lines[-1] == "2 services, 4 cells in 2 waves: 2 native, 1 cross, 1 emulated; 1 unchanged"
    assert any(line.startswith("debian:12") for line in lines)
    assert any(line.startswith("api/Dockerfile:1:1: warning: a | b") for line in lines)


def test_table_colours_only_where_wanted() -> None:
    assert "\x1b[" not in FORMATS["table"](plan(), SCREEN)
    assert "\x1b[" in FORMATS["table"](plan(), Screen(140, color=True))


def test_json_has_the_documented_shape() -> None:
    document = json.loads(FORMATS["json"](plan(), SCREEN))
    assert list(document) == ["version", "services", "cells", "bases", "tags", "findings", "summary"]
    assert document["version"] == 1
    assert document["cells"][2] == {
        "id": "api@linux/amd64",
        "service": "api",
        "platform": "linux/amd64",
        "node": "here",
        "mode": "native",
        "why": "the node is amd64",
        "wave": 1,
        "needs": ["base@linux/amd64"],
        "key": None,
        "unchanged": False,
        "reason": None,
        "runner": None,
        "estimate_seconds": None,
    }
    assert document["bases"][0]["platforms"]["linux/arm64"].startswith("sha256:bbb")
    assert document["summary"]["modes"] == {"native": 2, "cross": 1, "emulated": 1}


def test_markdown_is_services_by_platforms() -> None:
    text = FORMATS["markdown"](plan(), SCREEN)
    assert "| 0 | base | unchanged | 🐢 emulated on here |" in text
    assert "| 1 | api | native on here | cross on here |" in text


def test_mermaid_draws_an_arrow_from_parent_to_child() -> None:
    text = FORMATS["mermaid"](plan(), SCREEN)
    assert text.startswith("flowchart LR\n")
    assert "  s0 --> s1\n" in text


def test_table_shows_where_tags_point_at_now() -> None:
    tags = (TagNow("ghcr.io/acme/api:1.0", NEW), TagNow("ghcr.io/acme/api:2.0"), TagNow("r.test/api:1", unknown="down"))
    lines = FORMATS["table"](replace(plan(), tags=tags), SCREEN).splitlines()
    (heading,) = [place for place, line in enumerate(lines) if line.split() == ["tag", "now"]]
    assert [line.split()[-1] for line in lines[heading + 1 : heading + 4]] == ["bbbbbbbbbbbb", "-", "down"]
