"""The builders that mabuild makes: one per node, named after it, made where missing, reused, and removed on request."""

from __future__ import annotations

import re
from collections.abc import Mapping

from orchestrator.buildx.builderfile import Builder, builder_names, copy_node, read_builder
from orchestrator.buildx.process import run
from orchestrator.buildx.sources import PREFIX, NodeSource, builder_name
from orchestrator.core.errors import UnreachableError

_REMOVE_SECONDS = 60.0


def ensure_builder(source: NodeSource, environment: Mapping[str, str], timeout: float) -> None:
    """Make the builder of a node where it is missing or other than asked; UnreachableError where that fails.

    buildx asks the node while it makes the builder; `timeout` is how many seconds a running node may take for that.
    """
    if source.shared:
        copy_node(environment, source.shared, source.node_name, source.builder)
    if not source.makes:
        return
    there = read_builder(environment, source.builder)
    if there is not None and _is_as_asked(there, source):
        return
    if there is not None:
        _run(("rm", "--keep-state", source.builder), environment, _REMOVE_SECONDS)
    try:
        limit = source.driver.boot_seconds if source.driver.starts_itself else timeout
        _run(create_arguments(source), environment, limit)
    except UnreachableError:
        made_meanwhile = read_builder(environment, source.builder)
        if made_meanwhile is None or not _is_as_asked(made_meanwhile, source):
            raise


def create_arguments(source: NodeSource) -> tuple[str, ...]:
    """The arguments of `docker buildx` that make the builder of a node."""
    name = ("--name", source.builder, "--node", source.node_name)
    return ("create", *name, "--driver", source.spec.driver, *source.driver.create(source.spec))


def own_builders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The builders that mabuild made: those of one node that are named after it as `sources` names them."""
    candidates = (read_builder(environment, name) for name in builder_names(environment) if name.startswith(PREFIX))
    return tuple(
        builder.name
        for builder in candidates
        if builder is not None and [builder_name(node.name) for node in builder.nodes] == [builder.name]
    )


def remove_builders(names: tuple[str, ...], environment: Mapping[str, str]) -> None:
    """Remove builders with what they run and keep; those that only borrow another builder's container leave it."""
    for name in names:
        keep = ("--keep-daemon",) if _borrows(name, environment) else ()
        _run(("rm", "--force", *keep, name), environment, _REMOVE_SECONDS)


def _borrows(name: str, environment: Mapping[str, str]) -> bool:
    own = read_builder(environment, name)
    nodes = {node.name for node in own.nodes} if own else set()
    others = (read_builder(environment, other) for other in builder_names(environment) if other != name.lower())
    return any(nodes & {node.name for node in other.nodes} for other in others if other is not None)


def _is_as_asked(there: Builder, source: NodeSource) -> bool:
    if there.driver != source.spec.driver or len(there.nodes) != 1:
        return False
    node = there.nodes[0]
    wanted = dict(source.spec.driver_options)
    tls = {"cacert": source.spec.tls.ca, "cert": source.spec.tls.cert, "key": source.spec.tls.key}
    wanted |= {key: value for key, value in tls.items() if value}
    same_place = not source.spec.endpoint or node.endpoint == source.spec.endpoint
    return same_place and node.name == source.node_name and dict(node.options) == wanted


def _run(arguments: tuple[str, ...], environment: Mapping[str, str], timeout: float) -> None:
    done = run(("docker", "buildx", *arguments), timeout, environment=environment)
    if done.code:
        raise UnreachableError(f"docker buildx {arguments[0]}: {last_line(done.stderr)}")


def last_line(text: str) -> str:
    """The last line that says something, without docker's `ERROR:` or `Error:`; at most 300 characters.

    Of a call over ssh it is what ssh said, which docker puts at the end of a long line.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return "it said nothing"
    said = lines[-1].rpartition("stderr=")[2].strip()
    return re.sub(r"^error:\s+", "", said or lines[-1], flags=re.IGNORECASE)[:300]
