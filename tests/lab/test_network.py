"""A bridge's network overlaps nothing that the machine has."""

from __future__ import annotations

import pytest

from lab.errors import LabError
from lab.network import FIRST, LAST, free_number


def test_the_first_free_number_is_taken() -> None:
    assert free_number(["192.0.2.2/24"], ["eth0"]) == FIRST
    assert free_number([f"172.31.{FIRST}.1/24"], []) == FIRST + 1
    assert free_number([], [f"mabuild{FIRST}"]) == FIRST + 1
    assert free_number([f"172.31.{FIRST}.77/25"], []) == FIRST + 1


def test_a_machine_inside_the_whole_range_has_none() -> None:
    with pytest.raises(LabError):
        free_number(["172.16.0.1/12"], [])
    with pytest.raises(LabError):
        free_number([], [f"mabuild{number}" for number in range(FIRST, LAST)])
