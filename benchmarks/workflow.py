"""The reusable workflow on the example fleet: its jobs, the longest chain, and what a re-run builds (needs the lab)."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from lab.home import Home
from lab.setting import Lab
from tests.workflows.runner import ROOT, Run, Runner, git

_WORKFLOW = ".github/workflows/multiarch.yml"
_RUNNERS = ("ubuntu-24.04", "ubuntu-24.04-arm")
_AGAIN = "wave-0 / build (all linux/arm64)"


def main() -> None:
    """Print both ways of splitting; one node stands for both runners, so times only compare with each other."""
    lab = dict(Lab.load(Home.from_environment(os.environ)).environment)
    for group_by in ("platform", "cell"):
        with tempfile.TemporaryDirectory() as folder:
            prefix = f"{lab['MABUILD_LAB_REGISTRY']}/workflow/{secrets.token_hex(6)}"
            machine = {**lab, "MABUILD_REGISTRY": prefix}
            runner = Runner(Path(folder), ROOT, _github(), dict.fromkeys(_RUNNERS, machine))
            inputs = {"version": "installed", "group-by": group_by}
            run = runner.run(_WORKFLOW, inputs)
            _show(f"group-by {group_by}", run)
            if group_by == "platform":
                _show(f"re-run of {_AGAIN}", runner.run_again(_WORKFLOW, inputs, _AGAIN))


def _github() -> dict[str, object]:
    sha = git(ROOT, "rev-parse", "HEAD")
    return {"event": {}, "event_name": "push", "repository": "acme/fleet", "ref": "refs/heads/main", "sha": sha}


def _show(title: str, run: Run) -> None:
    built = sum(run.jobs[name].summary.count(" | built | ") for name in run.executed if name.startswith("wave-"))
    print(f"{title}: {run.result}, {len(run.executed)} jobs, longest chain {_chain(run):.1f} s, {built} cells built")
    for name in run.executed:
        print(f"  {name:<48} {run.jobs[name].seconds:6.1f} s")
        if run.jobs[name].result == "failure":
            print(run.jobs[name].log)


def _chain(run: Run) -> float:
    """Jobs of a wave run side by side; the waves, and what is around them, one after another."""
    stages: dict[str, float] = {}
    for name in run.executed:
        stage = name.partition(" ")[0]
        stages[stage] = max(stages.get(stage, 0.0), run.jobs[name].seconds)
    return sum(stages.values())


if __name__ == "__main__":
    main()
