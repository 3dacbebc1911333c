"""What is remembered of nodes, and for how long."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.buildx.memory import Memory
from orchestrator.buildx.probe import Answer

_ANSWER = Answer("arm64", "x86_64", "/usr/bin/qemu", "linux/amd64", "b", (("model name", "EPYC"),), 0.08)
_DAY = 86400.0


def _memory(path: Path, now: float) -> Memory:
    memory = Memory(path, now, 7 * _DAY)
    memory.load()
    return memory


def _written(path: Path) -> None:
    memory = _memory(path, 1000.0)
    memory.keep("node", {"arm64": _ANSWER})
    memory.save()


def test_what_was_learned_is_known_again_word_for_word(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "probes.json"
    _written(path)
    assert _memory(path, 1000.0 + _DAY).recall("node") == {"arm64": _ANSWER}
    assert _memory(path, 1000.0 + _DAY).recall("other") == {}


@pytest.mark.parametrize("now", [1000.0 + 8 * _DAY, 0.0])
def test_old_answers_and_those_from_the_future_are_forgotten(tmp_path: Path, now: float) -> None:
    _written(tmp_path / "probes.json")
    assert _memory(tmp_path / "probes.json", now).recall("node") == {}


def test_a_missing_emulator_is_remembered_and_a_failure_is_not(tmp_path: Path) -> None:
    memory = _memory(tmp_path / "probes.json", 0.0)
    memory.keep("a", {"arm64": replace(_ANSWER, error="exec format error"), "arm": replace(_ANSWER, error="canceled")})
    assert set(memory.recall("a")) == {"arm64"}


@pytest.mark.parametrize(
    "text",
    ["", "[", "[]", '{"version": 2, "nodes": {}}', '{"version": 1, "nodes": {"node": {"asked": 999, "answers": [1]}}}'],
)
def test_a_file_that_is_something_else_counts_as_empty(tmp_path: Path, text: str) -> None:
    path = tmp_path / "probes.json"
    path.write_text(text)
    assert _memory(path, 1000.0).recall("node") == {}


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    memory = Memory(tmp_path / "file" / "probes.json", 0.0, _DAY)
    memory.keep("node", {"arm64": _ANSWER})
    memory.save()
    assert memory.recall("node") == {"arm64": _ANSWER}


def test_the_file_does_not_grow_without_end(tmp_path: Path) -> None:
    memory = _memory(tmp_path / "probes.json", 1000.0)
    for number in range(300):
        memory.keep(f"node{number}", {"arm64": _ANSWER})
    memory.save()
    assert len(_memory(tmp_path / "probes.json", 1000.0).known) == 200
