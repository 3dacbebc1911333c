"""A builder that pushes small images without an engine: for what takes hundreds of cells, or failures on demand."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Flag
from threading import Lock

from orchestrator.buildx.build import BuildFailedError, BuildRequest, Built, Limits
from orchestrator.buildx.output import PushByDigest
from orchestrator.buildx.process import StoppedError
from orchestrator.buildx.progress import StepFailure
from orchestrator.core.event import Listener
from orchestrator.core.image import (
    ATTESTATION,
    OCI_INDEX,
    OCI_MANIFEST,
    REFERENCE_DIGEST,
    REFERENCE_TYPE,
    Document,
    sha256,
)
from orchestrator.core.reference import Reference
from orchestrator.registry.store import WritableStore


@dataclass
class SimulatedBuilder:
    """`seconds` says how long a build takes; a task in `failing` fails. `salt` makes equal inputs differ."""

    store: WritableStore
    seconds: Callable[[str], float] = lambda _: 0.0
    failing: set[str] = field(default_factory=set)
    salt: str = ""
    built: list[str] = field(default_factory=list)
    requests: list[BuildRequest] = field(default_factory=list)
    running: set[str] = field(default_factory=set)
    most: dict[str, int] = field(default_factory=dict)
    stopped: Flag = field(default_factory=Flag)
    lock: Lock = field(default_factory=Lock)

    def build(self, request: BuildRequest, listener: Listener, limits: Limits) -> Built:
        with self.lock:
            self.requests.append(request)
            self.running.add(request.task)
            self.most["all"] = max(self.most.get("all", 0), len(self.running))
        try:
            if self.stopped.wait(self.seconds(request.task)):
                raise StoppedError("stopped")
            if request.task in self.failing:
                raise BuildFailedError(
                    StepFailure("[2/2] RUN false", "process did not complete: exit code: 1", ("no",))
                )
            digest = self._push(request)
        finally:
            with self.lock:
                self.running.discard(request.task)
        self.built.append(request.task)
        return Built(digest)

    def stop(self) -> None:
        self.stopped.set()

    def _push(self, request: BuildRequest) -> str:
        assert isinstance(request.output, PushByDigest)
        content = "".join(path.read_text() for path in sorted(Path(request.context).iterdir()) if path.is_file())
        parts = [request.task, content, repr(request.args), repr(request.contexts), self.salt]
        image = _manifest(sha256("|".join(parts).encode()))
        attestation = _manifest(sha256(f"{image.digest} {time.time_ns()}".encode()))
        index = _index(request, image, attestation)
        for name in request.output.repositories:
            for document in (image, attestation, index):
                self.store.put_manifest(Reference.parse(name).with_digest(document.digest), document)
        return index.digest


def _manifest(config: str) -> Document:
    empty = {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": config, "size": 2}
    fields = {"schemaVersion": 2, "mediaType": OCI_MANIFEST, "config": empty, "layers": []}
    return Document.of(OCI_MANIFEST, json.dumps(fields).encode())


def _index(request: BuildRequest, image: Document, attestation: Document) -> Document:
    platform = {"architecture": request.platform.architecture, "os": request.platform.os}
    unknown = {"architecture": "unknown", "os": "unknown"}
    notes = {REFERENCE_TYPE: ATTESTATION, REFERENCE_DIGEST: image.digest}
    manifests = [
        {"mediaType": OCI_MANIFEST, "digest": image.digest, "size": len(image.content), "platform": platform},
        {
            "mediaType": OCI_MANIFEST,
            "digest": attestation.digest,
            "size": len(attestation.content),
            "annotations": notes,
            "platform": unknown,
        },
    ]
    fields = {"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": manifests}
    return Document.of(OCI_INDEX, json.dumps(fields, indent=2).encode())
