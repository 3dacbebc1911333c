"""What a manifest says beside its services: nodes, registries, runners and how tags move."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from orchestrator.core.errors import UsageError
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import NodeSpec, Publish, RegistrySettings, Tls
from orchestrator.core.fleet import Pairs as CorePairs
from orchestrator.core.reference import Reference
from orchestrator.manifest.joining import Joined
from orchestrator.manifest.local import local_path
from orchestrator.manifest.mistake import also, mistake, suggestion
from orchestrator.manifest.model import NodeModel
from orchestrator.manifest.source import Source

_DRIVERS = ("docker", "docker-container", "remote", "kubernetes", "cloud")
_NODE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")


class Surroundings:
    """Reads nodes, registries, runners and publishing; `findings` are the mistakes that were met."""

    def __init__(self, joined: Joined, environment: Mapping[str, str]) -> None:
        self.findings: list[Finding] = []
        self._joined = joined
        self._environment = environment

    def nodes(self) -> tuple[NodeSpec, ...]:
        """The nodes of all files."""
        first: dict[str, tuple[Source, int]] = {}
        found = []
        for source, index, model in self._joined.nodes:
            found.append(self._node(source, index, model))
            owner, position = first.setdefault(model.name, (source, index))
            if (owner, position) != (source, index) and model.name:
                related = also(owner.place("nodes", position), "given first here")
                message = f"the node `{source.written('nodes', index, 'name')}` is given twice"
                self.findings.append(source.mistake("duplicate-node", ("nodes", index), message, related=related))
        return tuple(found)

    def _node(self, source: Source, index: int, model: NodeModel) -> NodeSpec:
        self._check_node(source, index, model)
        tls = (self._file(text, source) for text in (model.tls.ca, model.tls.cert, model.tls.key))
        return NodeSpec(
            name=model.name,
            driver=model.driver,
            endpoint=model.endpoint,
            platforms=model.platforms,
            tls=Tls(*tls),
            driver_options=tuple((key, value or "") for key, value in model.driver_opts.items()),
            parallel=model.parallel,
            place=source.place("nodes", index),
        )

    def _check_node(self, source: Source, index: int, model: NodeModel) -> None:
        written = source.written("nodes", index, "driver")
        if not model.name or not _NODE_NAME.fullmatch(model.name):
            self._tell(source, (index, "name"), "a node needs a `name` of letters, digits, _ . -")
        if not model.driver:
            self._tell(source, (index,), f"a node needs a `driver`: {', '.join(_DRIVERS)}")
        elif model.driver not in _DRIVERS:
            near = suggestion(written, _DRIVERS)
            self._tell(source, (index, "driver"), f"buildx has no driver {written}; it has {', '.join(_DRIVERS)}{near}")
        if model.driver == "remote" and not model.endpoint:
            self._tell(source, (index,), "a remote node needs an `endpoint`, as in tcp://10.0.0.7:1234")
        if model.has("tls") and model.driver != "remote":
            self._tell(source, (index, "tls"), "`tls` is for nodes of the driver remote")

    def _tell(self, source: Source, path: tuple[str | int, ...], message: str) -> None:
        self.findings.append(source.mistake("bad-node", ("nodes", *path), message))

    def _file(self, text: str, source: Source) -> str:
        path = local_path(text, source.directory, self._environment) if text else Path()
        return str(path) if text else ""

    def registries(self) -> tuple[RegistrySettings, ...]:
        """How registries are reached."""
        found = []
        for source, host, model in self._joined.registries:
            if not _is_host(host):
                place = source.key_place("registries", host)
                message = f"registries: {host} is no host; write it as in an image name, such as localhost:5000"
                self.findings.append(mistake("bad-host", place, message))
            for index, mirror in enumerate(model.mirrors):
                if not _is_host(mirror):
                    path = ("registries", host, "mirrors", index)
                    self.findings.append(source.mistake("bad-host", path, "a mirror is a host, without scheme"))
            ca = self._file(model.ca, source)
            found.append(RegistrySettings(host, model.http, model.insecure, ca, model.mirrors, model.profile))
        return tuple(found)

    def runners(self) -> CorePairs:
        """Runner labels by prefix of a platform; several labels are joined with commas."""
        return tuple((prefix, ",".join(labels)) for prefix, labels in self._joined.runners)

    def publish(self) -> Publish:
        """How tags move."""
        model = self._joined.publish
        return Publish(model.scope, model.rollback, model.monotonic)


def _is_host(text: str) -> bool:
    try:
        return Reference.parse(f"{text}/some/name").name == f"{text}/some/name"
    except UsageError:
        return False
