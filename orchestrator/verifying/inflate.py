"""Inflates gzip: by ISA-L where the `isal` package is installed, which takes half the time, else by zlib."""

from __future__ import annotations

import importlib
import zlib
from types import ModuleType
from typing import Protocol, cast

_WRAPPED = 31
"""wbits of a gzip member with its header and checksum."""


class Inflater(Protocol):
    """What `decompressobj` of both modules gives."""

    @property
    def eof(self) -> bool:
        """Whether the end of the member was reached."""
        ...

    @property
    def unused_data(self) -> bytes:
        """What came behind the end."""
        ...

    @property
    def unconsumed_tail(self) -> bytes:
        """What was not looked at, because enough came out."""
        ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Up to so many bytes of content."""
        ...


def module() -> ModuleType:
    """The faster one of the modules that are there."""
    try:
        return importlib.import_module("isal.isal_zlib")
    except ImportError:
        return zlib


_MODULE = module()
INFLATE_ERRORS: tuple[type[Exception], ...] = (zlib.error, _MODULE.error)


def inflater(engine: ModuleType = _MODULE) -> Inflater:
    """A new one, for one member."""
    return cast("Inflater", engine.decompressobj(_WRAPPED))
