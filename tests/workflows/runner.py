"""Runs workflows as they are written: jobs in order, matrices, reusable workflows, and the `run` steps of all of them.

Each job has a clone, folders and environment files of its own. Third-party actions are replaced by stand-ins.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.workflows.expressions import Functions, filled_in, holds, text
from tests.workflows.job import Job, JobRun
from tests.workflows.stand_ins import Place

_AT_ONCE = 4
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Run:
    """All jobs of a run by their names, in the order in which they ended, and the outputs of the workflow."""

    jobs: dict[str, JobRun]
    outputs: dict[str, Any]
    executed: tuple[str, ...]

    @property
    def result(self) -> str:
        return "failure" if any(job.result == "failure" for job in self.jobs.values()) else "success"


@dataclass(slots=True)
class Runner:
    """`machines` maps the label of a runner to the variables of the machine behind it."""

    folder: Path
    repository: Path
    github: Mapping[str, Any]
    machines: Mapping[str, Mapping[str, str]]
    secrets: Mapping[str, str] = field(default_factory=dict)
    attempt: int = 0
    before: dict[str, JobRun] = field(default_factory=dict)
    redo: frozenset[str] = frozenset()
    jobs: dict[str, JobRun] = field(default_factory=dict)
    executed: list[str] = field(default_factory=list)

    def run(self, workflow: str, inputs: Mapping[str, Any]) -> Run:
        """Run a reusable workflow of this repository from its beginning."""
        return self._attempted(workflow, inputs, frozenset())

    def run_again(self, workflow: str, inputs: Mapping[str, Any], *names: str) -> Run:
        """Run some jobs again, and those that need them; the rest keeps the results of the attempt before."""
        return self._attempted(workflow, inputs, frozenset(names))

    def _attempted(self, workflow: str, inputs: Mapping[str, Any], redo: frozenset[str]) -> Run:
        self.attempt += 1
        self.before, self.redo = (dict(self.jobs) if redo else {}), redo
        self.jobs, self.executed = {}, []
        outputs, _ = self._workflow(workflow, inputs, self.secrets, "")
        return Run(dict(self.jobs), outputs, tuple(self.executed))

    def _workflow(
        self, path: str, given: Mapping[str, Any], secrets: Mapping[str, str], prefix: str
    ) -> tuple[dict[str, Any], str]:
        """The outputs of a reusable workflow, and its result."""
        written = yaml.safe_load((ROOT / path).read_text())
        called = written[True]["workflow_call"]  # YAML 1.1 reads `on` as true
        unknown = set(given) - set(called.get("inputs", {}))
        assert not unknown, f"{path} has no inputs {unknown}"
        defaults = {name: one.get("default") for name, one in called.get("inputs", {}).items()}
        contexts = {"github": self.github, "inputs": {**defaults, **given}, "secrets": secrets}
        jobs: dict[str, dict[str, Any]] = {}
        for name, job in written["jobs"].items():
            jobs[name] = self._job(prefix + name, job, contexts, jobs)
        outputs = {name: one["value"] for name, one in called.get("outputs", {}).items()}
        results = {one["result"] for one in jobs.values()}
        result = next((one for one in ("failure", "success") if one in results), "skipped")
        return filled_in(outputs, {**contexts, "jobs": jobs}), result

    def _job(
        self, name: str, job: Mapping[str, Any], contexts: Mapping[str, Any], done: Mapping[str, dict[str, Any]]
    ) -> dict[str, Any]:
        needs = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
        of_needs = {need: done[need] for need in needs}
        inside = {**contexts, "needs": of_needs}
        ancestors = {done[need]["result"] for need in needs}
        status: Functions = {
            "success": lambda: ancestors <= {"success"},
            "failure": lambda: "failure" in ancestors,
            "cancelled": lambda: False,
            "always": lambda: True,
        }
        if not holds(job.get("if"), inside, status):
            return {"result": "skipped", "outputs": {}}
        if "uses" in job:
            assert job["uses"].startswith("$/")
            given, secrets = (filled_in(job.get(key, {}), inside) for key in ("with", "secrets"))
            outputs, result = self._workflow(job["uses"].removeprefix("$/"), given, secrets, f"{name} / ")
            return {"result": result, "outputs": outputs}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            planned = [self._planned(name, job, {**inside, "matrix": entry}) for entry in _entries(job, inside)]
            runs = list(pool.map(lambda one: one(), planned))
        result = "failure" if any(run.result == "failure" for run in runs) else "success"
        return {"result": result, "outputs": runs[-1].outputs}

    def _planned(self, name: str, job: Mapping[str, Any], contexts: Mapping[str, Any]) -> Callable[[], JobRun]:
        """What runs a job of a matrix, or gives its result of the attempt before."""
        shown = name if not contexts["matrix"] else f"{name} ({text(filled_in(job.get('name', ''), contexts))})"
        assert shown not in self.jobs, f"two jobs are called {shown}"
        needed_again = any(need in self.executed for need in self._needed(contexts))
        if self.before and shown in self.before and shown not in self.redo and not needed_again:
            self.jobs[shown] = self.before[shown]
            return lambda: self.before[shown]
        self.executed.append(shown)
        self.jobs[shown] = JobRun(shown)
        folder = self.folder / f"{self.attempt}-{len(self.executed)}"
        machine = dict(self.machines[filled_in(job["runs-on"], contexts)])
        place = Place(folder / "work", folder / "temporary", machine, self.repository, self.folder / "artifacts")
        for path in (place.temporary, place.artifacts):
            path.mkdir(parents=True, exist_ok=True)

        def run() -> JobRun:
            self.jobs[shown] = Job(shown, job, contexts, place, ROOT).run()
            return self.jobs[shown]

        return run

    def _needed(self, contexts: Mapping[str, Any]) -> list[str]:
        """The names of the jobs, of nested workflows too, that a job needs."""
        return [done for done in self.executed for need in contexts["needs"] if done.split(" ")[0] == need]


def _entries(job: Mapping[str, Any], contexts: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "strategy" not in job:
        return [{}]
    matrix = filled_in(job["strategy"]["matrix"], contexts)
    assert set(matrix) == {"include"}
    assert matrix["include"], "GitHub fails a job whose matrix is empty"
    return list(matrix["include"])


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as a person that is nobody in particular."""
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()
