"""Findings in every format."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from orchestrator.report.findings import FORMATS
from orchestrator.report.shapes import finding_fields
from tests.report.samples import DOWNLOAD, INSIDE, UNSURE, view


def test_text_shows_the_line_and_a_caret_under_the_word() -> None:
    text = FORMATS["text"](view(DOWNLOAD))
    lines = text.splitlines()
    assert lines[0] == "api/Dockerfile:2:44: error MA301 download-architecture"
    source = next(line for line in lines if "https://example.com" in line)
    caret = lines[lines.index(source) + 1]
    assert source[caret.index("^") : caret.rindex("^") + 1] == "amd64"
    assert "  fix: use ${TARGETARCH}" in lines
    assert "  see api/Dockerfile:3: unpacked here" in lines
    assert lines[-1] == "1 error in 1 Dockerfile"


def test_text_of_a_finding_inside_an_image() -> None:
    text = FORMATS["text"](view(INSIDE))
    assert text.startswith("linux/arm64 /usr/bin/api: error MV401 entrypoint-architecture\n")
    assert "  cause: layer shared with linux/amd64\n" in text


def test_text_cuts_long_lines_around_the_word() -> None:
    source = ("x" * 5000 + "amd64" + "y" * 5000,)
    finding = replace(DOWNLOAD, line=1, column=5001, end_line=1, end_column=5006)
    text = FORMATS["text"](replace(view(finding, width=400), sources={"api/Dockerfile": source}))
    lines = text.splitlines()
    caret = next(line for line in lines if "^" in line)
    assert lines[lines.index(caret) - 1][caret.index("^") : caret.rindex("^") + 1] == "amd64"
    assert max(map(len, lines)) < 400


def test_text_without_findings() -> None:
    assert FORMATS["text"](view()) == "no findings in 1 Dockerfile\n"


def test_json_says_null_where_nothing_is_known() -> None:
    fields = finding_fields(UNSURE)
    assert fields["platform"] is None
    assert fields["end_line"] is None
    assert fields["confidence"] == "low"
    assert fields["fix"] is None
    assert finding_fields(DOWNLOAD)["fix"] == {
        "title": "use ${TARGETARCH}",
        "safe": True,
        "edits": [{"line": 2, "column": 44, "end_line": 2, "end_column": 49, "text": "${TARGETARCH}"}],
    }


def test_github_escapes_what_the_runner_would_read() -> None:
    text = FORMATS["github"](view(DOWNLOAD, UNSURE))
    first, second = text.splitlines()
    assert first.startswith("::error title=MA301 download-architecture,file=api/Dockerfile,line=2,col=44,")
    assert first.endswith("Fix: use ${TARGETARCH}.")
    assert "a | b%0Ac" in second


def test_markdown_stays_a_table() -> None:
    text = FORMATS["markdown"](view(UNSURE))
    assert "a \\| b c" in text
    assert "no findings" in FORMATS["markdown"](view())


def test_junit_is_well_formed_and_counts() -> None:
    suite = ET.fromstring(FORMATS["junit"](view(DOWNLOAD, UNSURE))).find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "1"
    case = suite.find("testcase")
    assert case is not None
    assert case.find("failure") is not None
    assert case.find("system-out") is not None


def sarif(*lines: str) -> list[str]:
    source = tuple(f"{line}\n" for line in lines)
    number = next(index for index, line in enumerate(lines, 1) if "amd64" in line)
    finding = replace(DOWNLOAD, line=number, end_line=number)
    log = json.loads(FORMATS["sarif"](replace(view(finding, finding), sources={"api/Dockerfile": source})))
    return [result["partialFingerprints"]["mabuild/v1"] for result in log["runs"][0]["results"]]


def test_sarif_fingerprints_follow_a_finding_when_lines_move() -> None:
    before = sarif("FROM debian", "RUN get amd64")
    after = sarif("FROM debian", "", "", "RUN get amd64")
    assert before == after
    assert before[0] != before[1], "the same line twice is two findings"
    assert sarif("RUN get other-amd64") != before


def test_sarif_has_help_fix_and_related_places() -> None:
    log = json.loads(FORMATS["sarif"](view(DOWNLOAD, INSIDE)))
    run = log["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["MA301", "MV401"]
    assert "```dockerfile\nbad\n```" in run["tool"]["driver"]["rules"][0]["help"]["markdown"]
    first, second = run["results"]
    assert first["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"] == "${TARGETARCH}"
    assert first["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "usr/bin/api"


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_takes_nothing_and_everything(name: str) -> None:
    assert isinstance(FORMATS[name](view()), str)
    assert FORMATS[name](view(DOWNLOAD, UNSURE, INSIDE))
