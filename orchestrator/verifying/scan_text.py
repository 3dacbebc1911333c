"""A layer's scan as plain data for the cache, and back; what is odd raises ValueError or TypeError."""

from __future__ import annotations

from typing import Any

from orchestrator.verifying.binary import Binary
from orchestrator.verifying.node import Detail, Node, NodeKind, Packages, Script, Text
from orchestrator.verifying.scan import LayerScan

Data = list[Any]


def to_data(scan: LayerScan) -> Data:
    """Lists, texts and numbers only."""
    entries = [
        [path, node.kind.value, node.mode, node.size, node.target, _detail_to(node.detail)]
        for path, node in scan.entries
    ]
    head = [scan.digest, scan.hexdigest, scan.diff_id, scan.packed_size, scan.unpacked_size]
    return [*head, scan.damage, list(scan.problems), scan.twice, entries]


def from_data(data: Data) -> LayerScan:
    """The scan that the data was made of."""
    digest, hexdigest, diff_id, packed, unpacked, damage, problems, twice, entries = data
    return LayerScan(
        digest=str(digest),
        hexdigest=str(hexdigest),
        diff_id=str(diff_id),
        packed_size=int(packed),
        unpacked_size=int(unpacked),
        entries=tuple((str(path), _node(fields)) for path, *fields in entries),
        damage=str(damage),
        problems=tuple(map(str, problems)),
        twice=int(twice),
    )


def _node(fields: Data) -> Node:
    kind, mode, size, target, detail = fields
    return Node(NodeKind(kind), int(mode), int(size), str(target), _detail_from(detail))


def _detail_to(detail: Detail) -> Data | None:
    match detail:
        case Binary():
            head = [detail.machine, detail.bits, detail.little, detail.type, detail.flags, detail.interpreter]
            names = [list(detail.needed), list(detail.search), detail.soname]
            return ["b", *head, *names, detail.level, detail.arm, [list(pair) for pair in detail.go]]
        case Script():
            return ["s", list(detail.interpreter), list(detail.runs)]
        case Packages():
            return ["p", [list(pair) for pair in detail.architectures]]
        case Text():
            return ["t", list(detail.lines)]
        case None:
            return None


def _detail_from(data: Data | None) -> Detail:
    if data is None:
        return None
    kind, *fields = data
    match kind:
        case "b":
            return _binary(fields)
        case "s":
            interpreter, runs = fields
            return Script(tuple(map(str, interpreter)), tuple(map(str, runs)))
        case "p":
            return Packages(tuple((str(name), int(count)) for name, count in fields[0]))
        case "t":
            return Text(tuple(map(str, fields[0])))
        case _:
            raise ValueError(f"no detail is called {kind!r}")


def _binary(fields: Data) -> Binary:
    machine, bits, little, kind, flags, interpreter, needed, search, soname, level, arm, go = fields
    return Binary(
        machine=int(machine),
        bits=int(bits),
        little=bool(little),
        type=int(kind),
        flags=int(flags),
        interpreter=str(interpreter),
        needed=tuple(map(str, needed)),
        search=tuple(map(str, search)),
        soname=str(soname),
        level=int(level),
        arm=int(arm),
        go=tuple((str(key), str(value)) for key, value in go),
    )
