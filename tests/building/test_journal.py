"""The journal tells what stands, also when it was cut off in the middle of a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.building.journal import Journal, State, read_journal
from orchestrator.core.errors import UsageError
from orchestrator.core.result import TagMove

A, B, C = (f"sha256:{letter * 64}" for letter in "abc")


def journal(path: Path) -> Journal:
    return Journal(path / "deep" / "journal.jsonl", lambda: "2026-12-01T00:00:00Z")


def test_what_was_moved_and_what_was_about_to_be_stands(tmp_path: Path) -> None:
    written = journal(tmp_path)
    written.write(State.MOVING, TagMove("r.example/a:1", A, B))
    written.write(State.MOVED, TagMove("r.example/a:1", A, B))
    written.write(State.MOVING, TagMove("r.example/b:1", "", C))
    found = read_journal(written.path)
    assert [(entry.move.reference, entry.move.old, entry.move.new) for entry in found] == [
        ("r.example/b:1", "", C),
        ("r.example/a:1", A, B),
    ]


def test_what_was_restored_does_not_stand(tmp_path: Path) -> None:
    written = journal(tmp_path)
    for state in State:
        written.write(state, TagMove("r.example/a:1", A, B))
    assert read_journal(written.path) == ()


def test_two_moves_of_a_tag_go_back_to_the_first(tmp_path: Path) -> None:
    written = journal(tmp_path)
    written.write(State.MOVED, TagMove("r.example/a:1", A, B))
    written.write(State.MOVED, TagMove("r.example/a:1", B, C))
    assert [entry.move for entry in read_journal(written.path)] == [TagMove("r.example/a:1", A, C)]


def test_a_last_line_that_was_cut_off_is_ignored_and_any_other_is_not(tmp_path: Path) -> None:
    written = journal(tmp_path)
    written.write(State.MOVED, TagMove("r.example/a:1", A, B))
    good = written.path.read_text()
    written.path.write_text(f'{good}{{"time": "2026')
    assert len(read_journal(written.path)) == 1
    written.path.write_text(f"nonsense\n{good}")
    with pytest.raises(UsageError, match=":1: this is no line of a journal"):
        read_journal(written.path)


@pytest.mark.parametrize("change", [("r.example/a:1", "r.example/a"), (A, "sha256:short"), ('"moved"', '"flown"')])
def test_a_line_that_names_no_move_is_refused(tmp_path: Path, change: tuple[str, str]) -> None:
    written = journal(tmp_path)
    for _ in range(2):
        written.write(State.MOVED, TagMove("r.example/a:1", A, B))
    written.path.write_text(written.path.read_text().replace(*change))
    with pytest.raises(UsageError, match="no line of a journal"):
        read_journal(written.path)


def test_a_missing_journal_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_journal(tmp_path / "none")
