"""The doctor's page."""

from __future__ import annotations

import json

from orchestrator.buildx.doctor import Check
from orchestrator.core.plan import CellId, Outlook
from orchestrator.core.platform import LINUX_ARM64
from orchestrator.report.doctor import doctor_json, doctor_page
from orchestrator.report.screen import Screen
from orchestrator.report.summary import outlook_sentence

CHECKS = (
    Check("docker", True, "engine 29"),
    Check("linux/arm64", False, "no node builds it", "mabuild nodes --install linux/arm64"),
    Check("image store", False, "graph driver", "switch it on", needed=False),
)


def test_the_page_says_what_is_missing_and_what_mends_it() -> None:
    lines = doctor_page(CHECKS, Screen()).splitlines()
    assert lines[0] == "ok      docker       engine 29"
    assert lines[1] == "missing linux/arm64  no node builds it"
    assert lines[2].strip() == "→ mabuild nodes --install linux/arm64"
    assert lines[3].startswith("advice  image store")
    assert lines[-1] == "1 to mend before builds work"
    narrow = doctor_page(CHECKS, Screen(width=50)).splitlines()
    assert all(line.startswith(("ok", "missing", "advice", " " * 21, "1 to")) for line in narrow), "no line hangs out"
    assert doctor_page(CHECKS[:1], Screen()).endswith("this machine can build what is asked\n")


def test_json() -> None:
    document = json.loads(doctor_json(CHECKS))
    assert [check["ok"] for check in document["checks"]] == [True, False, False]


def test_the_outlook_in_words() -> None:
    cell = CellId("api", LINUX_ARM64)
    assert outlook_sentence(Outlook(0.0, (), 3, 0.0)) == ""
    assert outlook_sentence(Outlook(90.0, (cell,), 2, 60.0)) == (
        "expected: 1m30s by api@linux/arm64, and 2 cells never built before; native nodes would save 1m00s"
    )
