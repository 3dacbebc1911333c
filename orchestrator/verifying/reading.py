"""Reads the list, its manifests and their configurations: at most 1 + 2N + A requests for N images, A attestations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain

from orchestrator.core.image import (
    INDEX_TYPES,
    MANIFEST_TYPES,
    REFERENCE_TYPE,
    Descriptor,
    Document,
    Index,
    Manifest,
)
from orchestrator.registry.media import parse_index, parse_manifest
from orchestrator.verifying.configuration import CONFIG_TYPES, ImageConfig, parse_configuration
from orchestrator.verifying.documents import ContentError, mapping, parse_object, text, texts
from orchestrator.verifying.evidence import Attestation, Entry, Evidence, Fault, FaultKind, Part
from orchestrator.verifying.expectation import Expectation
from orchestrator.verifying.media_types import SCHEMA1
from orchestrator.verifying.source import Source, attempt

KNOWN_TYPES = INDEX_TYPES | MANIFEST_TYPES | SCHEMA1


@dataclass(frozen=True, slots=True)
class _Read:
    """One entry of a list as it was read: an image, an attestation, or the entries of a list inside."""

    image: Entry | None = None
    attestation: Attestation | None = None
    inner: Index | None = None
    ignored: Descriptor | None = None
    faults: tuple[Fault, ...] = ()


def read_image(source: Source, expectation: Expectation, root: Document) -> Evidence:
    """Everything that levels above look into; faults are kept, and what can be read is read."""
    evidence = Evidence(source.reference, expectation, root, is_list=is_list(root), faults=_root_faults(root))
    if not evidence.is_list:
        return _single(source, evidence)
    index, faults = attempt(Part.LIST, root.digest, "", lambda: parse_index(root))
    evidence = replace(evidence, faults=(*evidence.faults, *faults))
    return _walk(source, evidence, index, 0) if index else evidence


def is_list(document: Document) -> bool:
    """Whether a document is a list; where no type is named, its fields say it (the type is optional in image-spec)."""
    if document.media_type in KNOWN_TYPES:
        return document.media_type in INDEX_TYPES
    try:
        return "manifests" in parse_object(document.content)
    except ContentError:
        return False


def _root_faults(root: Document) -> tuple[Fault, ...]:
    """What the first document alone shows: it has to be what it is served as."""
    own = _own_media_type(root)
    if not own or not root.media_type or own == root.media_type:
        return ()
    part = Part.LIST if is_list(root) else Part.MANIFEST
    return (Fault(FaultKind.MEDIA_TYPE, part, root.digest, f"calls itself {own} and is served as {root.media_type}"),)


def _single(source: Source, evidence: Evidence) -> Evidence:
    root = evidence.root
    descriptor = Descriptor(root.media_type, root.digest, len(root.content))
    if root.media_type in SCHEMA1:
        return replace(evidence, ignored=(descriptor,))
    read = _read_image(source, descriptor, root)
    faults = (*evidence.faults, *read.faults)
    return replace(evidence, entries=(read.image,) if read.image else (), faults=faults)


def _walk(source: Source, evidence: Evidence, index: Index, depth: int) -> Evidence:
    """Add the entries of a list, and of the lists inside it."""
    room = source.means.limits.entries - len(evidence.entries) - len(evidence.attestations)
    taken = index.manifests[: max(0, room)]
    reads = source.map(lambda descriptor: _read_entry(source, descriptor), taken)
    evidence = replace(
        evidence,
        entries=(*evidence.entries, *(read.image for read in reads if read.image)),
        attestations=(*evidence.attestations, *(read.attestation for read in reads if read.attestation)),
        ignored=(*evidence.ignored, *(read.ignored for read in reads if read.ignored)),
        faults=(*evidence.faults, *chain.from_iterable(read.faults for read in reads)),
        left_out=evidence.left_out + len(index.manifests) - len(taken),
    )
    for descriptor, read in zip(taken, reads, strict=True):
        if read.inner is not None:
            evidence = replace(evidence, nested=(*evidence.nested, descriptor))
            evidence = _descend(source, evidence, read.inner, depth + 1)
    return evidence


def _descend(source: Source, evidence: Evidence, inner: Index, depth: int) -> Evidence:
    if depth > source.means.limits.nesting:
        return replace(evidence, left_out=evidence.left_out + len(inner.manifests))
    return _walk(source, evidence, inner, depth)


def _read_entry(source: Source, descriptor: Descriptor) -> _Read:
    if descriptor.annotation(REFERENCE_TYPE):
        return _read_attestation(source, descriptor)
    if descriptor.media_type not in INDEX_TYPES | MANIFEST_TYPES:
        return _Read(ignored=descriptor)
    document, faults = _fetch(source, descriptor)
    if document is None:
        return _Read(image=_with_raw(Entry(descriptor)), faults=faults)
    if descriptor.media_type in INDEX_TYPES:
        index, more = attempt(Part.LIST, descriptor.digest, _label(descriptor), lambda: parse_index(document))
        return _Read(inner=index, faults=faults + more)
    read = _read_image(source, descriptor, document)
    return replace(read, faults=faults + read.faults)


def _read_attestation(source: Source, descriptor: Descriptor) -> _Read:
    document, faults = _fetch(source, descriptor)
    if document is None:
        return _Read(attestation=Attestation(descriptor), faults=faults)
    manifest, more = attempt(Part.MANIFEST, descriptor.digest, "", lambda: parse_manifest(document))
    return _Read(attestation=Attestation(descriptor, manifest), faults=faults + more)


def _fetch(source: Source, descriptor: Descriptor) -> tuple[Document | None, tuple[Fault, ...]]:
    """A manifest by its descriptor, which has to tell the truth about size and media type."""
    part = Part.LIST if descriptor.media_type in INDEX_TYPES else Part.MANIFEST
    label = _label(descriptor)
    document, faults = attempt(part, descriptor.digest, label, lambda: source.manifest(descriptor.digest))
    if document is None:
        return None, faults
    found = []
    if descriptor.size >= 0 and descriptor.size != len(document.content):
        detail = f"has {len(document.content)} bytes, the list says {descriptor.size}"
        found.append(Fault(FaultKind.SIZE, part, descriptor.digest, detail, label))
    names = {"calls itself": _own_media_type(document), "is served as": document.media_type}
    for words, name in names.items():
        if name and name != descriptor.media_type:
            detail = f"{words} {name}, the list calls it {descriptor.media_type}"
            found.append(Fault(FaultKind.MEDIA_TYPE, part, descriptor.digest, detail, label))
            break
    return document, tuple(found)


def _read_image(source: Source, descriptor: Descriptor, document: Document) -> _Read:
    label = _label(descriptor)
    manifest, faults = attempt(Part.MANIFEST, descriptor.digest, label, lambda: parse_manifest(document))
    entry = _with_raw(Entry(descriptor, manifest))
    if manifest is None or manifest.config.media_type not in CONFIG_TYPES:
        return _Read(image=entry, faults=faults)
    config, more = _read_config(source, manifest, label)
    return _Read(image=replace(entry, config=config), faults=faults + more)


def _read_config(source: Source, manifest: Manifest, label: str) -> tuple[ImageConfig | None, tuple[Fault, ...]]:
    descriptor, limit = manifest.config, source.means.limits.configuration
    content, faults = attempt(Part.CONFIGURATION, descriptor.digest, label, lambda: source.blob(descriptor, limit))
    if content is None:
        return None, faults
    if descriptor.size not in (-1, len(content)):
        detail = f"has {len(content)} bytes, the manifest says {descriptor.size}"
        faults += (Fault(FaultKind.SIZE, Part.CONFIGURATION, descriptor.digest, detail, label),)
    config, more = attempt(Part.CONFIGURATION, descriptor.digest, label, lambda: parse_configuration(content))
    return config, faults + more


def _own_media_type(document: Document) -> str:
    try:
        return text(parse_object(document.content), "mediaType")
    except ContentError:
        return ""


def _with_raw(entry: Entry) -> Entry:
    """The entry with what core's descriptor leaves out: `os.version` and `os.features`."""
    try:
        platform = mapping(parse_object(entry.descriptor.raw.encode()), "platform")
    except ContentError:
        return entry
    features = frozenset(texts(platform, "os.features"))
    return replace(entry, os_version=text(platform, "os.version"), os_features=features)


def _label(descriptor: Descriptor) -> str:
    return str(descriptor.platform) if descriptor.platform and not descriptor.is_attestation else ""
