"""Values for later steps of a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.report.step_outputs import add_step_outputs


def test_values_of_several_lines_are_kept_and_appended(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_text("before=1\n")
    add_step_outputs(str(path), {"tags": "a\nb", "none": ""}, "end-7")
    assert path.read_text() == "before=1\ntags<<end-7\na\nb\nend-7\nnone<<end-7\n\nend-7\n"


def test_a_value_cannot_set_another_output(tmp_path: Path) -> None:
    path = tmp_path / "output"
    with pytest.raises(ValueError, match="delimiter"):
        add_step_outputs(str(path), {"tag": "x\nend-7\nadmin<<end-7\nyes"}, "end-7")
    assert not path.exists()


def test_outside_of_a_job_nothing_is_written() -> None:
    add_step_outputs("", {"a": "b"}, "end")
