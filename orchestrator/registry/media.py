"""Reads what registries hold (indexes, manifests, configurations) as tolerantly as image-spec asks, and writes indexes.

Every entry keeps its own bytes as text, so that a list that is made of entries of other lists carries them unchanged.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from orchestrator.core.image import (
    DOCKER_LIST,
    DOCKER_MANIFEST,
    DOCKER_SCHEMA1,
    DOCKER_SCHEMA1_SIGNED,
    INDEX_TYPES,
    MANIFEST_TYPES,
    OCI_INDEX,
    OCI_MANIFEST,
    Descriptor,
    Document,
    Index,
    Manifest,
)
from orchestrator.core.platform import Platform
from orchestrator.core.reference import is_digest
from orchestrator.registry.errors import MalformedError
from orchestrator.registry.json_spans import JsonText, parse_text

MOST_ENTRIES = 10_000
# Schema 1 is asked for too, since a registry that has nothing else would otherwise answer that there is nothing.
_TYPES = (OCI_INDEX, DOCKER_LIST, OCI_MANIFEST, DOCKER_MANIFEST, DOCKER_SCHEMA1_SIGNED, DOCKER_SCHEMA1)
ACCEPTED = ", ".join(_TYPES)
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Config:
    """The part of an image configuration that says where it runs; texts as they are written, empty where not."""

    os: str
    architecture: str
    variant: str
    os_version: str
    diff_ids: tuple[str, ...]

    @property
    def platform(self) -> Platform:
        """The platform in containerd's normal form."""
        return Platform(self.os, self.architecture, self.variant)


def parse(document: Document) -> Index | Manifest:
    """An index or a manifest, by its media type, or by its shape where that says nothing."""
    root = parse_text(document.content)
    if document.media_type in INDEX_TYPES or (
        document.media_type not in MANIFEST_TYPES and "manifests" in root.members
    ):
        return _index(document, root)
    return _manifest(document, root)


def parse_index(document: Document) -> Index:
    """An index (manifest list); MalformedError where the document is none."""
    return _index(document, parse_text(document.content))


def parse_manifest(document: Document) -> Manifest:
    """An image manifest; MalformedError where the document is none."""
    return _manifest(document, parse_text(document.content))


def parse_config(content: bytes) -> Config:
    """An image configuration; MalformedError where the bytes are none."""
    root = parse_text(content).value
    rootfs = root.get("rootfs")
    diff_ids = rootfs.get("diff_ids") if isinstance(rootfs, dict) else ()
    return Config(
        os=_text(root, "os"),
        architecture=_text(root, "architecture"),
        variant=_text(root, "variant"),
        os_version=_text(root, "os.version"),
        diff_ids=tuple(entry for entry in diff_ids if isinstance(entry, str)) if isinstance(diff_ids, list) else (),
    )


def media_type_of(content: bytes, announced: str) -> str:
    """The media type of a manifest or index: as announced, else as it says itself, else by its shape.

    MalformedError where it is neither announced as one nor a JSON object: then it was no registry that answered.
    """
    if announced in INDEX_TYPES | MANIFEST_TYPES or announced.startswith("application/vnd."):
        return announced
    try:
        root = parse_text(content)
    except MalformedError as error:
        said = f" ({announced})" if announced else ""
        raise MalformedError(f"the answer{said} is no manifest", hint="is this address a registry?") from error
    own = _text(root.value, "mediaType")
    return own or (OCI_INDEX if "manifests" in root.members else OCI_MANIFEST)


def index_document(descriptors: Iterable[Descriptor], annotations: Pairs = ()) -> Document:
    """An OCI index of some entries, each with the bytes that it was read with; ValueError for an entry without size.

    The order is kept, except that attestations come after all images, as clients expect them
    (buildkit, attestation-storage.md).
    """
    entries = list(descriptors)
    if len(entries) > MOST_ENTRIES:
        raise ValueError(f"an index of {len(entries)} entries")
    entries.sort(key=lambda descriptor: descriptor.is_attestation)
    texts = ",".join(descriptor_text(descriptor) for descriptor in entries)
    notes = f',"annotations":{json.dumps(dict(annotations), ensure_ascii=False)}' if annotations else ""
    text = f'{{"schemaVersion":2,"mediaType":"{OCI_INDEX}","manifests":[{texts}]{notes}}}'
    return Document.of(OCI_INDEX, text.encode())


def descriptor_text(descriptor: Descriptor) -> str:
    """A descriptor as JSON: its own text where it was read, else made of its fields (image-spec, descriptor.md)."""
    if descriptor.raw:
        return descriptor.raw
    if descriptor.size < 0 or not is_digest(descriptor.digest):
        raise ValueError(f"a descriptor without size or digest: {descriptor.digest}")
    fields: dict[str, object] = {
        "mediaType": descriptor.media_type,
        "digest": descriptor.digest,
        "size": descriptor.size,
    }
    if descriptor.annotations:
        fields["annotations"] = dict(descriptor.annotations)
    if descriptor.artifact_type:
        fields["artifactType"] = descriptor.artifact_type
    if descriptor.platform:
        fields["platform"] = _platform_fields(descriptor.platform)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def descriptor_of(document: Document, platform: Platform | None = None) -> Descriptor:
    """The descriptor of a document."""
    return Descriptor(document.media_type, document.digest, len(document.content), platform)


def _platform_fields(platform: Platform) -> dict[str, str]:
    fields = {"architecture": platform.architecture, "os": platform.os}
    return {**fields, "variant": platform.variant} if platform.variant else fields


def _index(document: Document, root: JsonText) -> Index:
    _refuse_schema1(root.value)
    if not isinstance(root.value.get("manifests", []), list):
        raise MalformedError(f"the index {document.digest} has a `manifests` that is not a list")
    return Index(document, _descriptors(root, "manifests"), _annotations(root.value))


def _manifest(document: Document, root: JsonText) -> Manifest:
    _refuse_schema1(root.value)
    config = root.member("config")
    if config is None:
        raise MalformedError(f"the manifest {document.digest} has no `config`")
    subject = root.value.get("subject")
    return Manifest(
        document=document,
        config=_descriptor(config.value, config.text),
        layers=_descriptors(root, "layers"),
        annotations=_annotations(root.value),
        artifact_type=_text(root.value, "artifactType"),
        subject=_text(subject, "digest") if isinstance(subject, dict) else "",
    )


def _refuse_schema1(root: dict[str, object]) -> None:
    if root.get("schemaVersion") == 1:
        raise MalformedError(
            "it is a manifest of schema 1, which today's engines refuse", hint="build and push the image again"
        )


def _descriptors(root: JsonText, name: str) -> tuple[Descriptor, ...]:
    entries = root.elements(name, MOST_ENTRIES)
    return tuple(_descriptor(entry.value, entry.text) for entry in entries)


def _descriptor(fields: dict[str, object], text: str) -> Descriptor:
    size = fields.get("size")
    urls = fields.get("urls")
    return Descriptor(
        media_type=_text(fields, "mediaType"),
        digest=_text(fields, "digest"),
        size=size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else -1,
        platform=_platform(fields.get("platform")),
        annotations=_annotations(fields),
        artifact_type=_text(fields, "artifactType"),
        urls=tuple(url for url in urls if isinstance(url, str)) if isinstance(urls, list) else (),
        data=_data(_text(fields, "data")),
        raw=text,
    )


def _platform(value: object) -> Platform | None:
    """The platform of an entry; an empty one says nothing and counts as none."""
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, object]", value)
    system, architecture = _text(fields, "os"), _text(fields, "architecture")
    return Platform(system, architecture, _text(fields, "variant")) if system or architecture else None


def _data(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _annotations(fields: dict[str, object]) -> Pairs:
    found = fields.get("annotations")
    if not isinstance(found, dict):
        return ()
    return tuple((_printable(key), _printable(value)) for key, value in found.items() if isinstance(value, str))


def _text(fields: dict[str, object], key: str) -> str:
    value = fields.get(key)
    return _printable(value) if isinstance(value, str) else ""


def _printable(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON may hold and UTF-8 may not."""
    return text.encode("utf-8", "replace").decode()
