"""Names of cells."""

from __future__ import annotations

import pytest

from orchestrator.core.errors import UsageError
from orchestrator.core.plan import CellId
from orchestrator.core.platform import LINUX_ARM64


def test_a_cell_is_named_by_service_and_platform() -> None:
    assert CellId.parse("api@linux/arm64") == CellId("api", LINUX_ARM64)
    assert str(CellId("api", LINUX_ARM64)) == "api@linux/arm64"


@pytest.mark.parametrize("text", ["", "api", "@linux/arm64", "linux/arm64"])
def test_other_words_are_told_how_a_cell_is_written(text: str) -> None:
    with pytest.raises(UsageError, match="is no cell") as caught:
        CellId.parse(text)
    assert "api@linux/arm64" in caught.value.hint
