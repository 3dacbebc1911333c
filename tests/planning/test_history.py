"""Durations of earlier builds."""

from __future__ import annotations

import pytest

from orchestrator.core.plan import CellId, Mode
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.core.result import CellResult, Outcome, Record
from orchestrator.planning.history import history_text, read_history, with_results

_API = CellId("api", LINUX_ARM64)
_BASE = CellId("base", LINUX_AMD64)


def _result(cell: CellId, seconds: float, outcome: Outcome = Outcome.BUILT) -> CellResult:
    return CellResult(cell, outcome, mode=Mode.EMULATED, seconds=seconds)


def test_what_was_written_is_read_again() -> None:
    history = {(_API, Mode.EMULATED): 81.5, (_BASE, Mode.NATIVE): 3.0}
    assert read_history(history_text(history)) == history


def test_a_new_duration_moves_the_old_one_half_way() -> None:
    first = with_results({}, [_result(_API, 10.0)])
    assert first == {(_API, Mode.EMULATED): 10.0}
    assert with_results(first, [_result(_API, 20.0)]) == {(_API, Mode.EMULATED): 15.0}


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.SKIPPED, Outcome.UNCHANGED])
def test_cells_that_were_not_built_say_nothing(outcome: Outcome) -> None:
    assert with_results({}, [_result(_API, 10.0, outcome)]) == {}


def test_records_of_other_machines_count() -> None:
    record = Record(_BASE, "", "", (), (), "n", Mode.NATIVE, 7.0, 1, "")
    assert with_results({}, [record]) == {(_BASE, Mode.NATIVE): 7.0}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[]",
        '{"version": 9, "cells": [{"cell": "api@linux/arm64", "mode": "native", "seconds": 1}]}',
        '{"version": 1, "cells": [{"cell": "api@what/is/this/x", "mode": "native", "seconds": 1}]}',
        '{"version": 1, "cells": [{"cell": "api@linux/arm64", "mode": "quick", "seconds": 1}]}',
        '{"version": 1, "cells": [{"cell": "api@linux/arm64", "mode": "native", "seconds": -1}, 7]}',
        '{"version": 1, "cells": [{"cell": "api@linux/arm64", "mode": "native", "seconds": Infinity}]}',
    ],
)
def test_what_is_something_else_is_left_out(text: str) -> None:
    assert read_history(text) == {}
