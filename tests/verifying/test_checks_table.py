"""The table of checks against the files, the numbers of the contract, and the form of their documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying import checks
from orchestrator.verifying.check import LEVELS, Check, reaches
from orchestrator.verifying.checks import CHECKS

NUMBERS = {
    "platform-missing": "MV101",
    "platform-unexpected": "MV102",
    "platform-duplicate": "MV103",
    "entry-without-platform": "MV104",
    "not-a-list": "MV105",
    "platform-name": "MV106",
    "nested-list": "MV107",
    "manifest-missing": "MV201",
    "digest-mismatch": "MV202",
    "size-mismatch": "MV203",
    "media-type-mismatch": "MV204",
    "blob-missing": "MV205",
    "layer-digest-mismatch": "MV206",
    "layer-count-or-diff-id": "MV207",
    "media-type-risk": "MV208",
    "config-platform-mismatch": "MV301",
    "same-content-on-two-platforms": "MV302",
    "base-of-other-platform": "MV303",
    "built-under-emulation": "MV304",
    "entrypoint-architecture": "MV401",
    "file-architecture": "MV402",
    "interpreter-missing": "MV403",
    "entrypoint-missing": "MV404",
    "instruction-set-level": "MV405",
    "package-database-architecture": "MV406",
    "library-missing": "MV407",
    "attestation-dangling": "MV501",
    "attestation-subject-mismatch": "MV502",
    "attestation-parity": "MV503",
    "config-parity": "MV601",
    "files-differ": "MV602",
    "size-outlier": "MV603",
    "run-failed": "MV701",
    "run-proves-nothing": "MV702",
    "tag-moved": "MV801",
}


def test_the_numbers_are_those_of_the_contract() -> None:
    assert {check.info.name: check.info.id for check in CHECKS} == NUMBERS
    assert len(CHECKS) == len(NUMBERS)
    assert [check.info.id for check in CHECKS] == sorted(NUMBERS.values())


def test_every_file_is_in_the_table() -> None:
    folder = Path(next(iter(checks.__path__)))
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert files == {check.look.__module__.rpartition(".")[2] for check in CHECKS}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.info.id)
def test_documentation(check: Check) -> None:
    info = check.info
    assert info.summary.endswith(".")
    assert len(info.summary) < 140
    paragraphs = [part for part in info.help.split("\n\n") if part.strip()]
    assert len(paragraphs) >= 2, "what it means, and how to mend it"
    assert info.severity in Severity


def test_levels_are_ordered() -> None:
    assert tuple(Level) == LEVELS
    assert reaches(Level.FULL, Level.META)
    assert reaches(Level.EXIST, Level.EXIST)
    assert not reaches(Level.META, Level.EXIST)
