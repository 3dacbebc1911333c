"""Reads one layer from the wire to a list of paths with what matters of each, once for all images that share it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.verifying import elf
from orchestrator.verifying.archive import Archive, Kind, Member
from orchestrator.verifying.binary import Binary, read_binary
from orchestrator.verifying.expectation import Limits
from orchestrator.verifying.layers import DamagedLayerError, LayerError, LayerStream
from orchestrator.verifying.node import Detail, Node, NodeKind, Script, Text
from orchestrator.verifying.packages import package_reader

WHITEOUT, OPAQUE = ".wh.", ".wh..wh..opq"
_HEAD = 256
_LARGEST_SCRIPT, _MOST_RUNS, _LONGEST_RUN = 64 << 10, 12, 400
_LARGEST_TEXT, _MOST_LINES = 16 << 10, 200
_LONGEST_PATH, _DEEPEST = 4096, 200
_TEXTS = re.compile(
    r"etc/ld\.so\.conf|etc/ld\.so\.conf\.d/[^/]+\.conf|etc/ld-musl-[^/]+\.path|(?:.*/)?[^/]+\.dist-info/WHEEL"
)
_KINDS = {
    Kind.FILE: NodeKind.FILE,
    Kind.DIRECTORY: NodeKind.DIRECTORY,
    Kind.SYMLINK: NodeKind.SYMLINK,
    Kind.HARDLINK: NodeKind.HARDLINK,
    Kind.OTHER: NodeKind.OTHER,
}


@dataclass(frozen=True, slots=True)
class LayerScan:
    """A layer, read to its end. `damage` is a clause about bytes that are not what they should be, `problems` about
    what no client should accept; empty digests are not known.

    `entries` are in the order of the archive; paths are clean: no `.`, no `..`, no slash at either end. `twice` counts
    files that the archive has more than once. Not `is_whole`: the layer was not read to its end.
    """

    digest: str
    hexdigest: str = ""
    diff_id: str = ""
    packed_size: int = 0
    unpacked_size: int = 0
    entries: tuple[tuple[str, Node], ...] = ()
    damage: str = ""
    problems: tuple[str, ...] = ()
    twice: int = 0
    is_whole: bool = True


def scan_layer(read: Callable[[int], bytes], digest: str, size: int, limits: Limits) -> LayerScan:
    """Read a layer whose manifest announces `size` bytes. Errors of the transport pass through."""
    stream = LayerStream(read, digest, size, limits)
    collected = _Collected(limits)
    damage, problem, is_whole = "", "", True
    try:
        collected.take(Archive(stream))
        stream.drain()
    except LayerError as error:
        is_whole = False
        damage, problem = (str(error), "") if isinstance(error, DamagedLayerError) else ("", str(error))
        _finish(stream)
    if not damage and stream.packed_size < size:
        damage = f"is cut off: {stream.packed_size} of {size} bytes came"
    return LayerScan(
        digest=digest,
        hexdigest=stream.hexdigest,
        diff_id=stream.diff_id if is_whole else "",
        packed_size=stream.packed_size,
        unpacked_size=stream.unpacked_size,
        entries=tuple(collected.entries),
        damage=damage,
        problems=(*collected.problems(), *((problem,) if problem else ())),
        twice=collected.twice,
        is_whole=is_whole,
    )


def _finish(stream: LayerStream) -> None:
    """Read a layer that does not unpack to its end, so that its digest tells whether it was damaged on the way."""
    with contextlib.suppress(LayerError):
        stream.drain_packed()


class _Collected:
    """The entries of an archive, as many as are kept."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._weight = 0
        self._outside: list[str] = []
        self._too_long = 0
        self._seen: set[str] = set()
        self.entries: list[tuple[str, Node]] = []
        self.twice = 0

    def take(self, archive: Archive) -> None:
        """Take in an archive; LayerError where it has more than is kept."""
        for member in archive:
            path, escapes = clean(member.path)
            if escapes:
                self._outside.append(member.path[:200])
            elif len(path) > _LONGEST_PATH or path.count("/") > _DEEPEST or len(member.target) > _LONGEST_PATH:
                self._too_long += 1
            elif path:
                self._add(path, member, archive)

    def problems(self) -> tuple[str, ...]:
        """Clauses about what no client accepts."""
        found = []
        if self._outside:
            more = f" and {len(self._outside) - 1} more" if len(self._outside) > 1 else ""
            found.append(f"writes outside the image: {self._outside[0]}{more}")
        if self._too_long:
            found.append(f"has {self._too_long} paths that no file system takes")
        return tuple(found)

    def _add(self, path: str, member: Member, archive: Archive) -> None:
        if path in self._seen and member.kind is not Kind.DIRECTORY:
            self.twice += 1
        self._seen.add(path)
        name, node = _entry(path, member, archive)
        self.entries.append((name, node))
        self._weight += 200 + len(name) + len(node.target) + weight(node.detail)
        if len(self.entries) > self._limits.layer_entries or self._weight > self._limits.layer_weight:
            raise LayerError(f"has too many files: more than {len(self.entries) - 1:,}")


def weight(detail: Detail) -> int:
    """About how many bytes of memory a detail takes."""
    match detail:
        case Binary():
            return 400 + sum(map(len, (*detail.needed, *detail.search, detail.interpreter)))
        case Script():
            return 200 + sum(map(len, (*detail.interpreter, *detail.runs)))
        case Text():
            return 100 + sum(map(len, detail.lines))
        case _:
            return 100


def clean(path: str) -> tuple[str, bool]:
    """A path without `.`, `..` and outer slashes, and whether it would leave the root."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return "", True
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts), False


def _entry(path: str, member: Member, archive: Archive) -> tuple[str, Node]:
    folder, _, name = path.rpartition("/")
    if name == OPAQUE:
        return folder, Node(NodeKind.OPAQUE)
    if name.startswith(WHITEOUT):
        hidden = name.removeprefix(WHITEOUT)
        return (f"{folder}/{hidden}" if folder else hidden), Node(NodeKind.WHITEOUT)
    detail = _detail(path, member, archive) if member.kind is Kind.FILE and not member.is_sparse else None
    return path, Node(_KINDS[member.kind], member.mode, member.size, member.target, detail)


def _detail(path: str, member: Member, archive: Archive) -> Detail:
    if member.size < 4:
        return None
    reader = package_reader(path)
    if reader is not None:
        return reader(archive.read)
    if _TEXTS.fullmatch(path):
        return _text(archive.read(min(member.size, _LARGEST_TEXT)))
    head = archive.read(min(_HEAD, member.size))
    if head.startswith(elf.MAGIC):
        return read_binary(_prefixed(head, archive.read), member.size)
    if head.startswith(b"#!"):
        rest = archive.read(member.size - len(head)) if member.size <= _LARGEST_SCRIPT and member.mode & 0o111 else b""
        return _script(head + rest)
    return None


def _prefixed(head: bytes, read: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """A reader that gives some bytes first."""
    pending = [head]

    def take(size: int) -> bytes:
        if not pending:
            return read(size)
        first = pending.pop()
        if len(first) > size:
            pending.append(first[size:])
        return first[:size]

    return take


def _script(content: bytes) -> Script | None:
    first, _, body = content.partition(b"\n")
    words = first[2:].decode("utf-8", "replace").strip().split(None, 1)
    if not words:
        return None
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines())
    runs = [line[:_LONGEST_RUN] for line in lines if line.startswith("exec ")]
    return Script(tuple(words), tuple(runs[-_MOST_RUNS:]))


def _text(content: bytes) -> Text:
    lines = (line.strip() for line in content.decode("utf-8", "replace").splitlines())
    return Text(tuple(line for line in lines if line and not line.startswith("#"))[:_MOST_LINES])
