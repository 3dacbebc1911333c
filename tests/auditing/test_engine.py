"""One file through all rules: order, causes and consequences, ignores, files for one architecture, scripts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from orchestrator.auditing.engine import AuditResult, Options, audit, audit_script
from orchestrator.core.finding import Severity
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.dockerfile.parse import parse

URL = "https://x.example/t-linux-amd64.tgz"


def run(text: str, path: str = "Dockerfile", read: Callable[[str], str | None] = lambda _: None) -> AuditResult:
    return audit(parse(text, path), Options(read_script=read))


def test_a_cause_is_told_once_with_what_follows_from_it() -> None:
    text = (
        f"FROM a\nRUN curl -O {URL} && \\\n  tar xzf t-linux-amd64.tgz && \\\n"
        "  mv t-linux-amd64/t /usr/bin && \\\n  rm t-linux-amd64.tgz\n"
    )
    (finding,) = run(text).findings
    assert (finding.rule, finding.line) == ("MA301", 2)
    assert [related.line for related in finding.related] == [3, 4]


def test_a_file_that_nothing_brought_is_a_cause_itself() -> None:
    assert [one.rule for one in run("FROM a\nRUN mv x/app-amd64 /usr/bin/app\n").findings] == ["MA305"]


def test_findings_are_in_the_order_of_the_file() -> None:
    text = f"FROM a\nENV B=amd64\nRUN curl {URL}\nCOPY c-amd64 /d\n"
    assert [one.line for one in run(text).findings] == [2, 3, 4]
    assert run(text) == run(text)


def test_an_ignore_above_an_instruction_is_for_all_its_lines() -> None:
    text = f"FROM a\n# mabuild: ignore[MA301] amd64 only on purpose\nRUN true && \\\n  curl {URL}\n"
    result = run(text)
    assert not result.findings
    assert result.ignored == 1


def test_an_ignore_between_continued_lines_is_for_the_next_one() -> None:
    text = f"FROM a\nRUN curl {URL} && \\\n  # mabuild: ignore[MA301, MA305] why\n  curl https://x.example/u-amd64\n"
    result = run(text)
    assert [one.line for one in result.findings if one.rule != "MA001"] == [2]
    assert [one.rule for one in result.findings if one.severity is Severity.NOTE] == ["MA001"]


def test_an_ignore_for_the_whole_file() -> None:
    assert not run(f"# mabuild: ignore-file[MA301] why\nFROM a\nRUN curl {URL}\nRUN curl {URL}\n").findings


@pytest.mark.parametrize("rules", ["MA301", "MA999", "nonsense", ""])
def test_an_ignore_that_matches_nothing_is_a_note(rules: str) -> None:
    (finding,) = run(f"FROM a\n# mabuild: ignore[{rules}] why\nRUN true\n").findings
    assert (finding.rule, finding.line, finding.severity) == ("MA001", 2, Severity.NOTE)


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("Dockerfile", 2),
        ("Dockerfile.amd64", 1),
        ("Dockerfile.arm64", 1),
        ("x86_64.Dockerfile", 1),
        ("docker/arm64/Dockerfile", 1),
        ("docker/linux-amd64/Dockerfile.debian", 1),
        ("Dockerfile.amd64-arm64", 2),
        ("charm64/Dockerfile", 2),
    ],
)
def test_a_file_for_one_architecture_is_judged_as_such(path: str, count: int) -> None:
    text = "FROM a\nRUN curl https://x.example/t-amd64\nRUN curl https://x.example/u-arm64\n"
    assert len(run(text, path).findings) == count


def test_a_name_for_arm_only_is_a_bug_the_other_way_round() -> None:
    (finding,) = run("FROM a\nRUN curl https://x.example/t-arm64\n").findings
    assert "on linux/amd64" in finding.message
    only = Options(platforms=(LINUX_ARM64,))
    assert not audit(parse("FROM a\nRUN curl https://x.example/t-arm64\n", "Dockerfile"), only).findings
    more = Options(platforms=(LINUX_AMD64, LINUX_ARM64, Platform("linux", "arm", "v7")))
    assert "linux/arm/v7" in audit(parse("FROM a\nENV B=amd64\n", "Dockerfile"), more).findings[0].message


def test_scripts_of_the_build_context_are_followed() -> None:
    scripts = {
        "install.sh": f"#!/bin/sh\n. ./lib.sh\nfetch {URL}\ncurl {URL}\ncurl https://x.example/$1\n",
        "lib.sh": "fetch() {\n  curl https://x.example/l-amd64\n}\n",
        "mounted/m.sh": f"curl {URL}\n",
    }
    text = (
        "FROM a\nWORKDIR /app\nCOPY install.sh lib.sh ./\nRUN ./install.sh amd64\n"
        "RUN --mount=type=bind,source=mounted,target=/m bash -e /m/m.sh\n"
    )
    result = run(text, read=scripts.get)
    places = [(one.path, one.line) for one in result.findings]
    assert ("install.sh", 4) in places
    assert ("lib.sh", 2) in places
    assert ("mounted/m.sh", 1) in places
    assert sorted(result.scripts) == ["install.sh", "lib.sh", "mounted/m.sh"]


def test_a_script_with_a_map_fed_by_its_argument_is_fine() -> None:
    script = 'case "$1" in amd64) A=x64 ;; arm64) A=arm64 ;; esac\ncurl https://x.example/t-$A\n'
    text = "FROM a\nARG TARGETARCH\nCOPY scripts /s\nRUN /s/get.sh ${TARGETARCH}\n"
    assert not run(text, read={"scripts/get.sh": script}.get).findings


def test_an_ignore_in_a_script() -> None:
    script = f"# mabuild: ignore[MA301] why\ncurl {URL}\n"
    result = run("FROM a\nCOPY i.sh /\nRUN sh /i.sh\n", read={"i.sh": script}.get)
    assert not result.findings
    assert result.ignored == 1


def test_programs_are_not_taken_for_scripts() -> None:
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return "\x7fELF\0amd64"

    result = run("FROM a\nCOPY . /app\nRUN /usr/bin/env true && /app/tool && apt-get update\n", read=read)
    assert not result.findings
    assert asked == ["tool"]


def test_a_script_by_itself() -> None:
    result = audit_script(f"#!/bin/bash\ncurl {URL}\n", "install.sh", Options())
    assert [(one.path, one.line) for one in result.findings] == [("install.sh", 2)]
    assert not audit_script(f"curl {URL}\n", "amd64/install.sh", Options()).findings
