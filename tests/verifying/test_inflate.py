"""Every engine that inflates gives the same, in pieces of any size."""

from __future__ import annotations

import gzip
import importlib.util
import random
import zlib
from types import ModuleType

import pytest

from orchestrator.verifying.inflate import INFLATE_ERRORS, inflater, module

ENGINES = [zlib, module()]
CONTENT = random.Random(7).randbytes(100_000) + bytes(3_000_000) + b"end"


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize("step", [7, 1000, 10**9])
def test_pieces(engine: ModuleType, step: int) -> None:
    packed = gzip.compress(CONTENT) + b"behind"
    member, found = inflater(engine), []
    for start in range(0, len(packed), step):
        rest = packed[start : start + step]
        while rest and not member.eof:
            found.append(member.decompress(rest, 5000))
            assert len(found[-1]) <= 5000
            rest = member.unconsumed_tail
    assert b"".join(found) == CONTENT
    assert member.eof
    assert b"behind".startswith(member.unused_data)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_damage(engine: ModuleType) -> None:
    packed = bytearray(gzip.compress(CONTENT))
    packed[-6] ^= 1
    member = inflater(engine)
    with pytest.raises(INFLATE_ERRORS):
        member.decompress(bytes(packed), 1 << 30)
    member = inflater(engine)
    member.decompress(bytes(packed[:-20]), 1 << 30)
    assert not member.eof


def test_the_faster_module_is_taken_where_it_is_there() -> None:
    expected = "isal.isal_zlib" if importlib.util.find_spec("isal") else "zlib"
    assert module().__name__ == expected
