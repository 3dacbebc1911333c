"""Reads the build settings that Go's linker writes into every program (format of debug/buildinfo since Go 1.18)."""

from __future__ import annotations

_MAGIC = b"\xff Go buildinf:"
_INLINE = 2
_STRINGS = 32
_GUARD = 16
KEPT = frozenset({"GOOS", "GOARCH", "GOAMD64", "GOARM", "GOARM64", "GO386", "CGO_ENABLED"})


def read_build_settings(data: bytes) -> tuple[tuple[str, str], ...]:
    """GOARCH, GOAMD64 and the like from the beginning of a program's data segment; empty where there are none."""
    start = data.find(_MAGIC)
    if start < 0 or len(data) < start + _STRINGS or not data[start + 15] & _INLINE:
        return ()
    _, position = _string(data, start + _STRINGS)
    module, _ = _string(data, position)
    if len(module) > 2 * _GUARD and module[-_GUARD - 1 : -_GUARD] == b"\n":
        module = module[_GUARD:-_GUARD]
    lines = module.decode("utf-8", "replace").splitlines()
    settings = (line.removeprefix("build\t").partition("=") for line in lines if line.startswith("build\t"))
    return tuple((key, value[:64]) for key, _, value in settings if key in KEPT)


def _string(data: bytes, position: int) -> tuple[bytes, int]:
    length, shift = 0, 0
    while position < len(data) and shift < 35:
        byte = data[position]
        position += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return data[position : position + length], position + length
