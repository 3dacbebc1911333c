"""One job: its steps one after another, those of composite actions among them, with fresh environment files each."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.workflows.expressions import Functions, filled_in, holds, text
from tests.workflows.stand_ins import STAND_INS, Place

_ASSIGNMENT = re.compile(r"^([^=<\n]+?)(?:=(.*)|<<(.+)\n((?s:.*?))^\3)$", re.MULTILINE)
_LIMIT = 240


@dataclass(slots=True)
class JobRun:
    """How a job ended. `log` is what its steps printed, `summary` what they wrote for the summary page."""

    name: str
    result: str = "success"
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""
    summary: str = ""
    used: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(slots=True)
class Job:
    """A job that is being run."""

    name: str
    written: Mapping[str, Any]
    contexts: Mapping[str, Any]
    place: Place
    root: Path
    done: JobRun = field(init=False)

    def __post_init__(self) -> None:
        self.done = JobRun(self.name, used=self.place.used)

    def run(self) -> JobRun:
        """Run all steps."""
        runner = {"temp": str(self.place.temporary), "os": "Linux"}
        contexts = {**self.contexts, "runner": runner, "env": {}}
        began = time.monotonic()
        steps = self._steps(self.written["steps"], contexts)
        outputs = filled_in(self.written.get("outputs", {}), {**contexts, "steps": steps})
        self.done.outputs = {name: text(value) for name, value in outputs.items()}
        self.done.seconds = time.monotonic() - began
        return self.done

    def _steps(self, written: list[dict[str, Any]], contexts: Mapping[str, Any]) -> dict[str, Any]:
        steps: dict[str, Any] = {}
        failed = False
        for step in written:
            inside = {**contexts, "steps": steps}
            if not holds(step.get("if"), inside, _status(failed=failed)):
                continue
            outputs, good = self._step(step, inside)
            failed = failed or not good
            if "id" in step:
                steps[step["id"]] = {"outputs": outputs, "outcome": "success" if good else "failure"}
        if failed:
            self.done.result = "failure"
        return steps

    def _step(self, step: Mapping[str, Any], contexts: Mapping[str, Any]) -> tuple[dict[str, str], bool]:
        if "run" in step:
            return self._script(step, contexts)
        name, given = step["uses"], filled_in(step.get("with", {}), contexts)
        inputs = {key: text(value) for key, value in given.items()}
        if name.startswith("$/"):
            return self._composite(self.root / name.removeprefix("$/"), inputs, contexts)
        action, _, pin = name.partition("@")
        assert re.fullmatch("[0-9a-f]{40}", pin), f"{name} is not pinned"
        self.place.used.append((action, inputs))
        return STAND_INS[action](self.place, inputs), True

    def _composite(
        self, folder: Path, given: Mapping[str, str], contexts: Mapping[str, Any]
    ) -> tuple[dict[str, str], bool]:
        written = yaml.safe_load((folder / "action.yml").read_text())
        unknown = set(given) - set(written["inputs"])
        assert not unknown, f"the action has no inputs {unknown}"
        inputs = {name: text(one.get("default", "")) for name, one in written["inputs"].items()} | dict(given)
        inside = {
            "github": {**contexts["github"], "action_path": str(folder)},
            "runner": contexts["runner"],
            "inputs": inputs,
        }
        before, self.done.result = self.done.result, "success"
        steps = self._steps(written["runs"]["steps"], inside)
        good = self.done.result == "success"
        self.done.result = before if good else "failure"
        outputs = {name: one["value"] for name, one in written["outputs"].items()}
        return {name: text(value) for name, value in filled_in(outputs, {**inside, "steps": steps}).items()}, good

    def _script(self, step: Mapping[str, Any], contexts: Mapping[str, Any]) -> tuple[dict[str, str], bool]:
        """`run`, which holds no expression: values come through `env`."""
        assert "${{" not in step["run"], "an expression in a script could be code"
        assert step["shell"] == "bash"
        files = {name: self.place.temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("")
        variables = {
            **_SYSTEM,
            **self.place.environment,
            **_of_github(contexts["github"]),
            **{name: str(path) for name, path in files.items()},
            "RUNNER_TEMP": str(self.place.temporary),
            "MABUILD_CACHE": str(self.place.temporary / "cache"),
            **{name: text(value) for name, value in filled_in(step.get("env", {}), contexts).items()},
        }
        folder = self.place.workspace / text(filled_in(step.get("working-directory", "."), contexts))
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command,
            cwd=folder,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_LIMIT,
            check=False,
        )
        self.done.log += f"--- {step.get('name', '')}\n{done.stdout}"
        self.done.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        return assignments(files["GITHUB_OUTPUT"].read_text()), done.returncode == 0


_SYSTEM = {
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    "HOME": os.environ.get("HOME", "/"),
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "TERM": "dumb",
    "LANG": "C.UTF-8",
}


def _status(*, failed: bool) -> Functions:
    return {
        "success": lambda: not failed,
        "failure": lambda: failed,
        "cancelled": lambda: False,
        "always": lambda: True,
    }


def _of_github(github: Mapping[str, Any]) -> dict[str, str]:
    names = ("repository", "ref", "ref_name", "ref_type", "sha", "head_ref", "event_name", "action_path")
    return {f"GITHUB_{name.upper()}": text(github.get(name)) for name in names}


def assignments(content: str) -> dict[str, str]:
    """What a step wrote to its environment file."""
    found = _ASSIGNMENT.finditer(content)
    return {one[1]: one[2] if one[3] is None else one[4].removesuffix("\n") for one in found}
