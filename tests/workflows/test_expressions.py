"""The evaluator of the test runner, against what GitHub documents."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workflows.expressions import Functions, filled_in, holds
from tests.workflows.job import assignments

CONTEXTS = {"inputs": {"push": True, "none": "", "no": "false"}, "needs": {"plan": {"outputs": {"wave-0-count": "2"}}}}
GOOD: Functions = {"success": lambda: True, "failure": lambda: False, "cancelled": lambda: False}
BAD: Functions = {"success": lambda: False, "failure": lambda: True, "cancelled": lambda: False}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${{ inputs.push }}", True),
        ("${{ inputs.push && '' || 'x' }}", "x"),
        ("${{ !inputs.push && 'a' || 'b' }}", "b"),
        ("${{ inputs.no && 'text false is true' }}", "text false is true"),
        ("${{ inputs.push == 'true' }}", True),
        ("${{ needs.plan.outputs.wave-0-count != '0' }}", True),
        ("${{ needs.gone.outputs.x || 'nothing' }}", "nothing"),
        ("a-${{ inputs.push }}-${{ inputs.none }}", "a-true-"),
        ("${{ join(fromJSON('[1, \"b\"]'), ' ') }}", "1 b"),
        ("${{ 'it''s' }}", "it's"),
        (["${{ inputs.none }}", 3], ["", 3]),
    ],
)
def test_values(written: Any, value: Any) -> None:
    assert filled_in(written, CONTEXTS) == value


def test_a_condition_asks_for_success_where_it_asks_for_no_status() -> None:
    assert holds("inputs.push", CONTEXTS, GOOD)
    assert not holds("inputs.push", CONTEXTS, BAD)
    assert holds("${{ !cancelled() && inputs.push }}", CONTEXTS, BAD)
    assert not holds(None, CONTEXTS, BAD)


def test_environment_files() -> None:
    content = "a=1\nb<<END\nx=2\ny\nEND\nc<<E\n\nE\nd=\n"
    assert assignments(content) == {"a": "1", "b": "x=2\ny", "c": "", "d": ""}
