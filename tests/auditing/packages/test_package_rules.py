"""Every rule on packages keeps the word of its docstring, as the rules of an audit do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.auditing.packages.rule import PackageRule
from orchestrator.auditing.packages.rules import PACKAGE_RULES
from orchestrator.core.finding import Severity
from tests.auditing.packages.known import surveyed

PARTS = {
    "node_modules/tool": {
        "version": "1.0.0",
        "optionalDependencies": {"@tool/linux-x64": "1", "@tool/linux-arm64": "1"},
    }
}
X64 = {"node_modules/@tool/linux-x64": {"version": "1", "optional": True, "os": ["linux"], "cpu": ["x64"]}}
ARM64 = {"node_modules/@tool/linux-arm64": {"version": "1", "optional": True, "os": ["linux"], "cpu": ["arm64"]}}
CONTEXT = {
    "bad/package-lock.json": json.dumps({"lockfileVersion": 3, "packages": {"": {}, **PARTS, **X64}}, indent=1),
    "good/package-lock.json": json.dumps(
        {"lockfileVersion": 3, "packages": {"": {}, **PARTS, **X64, **ARM64}}, indent=1
    ),
}
FOLDER = Path("orchestrator/auditing/packages/rules")


@pytest.mark.parametrize("rule", PACKAGE_RULES, ids=lambda rule: rule.id)
def test_rule_keeps_its_word(rule: PackageRule) -> None:
    bad = surveyed(rule.info.bad, CONTEXT).findings
    assert [finding.rule for finding in bad] == [rule.id]
    assert bad[0].severity is rule.info.severity
    assert bad[0].line
    good = surveyed(rule.info.good, CONTEXT)
    assert good.packages
    assert not good.findings
    assert all(sentence.startswith("dependencies of") for sentence in good.not_checked)


def test_numbers_and_names() -> None:
    assert [rule.id for rule in PACKAGE_RULES] == ["MA411", "MA412", "MA413", "MA414", "MA415"]
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py") if path.stem != "__init__"}
    assert files == {rule.info.name for rule in PACKAGE_RULES}
    assert all(rule.info.summary.endswith(".") and len(rule.info.summary) <= 100 for rule in PACKAGE_RULES)


def test_an_ignore_hides_a_finding() -> None:
    text = "FROM python:3.12-slim-bookworm\n# mabuild: ignore[MA412] on purpose\nRUN pip install only-amd64==1.0\n"
    assert not surveyed(text).findings
    requirements = {"requirements.txt": "# mabuild: ignore[MA412] on purpose\nonly-amd64==1.0\nonly-amd64==1.0.0\n"}
    text = "FROM python:3.12-slim-bookworm\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n"
    assert [finding.line for finding in surveyed(text, requirements).findings] == [3]


def test_mkl_offline_is_known_without_an_index() -> None:
    from orchestrator.auditing.packages.means import Means

    report = surveyed("FROM python:3.12-bookworm\nRUN pip install mkl==2025.0 numpy==2.0\n", means=Means())
    assert [(finding.rule, finding.severity) for finding in report.findings] == [("MA415", Severity.ERROR)]
    assert report.not_checked == ("mkl, numpy: no index was asked",)
