"""A fleet in a folder of its own, built for real: the lab's engine, emulator and registry."""

from __future__ import annotations

import json
import os
import time
import urllib.request
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lab.home import Home
from lab.setting import Lab
from orchestrator.building.options import Doors, Options
from orchestrator.building.run import build
from orchestrator.buildx.build import Buildx
from orchestrator.buildx.process import Processes
from orchestrator.core.event import Event
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Fleet, Place, Publish, Service
from orchestrator.core.image import OCI_INDEX, OCI_MANIFEST, Descriptor, Document, Index
from orchestrator.core.plan import Mode, Node, NodePlatform, Plan
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference
from orchestrator.core.result import Results
from orchestrator.core.retry import RetryPolicy
from orchestrator.planning.plan import Doors as PlanDoors
from orchestrator.planning.plan import Options as PlanOptions
from orchestrator.planning.plan import make_plan
from orchestrator.planning.published import Published, published
from orchestrator.planning.reading import DockerfileRecipes
from orchestrator.planning.select import Selection
from orchestrator.registry.client import RegistryClient
from orchestrator.registry.media import parse_index, parse_manifest

QUICK = RetryPolicy(attempts=4, first_pause=0.05, longest_pause=0.2)


def no_findings(service: Service, reference: Reference, platforms: tuple[Platform, ...]) -> tuple[Finding, ...]:
    return ()


@dataclass
class Yard:
    """Services that a test writes down, and everything that builds them. `host` may be a proxy before the registry."""

    folder: Path
    environment: dict[str, str]
    host: str
    prefix: str
    services: list[Service] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    publish: Publish = field(default_factory=Publish)
    nodes: tuple[Node, ...] = ()

    def __post_init__(self) -> None:
        self.store = RegistryClient((), self.environment, policy=QUICK).without_mirrors()
        both = (NodePlatform(LINUX_AMD64, Mode.NATIVE, "lab"), NodePlatform(LINUX_ARM64, Mode.EMULATED, "lab"))
        self.nodes = (Node("here", self.environment["BUILDX_BUILDER"], "remote", platforms=both),)

    def image(self, name: str) -> str:
        return f"{self.host}/{self.prefix}/{name}"

    def service(self, name: str, dockerfile: str, files: dict[str, str] | None = None, **more: Any) -> Service:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "Dockerfile").write_text(dockerfile.replace("PREFIX", f"{self.host}/{self.prefix}"))
        for path, text in (files or {}).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        fields: dict[str, Any] = {
            "name": name,
            "place": Place(str(self.folder / "mabuild.yaml"), 1, 1),
            "images": (Reference.parse(self.image(name)),),
            "tags": ("latest",),
            "platforms": (LINUX_AMD64, LINUX_ARM64),
            "context": folder,
            "dockerfile": folder / "Dockerfile",
        }
        service = Service(**{**fields, **more})
        self.services = [*(one for one in self.services if one.name != name), service]
        return service

    def put_base(self, name: str, tag: str) -> None:
        """An index of two platforms in the place of a base image, where no engine pulls it."""
        platforms = [{"os": "linux", "architecture": one} for one in ("amd64", "arm64")]
        entries = [
            {"mediaType": OCI_MANIFEST, "digest": f"sha256:{digit * 64}", "size": 2, "platform": platform}
            for digit, platform in zip("12", platforms, strict=True)
        ]
        content = json.dumps({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": entries}).encode()
        self.store.put_manifest(Reference.parse(f"{self.image(name)}:{tag}"), Document.of(OCI_INDEX, content))

    def plan(self, *names: str, platforms: tuple[Platform, ...] = ()) -> Plan:
        fleet = Fleet(tuple(self.services), publish=self.publish)
        doors = PlanDoors(lambda: self.nodes, self._ask, DockerfileRecipes(fleet))
        return make_plan(fleet, Selection(names, platforms), doors, PlanOptions())

    def _ask(self, reference: Reference) -> Published:
        """Images of Docker Hub are in the lab's registry, which is the engine's mirror."""
        lab = self.environment["MABUILD_LAB_REGISTRY"]
        return published(
            self.store, replace(reference, registry=lab) if reference.registry == "docker.io" else reference
        )

    def doors(self, **more: Any) -> Doors:
        doors = Doors(
            builder=Buildx(self.environment, Processes()),
            store=self.store,
            verify=no_findings,
            clock=time.monotonic,
            now=lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            sleep=time.sleep,
        )
        return replace(doors, **more)

    def options(self, **more: Any) -> Options:
        journal = self.folder / "journal.jsonl"
        return replace(Options(journal=journal, keep_going=True, retry=QUICK), **more)

    def build(self, plan: Plan | None = None, doors: Doors | None = None, **options: Any) -> Results:
        self.events.clear()
        return build(plan or self.plan(), self.options(**options), doors or self.doors(), self.events.append)

    def digest(self, name: str, tag: str = "latest") -> str:
        return self.store.resolve(Reference.parse(f"{self.image(name)}:{tag}")).digest

    def index(self, name: str, tag: str = "latest") -> Index:
        return parse_index(self.store.manifest(Reference.parse(f"{self.image(name)}:{tag}")))

    def images(self, reference: Reference) -> list[str]:
        """The digests of the images of an index."""
        entries = parse_index(self.store.manifest(reference)).manifests
        return [entry.digest for entry in entries if not entry.is_attestation]

    def layers(self, reference: Reference, image: str) -> tuple[Descriptor, ...]:
        return parse_manifest(self.store.manifest(reference.with_digest(image))).layers

    def forget_blob(self, reference: Reference, digest: str) -> None:
        """Delete a blob from the repository, as a clumsy garbage collector would."""
        url = f"http://{reference.registry}/v2/{reference.repository}/blobs/{digest}"
        with urllib.request.urlopen(urllib.request.Request(url, method="DELETE")) as answer:
            assert answer.status == 202

    def outcomes(self, results: Results) -> dict[str, str]:
        return {str(cell.id): cell.outcome.value for cell in results.cells}


@pytest.fixture(scope="session")
def lab_environment() -> dict[str, str]:
    return {**os.environ, **Lab.load(Home.from_environment(os.environ)).environment}


@pytest.fixture
def yard(lab_environment: dict[str, str], tmp_path: Path) -> Yard:
    prefix = f"building/{uuid.uuid4().hex[:12]}"
    return Yard(tmp_path, lab_environment, lab_environment["MABUILD_LAB_REGISTRY"], prefix)
