"""Results, nodes and verifications as text and JSON."""

from __future__ import annotations

import json

from orchestrator.core.fleet import Level
from orchestrator.core.plan import Node
from orchestrator.core.verification import Verdict, Verification, VerifiedPlatform
from orchestrator.report.nodes import nodes_json, nodes_table
from orchestrator.report.results import failure_text, results_json, results_markdown, results_sentence, results_table
from orchestrator.report.screen import Screen
from orchestrator.report.summary import seconds, size
from orchestrator.report.verification import verifications_json, verifications_table
from tests.report.samples import NEW, OLD, plan, results

SCREEN = Screen(140)


def test_results_table_shows_cells_tags_and_the_reason() -> None:
    text = results_table(results(), SCREEN)
    assert "api@linux/arm64  failed" in text
    assert "1m15s" in text
    assert "ghcr.io/acme/base:latest  aaaaaaaaaaaa  bbbbbbbbbbbb" in text
    assert "api: linux/arm64 is missing" in text
    assert text.endswith("3 cells: 1 built, 1 failed, 1 skipped; 1 tag moved\n")


def test_results_json_has_the_documented_shape() -> None:
    document = json.loads(results_json(results()))
    assert list(document) == ["version", "cells", "indexes", "summary"]
    assert document["cells"][0]["outcome"] == "built"
    assert document["cells"][2]["digest"] is None
    assert document["indexes"][1]["tags"] == [{"reference": "ghcr.io/acme/base:latest", "old": OLD, "new": NEW}]
    assert document["summary"] == {"built": 1, "unchanged": 0, "failed": 1, "skipped": 1}


def test_results_markdown_and_the_failed_step() -> None:
    assert "| `ghcr.io/acme/base:latest` | `aaaaaaaaaaaa` | `bbbbbbbbbbbb` |" in results_markdown(results())
    assert failure_text(results().cells[1]) == "api@linux/arm64 failed: exit code 1\n  | boom\n"
    assert results_sentence(results()) == "3 cells: 1 built, 1 failed, 1 skipped; 1 tag moved"
    assert not results().is_good


def test_nodes() -> None:
    nodes = (*plan().nodes, Node("mac", "b", "remote", status="does not answer within 5 s"))
    lines = nodes_table(nodes, SCREEN).splitlines()
    assert lines[1].split()[:4] == ["here", "docker", "running", "-"]
    assert "does not answer within 5 s" in lines[2]
    document = json.loads(nodes_json(nodes))
    assert document["nodes"][0]["platforms"] == [
        {"platform": "linux/amd64", "mode": "native", "evidence": "kernel says x86_64", "slowdown": None}
    ]


def test_verifications() -> None:
    one = Verification(
        "ghcr.io/acme/api:latest",
        NEW,
        "application/vnd.oci.image.index.v1+json",
        Level.EXIST,
        Verdict.INCOMPLETE,
        (VerifiedPlatform("linux/arm64", NEW, 31_400_000, ("provenance",), "linux/amd64", "emulated"),),
        not_checked=("what the files hold",),
        proved=("both platforms are there",),
        requests=7,
        received_bytes=3000,
    )
    text = verifications_table((one,), SCREEN, verbose=True)
    assert text.startswith("INCOMPLETE ghcr.io/acme/api:latest bbbbbbbbbbbb (level exist)\n")
    assert "31.4 MB" in text
    assert "  proved: both platforms are there\n  not checked: what the files hold\n" in text
    assert text.endswith("1 image: 1 incomplete; 7 requests, 3.0 kB\n")
    assert "proved" not in verifications_table((one,), SCREEN, verbose=False)
    document = json.loads(verifications_json((one,)))
    assert document["images"][0]["verdict"] == "incomplete"
    assert document["summary"]["requests"] == 7


def test_amounts() -> None:
    assert [seconds(value) for value in (0.04, 59.9, 61, 3720)] == ["0.0 s", "59.9 s", "1m01s", "1h02m"]
    assert [size(value) for value in (999, 1500, 2_500_000, 3_000_000_000)] == ["999 B", "1.5 kB", "2.5 MB", "3.00 GB"]
