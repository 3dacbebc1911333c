"""What was read of an image: the values that every check looks at, and that only the engine makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from orchestrator.core.image import REFERENCE_DIGEST, Descriptor, Document, Manifest
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.verifying.configuration import CONFIG_TYPES, ImageConfig
from orchestrator.verifying.entrypoint import Step
from orchestrator.verifying.expectation import Expectation, RunOutcome
from orchestrator.verifying.filesystem import FileMap
from orchestrator.verifying.scan import LayerScan


class Part(StrEnum):
    """The kinds of content that an image is made of."""

    LIST = "list"
    MANIFEST = "manifest"
    CONFIGURATION = "configuration"
    LAYER = "layer"
    STATEMENT = "statement"


class FaultKind(StrEnum):
    """What can be wrong with content that a descriptor points at. UNREACHABLE is no fault of the image."""

    MISSING = "missing"
    DIGEST = "digest"
    SIZE = "size"
    MEDIA_TYPE = "media type"
    UNREADABLE = "unreadable"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with one piece of content; `detail` is a clause that follows its name."""

    kind: FaultKind
    part: Part
    digest: str
    detail: str
    platform: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list (or the single image) with its manifest and configuration, None where they are not there."""

    descriptor: Descriptor
    manifest: Manifest | None = None
    config: ImageConfig | None = None
    os_version: str = ""
    os_features: frozenset[str] = frozenset()

    @property
    def platform(self) -> Platform | None:
        """The platform that the list claims, or the configuration where the list says nothing."""
        if self.descriptor.platform is not None:
            return self.descriptor.platform
        return self.config.platform if self.config and self.config.architecture else None

    @property
    def label(self) -> str:
        """How findings name the entry."""
        return str(self.platform) if self.platform else short(self.descriptor.digest)

    @property
    def layers(self) -> tuple[Descriptor, ...]:
        """The layers, lowest first."""
        return self.manifest.layers if self.manifest else ()

    @property
    def is_image(self) -> bool:
        """Whether this is something to run; artifacts in a list are none."""
        if self.manifest is None:
            return not self.descriptor.artifact_type
        return self.manifest.config.media_type in CONFIG_TYPES and not self.manifest.artifact_type

    @property
    def layer_digests(self) -> tuple[str, ...]:
        """The digests of the layers, lowest first."""
        return tuple(layer.digest for layer in self.layers)


@dataclass(frozen=True, slots=True)
class Base:
    """An image that a build used, and the platform that it was taken for (empty where the provenance is silent)."""

    name: str
    platform: str


@dataclass(frozen=True, slots=True)
class Statement:
    """An in-toto statement: the type that its layer claims, the one that it has, and the images that it is about.

    Of a provenance: `builder` is the platform of the machine that built, `executed` the architectures on which steps
    ran programs, which is certain only where `steps_known` (mode=max).
    """

    claimed_type: str
    predicate_type: str
    subjects: tuple[str, ...] = ()
    builder: str = ""
    bases: tuple[Base, ...] = ()
    executed: frozenset[str] = frozenset()
    steps_known: bool = False


@dataclass(frozen=True, slots=True)
class Attestation:
    """One of BuildKit's attestation manifests, in either form."""

    descriptor: Descriptor
    manifest: Manifest | None = None
    statements: tuple[Statement, ...] = ()

    @property
    def image(self) -> str:
        """The digest of the image that it speaks of."""
        return self.descriptor.annotation(REFERENCE_DIGEST)

    @property
    def predicate_types(self) -> frozenset[str]:
        """The predicate types that its layers claim."""
        layers = self.manifest.layers if self.manifest else ()
        return frozenset(filter(None, (layer.annotation("in-toto.io/predicate-type") for layer in layers)))


@dataclass(frozen=True, slots=True)
class Content:
    """What is inside one image: its root file system and what it would execute. `unread` are layers not known."""

    entry: Entry
    files: FileMap
    steps: tuple[Step, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A command that was started on one platform; an empty command is the entry point."""

    entry: Entry
    command: tuple[str, ...]
    outcome: RunOutcome


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that was read. `entries` are the images in list order, nested lists laid flat.

    `scans` are the layers that were read, by digest; `contents` the images whose inside was looked at, `runs` what was
    started. `absent` are platforms that a sparse store does not hold.

    `blobs` says of each configuration and layer that was asked for whether it is there; `final_digest` is what the
    tag pointed at when everything was done; `earlier` are the platforms of the list in `Expectation.since`.
    """

    reference: Reference
    expectation: Expectation
    root: Document
    is_list: bool = True
    entries: tuple[Entry, ...] = ()
    attestations: tuple[Attestation, ...] = ()
    nested: tuple[Descriptor, ...] = ()
    ignored: tuple[Descriptor, ...] = ()
    absent: tuple[str, ...] = ()
    left_out: int = 0
    faults: tuple[Fault, ...] = ()
    blobs: Mapping[str, bool] = field(default_factory=dict)
    scans: Mapping[str, LayerScan] = field(default_factory=dict)
    contents: tuple[Content, ...] = ()
    runs: tuple[Run, ...] = ()
    final_digest: str = ""
    earlier: tuple[Platform, ...] = ()

    @property
    def images(self) -> tuple[Entry, ...]:
        """The entries that can be run."""
        return tuple(entry for entry in self.entries if entry.is_image)

    def attestations_of(self, digest: str) -> tuple[Attestation, ...]:
        """The attestations of one image."""
        return tuple(attestation for attestation in self.attestations if attestation.image == digest)

    def provenance_of(self, digest: str) -> Statement | None:
        """The provenance of one image, None where there is none or it was not read."""
        statements = (one for attestation in self.attestations_of(digest) for one in attestation.statements)
        return next((one for one in statements if "provenance" in one.predicate_type), None)

    def sharing(self, layer: str) -> tuple[Entry, ...]:
        """The images that have a layer."""
        return tuple(entry for entry in self.images if layer in entry.layer_digests)


def short(digest: str) -> str:
    """A digest as people can compare it: the algorithm and twelve digits."""
    algorithm, _, value = digest.partition(":")
    return f"{algorithm}:{value[:12]}"
