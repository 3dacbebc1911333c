"""What of the lab runs at this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab import bases, emulator
from lab.debian import foreign_architecture
from lab.engine import existing_engine
from lab.nodes import has_builder
from lab.setting import BUILDER

if TYPE_CHECKING:
    from lab.setting import Lab

Line = tuple[str, str, str]


def status_lines(lab: Lab) -> tuple[Line, ...]:
    """Name, `up` or `missing`, and where it is."""
    own = lab.decisions.own_engine
    registry = lab.registry.answers()
    small = registry and not bases.lacking(lab.registry.host, bases.SMALL)
    debian = registry and not (lab.decisions.bases_made and bases.lacking(lab.registry.host, (bases.DEBIAN,)))
    node = not lab.decisions.remote or bool(lab.node.daemon.pid)
    engine = lab.engine.answers() if own else existing_engine({})
    emulated = not own or emulator.ready(foreign_architecture())
    return (
        _line("engine", engine, lab.engine.address if own else "this machine's own"),
        _line("registry", registry, lab.registry.host),
        _line("emulator", emulated, foreign_architecture()),
        _line("node", node, lab.node.endpoint if lab.decisions.remote else "docker-container"),
        _line("builder", has_builder(BUILDER, lab.home.buildx), BUILDER),
        _line("busybox", small, ":".join(bases.BUSYBOX)),
        _line("debian", debian, ":".join(bases.DEBIAN) if lab.decisions.bases_made else "from its usual place"),
    )


def _line(name: str, is_up: bool, detail: str) -> Line:
    return name, "up" if is_up else "missing", detail
