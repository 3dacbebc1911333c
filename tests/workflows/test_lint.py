"""Workflows and the action pass actionlint and zizmor, and each input and output of the action leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTION = ROOT / ".github/actions/mabuild"
PROGRAMS = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [["actionlint", *map(str, WORKFLOWS)], ["zizmor", "--quiet", "--offline", "--no-progress", str(ROOT / ".github")]],
    ids=lambda command: command[0],
)
def test_linter(command: list[str]) -> None:
    done = subprocess.run(
        [PROGRAMS / command[0], *command[1:]], capture_output=True, text=True, check=False, timeout=60, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", [*WORKFLOWS, ACTION / "action.yml"], ids=lambda path: path.name)
def test_no_expression_stands_in_a_script_and_every_action_is_pinned(path: Path) -> None:
    content = yaml.safe_load(path.read_text())
    jobs = content.get("jobs", {"action": content.get("runs", {})})
    steps = [step for job in jobs.values() for step in job.get("steps", [])]
    assert not [step["run"] for step in steps if "${{" in step.get("run", "")]
    pinned = re.compile(r"\$/\S+|[\w-]+/[\w-]+@[0-9a-f]{40}")
    assert all(pinned.fullmatch(step["uses"]) for step in steps if "uses" in step)


def test_every_input_of_the_action_is_used_and_documented() -> None:
    text = (ACTION / "action.yml").read_text()
    content = yaml.safe_load(text)
    script = (ACTION / "run.sh").read_text()
    for name, one in content["inputs"].items():
        assert one["description"]
        assert f"inputs.{name}" in text.split("runs:", 1)[1] or f"inputs.{name} }}}}" in text
    for name in set(re.findall(r"MABUILD_[A-Z_]+", text)):
        assert name in script


def test_the_script_of_the_action_is_sound() -> None:
    done = subprocess.run(["bash", "-n", ACTION / "run.sh"], capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 0, done.stderr
