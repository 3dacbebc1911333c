"""Every kind of mistake in a manifest: `cases/NAME` holds the manifest and in `expected.txt` what is said about it.

Beside each manifest stand a folder `app` with a Dockerfile and a folder `empty`; there is no git repository.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from orchestrator.core.errors import Exit, ManifestError
from orchestrator.core.finding import Finding, Severity
from orchestrator.manifest.load import load

CASES = sorted(path for path in (Path(__file__).parent / "cases").iterdir() if path.is_dir())
ENVIRONMENT = {"REGISTRY": "ghcr.io/acme", "EMPTY": "", "SECRET": "hunter2"}


def line_of(finding: Finding) -> str:
    related = "".join(f"\n  {other.path}:{other.line}: {other.message}" for other in finding.related)
    return f"{finding.path}:{finding.line}:{finding.column}: {finding.message} [{finding.rule}]{related}\n"


def mistakes(directory: Path) -> tuple[Finding, ...]:
    with pytest.raises(ManifestError) as caught:
        load((), environment=ENVIRONMENT, directory=directory)
    assert caught.value.exit_code is Exit.USAGE
    return caught.value.findings


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_case(case: Path, tmp_path: Path) -> None:
    shutil.copytree(case, tmp_path, dirs_exist_ok=True)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "Dockerfile").write_text("FROM scratch\n")
    (tmp_path / "empty").mkdir()
    found = mistakes(tmp_path)
    text = "".join(map(line_of, found))
    assert text == (case / "expected.txt").read_text()
    assert ENVIRONMENT["SECRET"] not in text
    assert all(finding.severity is Severity.ERROR and finding.line and finding.column for finding in found)
