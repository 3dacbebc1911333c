"""Workflow files: steps, their runners and shells, and where each line of a script stands."""

from __future__ import annotations

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.errors import ManifestError
from orchestrator.manifest.workflow import WorkflowStep, read_workflow

WORKFLOW = """\
name: build
on: {push: {branches: [main]}}
defaults:
  run:
    shell: bash
jobs:
  linux:
    runs-on: ubuntu-24.04
    steps:
      - uses: docker/build-push-action@v6
        with:
          platforms: linux/amd64,linux/arm64
          push: true
      - name: get a tool
        run: |
          set -e

          curl -LO https://example.com/tool-linux-amd64
            indented
      - run: echo one
      - {name: flow, run: "echo two", shell: python}
  arm:
    runs-on: [self-hosted, linux, ARM64]
    defaults: {run: {shell: sh}}
    steps:
      - run: >-
          echo three
          and four

          echo five
      - run: |2
            deeper
          one
  group:
    runs-on: {group: large, labels: [arm64]}
    steps:
      - run: "a\\nb"
      - run: plain words
          that go on
"""


def placed(step: WorkflowStep) -> list[tuple[str, str]]:
    """Each line of a script, and what stands at its place in the file."""
    rows = WORKFLOW.split("\n")
    texts = step.run.removesuffix("\n").split("\n")
    return [(text, rows[line - 1][column - 1 :]) for text, (line, column) in zip(texts, step.lines, strict=True)]


def test_steps() -> None:
    steps = read_workflow(WORKFLOW, "w.yml")
    assert [(step.job, step.name, step.shell, step.place.line) for step in steps] == [
        ("linux", "", "bash", 10),
        ("linux", "get a tool", "bash", 14),
        ("linux", "", "bash", 20),
        ("linux", "flow", "python", 21),
        ("arm", "", "sh", 26),
        ("arm", "", "sh", 31),
        ("group", "", "bash", 37),
        ("group", "", "bash", 38),
    ]
    assert steps[0].uses == "docker/build-push-action@v6"
    assert steps[0].inputs == (("platforms", "linux/amd64,linux/arm64"), ("push", "true"))
    assert (steps[0].run, steps[0].lines) == ("", ())
    assert [step.runs_on for step in (steps[1], steps[4], steps[6])] == [
        ("ubuntu-24.04",),
        ("self-hosted", "linux", "ARM64"),
        ("arm64",),
    ]


def test_places_of_lines() -> None:
    steps = read_workflow(WORKFLOW, "w.yml")
    assert placed(steps[1]) == [
        ("set -e", "set -e"),
        ("", ""),
        ("curl -LO https://example.com/tool-linux-amd64",) * 2,
        ("  indented", "  indented"),
    ]
    assert placed(steps[2]) == [("echo one", "echo one")]
    assert placed(steps[3]) == [("echo two", 'echo two", shell: python}')]
    assert placed(steps[4]) == [("echo three and four", "echo three"), ("echo five", "echo five")]
    assert placed(steps[5]) == [("  deeper", "  deeper"), ("one", "one")]
    assert [line for line, _ in steps[6].lines] == [37, 37]
    assert placed(steps[7]) == [("plain words that go on", "plain words")]


def test_composite_action() -> None:
    text = "runs:\n  using: composite\n  steps:\n    - run: make\n      shell: bash\n"
    (step,) = read_workflow(text, "action.yml")
    assert (step.job, step.runs_on, step.shell, step.lines) == ("", (), "bash", ((4, 12),))


@pytest.mark.parametrize(
    "text", ["", "a", "[]", "jobs: x", "jobs: {a: b}", "jobs: {a: {steps: {b: c}}}", "jobs: {a: {steps: [1]}}"]
)
def test_other_yaml_has_no_steps(text: str) -> None:
    assert read_workflow(text, "w.yml") == ()


@pytest.mark.parametrize("text", ["a: [", "x" * (5 << 20), "[" * 100_000])
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(ManifestError):
        read_workflow(text, "w.yml")


@pytest.mark.parametrize(
    "style",
    ['"' + r"\n" * 400_000 + '"', "'" + "x" * 500_000 + "''" + "x\n\n " * 100_000 + "'"],
    ids=["escapes", "folds"],
)
def test_odd_scripts_take_no_time(style: str) -> None:
    start = time.process_time()
    read_workflow(f"jobs: {{a: {{steps: [{{run: {style}}}]}}}}", "w.yml")
    assert time.process_time() - start < 5


@given(st.lists(st.text(alphabet="ab $\"'#:-", max_size=10), min_size=1, max_size=6), st.sampled_from("|>'\""))
def test_any_script_has_a_place_for_each_line(lines: list[str], style: str) -> None:
    script = "\n".join(lines)
    text = yaml.safe_dump({"jobs": {"a": {"steps": [{"run": script}]}}}, default_style=style, width=20)
    (step,) = read_workflow(text, "w.yml")
    assert step.run == script
    if not script:
        return
    rows = text.split("\n")
    assert len(step.lines) == len(script.removesuffix("\n").split("\n"))
    for place, line in zip(step.lines, script.split("\n"), strict=False):
        assert 1 <= place[0] <= len(rows)
        if "|" in text and line.strip():
            assert rows[place[0] - 1][place[1] - 1 :] == line
