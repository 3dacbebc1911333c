"""The command line: help, suggestions, exit codes, and what is imported when."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest

from orchestrator import __version__
from orchestrator.cli import run
from orchestrator.commands import COMMANDS
from orchestrator.commands.session import Session

HEAVY = ("python_on_whales", "docker", "pydantic", "rich", "urllib3", "yaml", "tree_sitter")


def call(*arguments: str, directory: Path = Path()) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    code = run(arguments, Session({"HOME": "/nonexistent"}, directory, out, err))
    return code, out.getvalue(), err.getvalue()


def loaded(arguments: Sequence[str], directory: Path) -> set[str]:
    """The heavy modules that a call of mabuild loads."""
    script = (
        "import sys; from orchestrator.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print('LOADED', *[name for name in {HEAVY!r} if name in sys.modules])"
    )
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=directory)
    return set(done.stdout.rpartition("LOADED")[2].split())


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help")[0] == 0
    text = capsys.readouterr().out
    for name in COMMANDS:
        assert f"  {name} " in text


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(name, "--help")[0] == 0
    assert f"Usage: mabuild {name} " in capsys.readouterr().out


def test_a_typing_error_gets_a_suggestion() -> None:
    code, _, err = call("plam")
    assert code == 2
    assert "Did you mean 'plan'?" in err
    code, _, err = call("plan", "--plattform", "linux/arm64")
    assert code == 2
    assert "--platform" in err


def test_version_loads_nothing_heavy(tmp_path: Path) -> None:
    assert loaded(["--version"], tmp_path) == set()
    assert loaded(["--help"], tmp_path) == set()


def test_audit_loads_neither_docker_nor_pydantic_nor_http(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM --platform=linux/amd64 debian\nRUN curl -O https://x.io/t-linux-amd64\n")
    assert loaded(["audit", "Dockerfile"], tmp_path).isdisjoint({"python_on_whales", "docker", "pydantic", "urllib3"})


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--version")[0] == 0
    assert capsys.readouterr().out == f"mabuild {__version__}\n"


def test_no_manifest_is_a_wrong_call_with_a_next_step(tmp_path: Path) -> None:
    code, out, err = call("plan", "--offline", directory=tmp_path)
    assert code == 2
    assert out == ""
    assert "error: " in err
    assert "hint: " in err


def test_a_fault_is_one_line_and_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("odd")

    monkeypatch.setattr("orchestrator.commands.plan.load_fleet", broken)
    err = StringIO()
    session = Session({"TMPDIR": str(tmp_path)}, tmp_path, StringIO(), err)
    assert run(["plan"], session) == 70
    assert err.getvalue().count("\n") == 1
    (report,) = tmp_path.glob("mabuild-fault-*.md")
    assert "ZeroDivisionError" in report.read_text(encoding="utf-8")


def test_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("orchestrator.commands.plan.load_fleet", interrupted)
    assert call("plan", directory=tmp_path)[0] == 130


def test_a_full_disk_is_told_and_a_reader_that_went_away_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM --platform=linux/amd64 debian\nRUN true\n")
    command = [sys.executable, "-m", "orchestrator", "audit", "."]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "error: cannot write to stdout: No space left on device\n")
    gone, pipe = os.pipe()
    os.close(gone)
    done = subprocess.run(command, cwd=tmp_path, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    os.close(pipe)
    assert (done.returncode, done.stderr) == (1, ""), "the exit code is still the answer"
