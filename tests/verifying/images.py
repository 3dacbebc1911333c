"""Makes images for the tests: layers, configurations, manifests, lists and attestations, in memory or as a layout."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from backports import zstd

from orchestrator.core.image import OCI_CONFIG, OCI_INDEX, OCI_MANIFEST, Descriptor, Document, sha256
from orchestrator.core.reference import Reference
from orchestrator.registry.errors import DigestError, NotFoundError

GZIP_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
ZSTD_LAYER = "application/vnd.oci.image.layer.v1.tar+zstd"
PLAIN_LAYER = "application/vnd.oci.image.layer.v1.tar"
DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
IN_TOTO = "application/vnd.in-toto+json"
REFERENCE = Reference.parse("registry.example:5000/team/app:v1")
AMD64, ARM64 = "linux/amd64", "linux/arm64"
Json = dict[str, Any]


@dataclass
class Shelf:
    """A place that holds images, in memory: what a registry would answer, with every request noted."""

    content: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def add(self, content: bytes, media_type: str = "") -> Json:
        """Keep some bytes, and give their descriptor."""
        digest = sha256(content)
        self.content[digest] = content
        self.types[digest] = media_type
        return {"mediaType": media_type, "digest": digest, "size": len(content)}

    def add_json(self, value: Json, media_type: str) -> Json:
        """Keep a JSON document, and give its descriptor."""
        return self.add(json.dumps(value).encode(), media_type)

    def remove(self, digest: str) -> None:
        """Lose some content, as garbage collection does."""
        del self.content[digest]

    def resolve(self, reference: Reference) -> Descriptor:
        """Store.resolve."""
        digest = self._digest(reference)
        self.requests.append(f"HEAD manifest {digest}")
        return Descriptor(self.types[digest], digest, len(self.content[digest]))

    def manifest(self, reference: Reference) -> Document:
        """Store.manifest."""
        digest = self._digest(reference)
        self.requests.append(f"GET manifest {digest}")
        if digest not in self.content:
            raise NotFoundError(f"{reference}: manifest unknown")
        document = Document.of(self.types[digest], self.content[digest])
        if reference.digest and document.digest != reference.digest:
            raise DigestError(f"answered with the bytes of {document.digest}")
        return document

    def blob_size(self, repository: Reference, digest: str) -> int:
        """Store.blob_size."""
        self.requests.append(f"HEAD blob {digest}")
        if digest not in self.content:
            raise NotFoundError(f"{digest}: blob unknown")
        return len(self.content[digest])

    @contextmanager
    def blob(self, repository: Reference, digest: str) -> Iterator[BinaryIO]:
        """Store.blob."""
        self.requests.append(f"GET blob {digest}")
        if digest not in self.content:
            raise NotFoundError(f"{digest}: blob unknown")
        yield io.BytesIO(self.content[digest])

    def _digest(self, reference: Reference) -> str:
        digest = reference.digest or self.tags.get(reference.tag, "")
        if not digest:
            raise NotFoundError(f"{reference}: tag unknown")
        return digest


@dataclass(frozen=True)
class Member:
    """A member of a layer's archive."""

    path: str
    content: bytes = b""
    mode: int = 0o755
    type: bytes = tarfile.REGTYPE
    target: str = ""


def file(path: str, content: bytes = b"", mode: int = 0o755) -> Member:
    """A regular file."""
    return Member(path, content, mode)


def directory(path: str) -> Member:
    """A directory."""
    return Member(path, type=tarfile.DIRTYPE)


def link(path: str, target: str) -> Member:
    """A symbolic link."""
    return Member(path, mode=0o777, type=tarfile.SYMTYPE, target=target)


def hard_link(path: str, target: str) -> Member:
    """A hard link."""
    return Member(path, type=tarfile.LNKTYPE, target=target)


def archive(members: Sequence[Member], kind: int = tarfile.PAX_FORMAT) -> bytes:
    """The tar archive of some members."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=kind) as tar:
        for member in members:
            info = tarfile.TarInfo(member.path)
            info.mode, info.type, info.linkname = member.mode, member.type, member.target
            info.size = len(member.content) if member.type == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(member.content) if info.size else None)
    return buffer.getvalue()


@dataclass(frozen=True)
class Layer:
    """A layer, packed: its descriptor's fields and the digest of what it unpacks to."""

    content: bytes
    media_type: str
    diff_id: str


def layer(*members: Member, media_type: str = GZIP_LAYER) -> Layer:
    """A layer of some members, packed as its media type says."""
    return packed(archive(members), media_type)


def packed(tar: bytes, media_type: str = GZIP_LAYER) -> Layer:
    """A layer of an archive, packed as its media type says."""
    content = tar
    if media_type.endswith("gzip"):
        content = gzip.compress(tar, mtime=0)
    elif media_type.endswith("zstd"):
        content = zstd.compress(tar)
    return Layer(content, media_type, sha256(tar))


def platform_object(text: str) -> Json:
    """`linux/arm64/v8` as the object of a descriptor."""
    return dict(zip(("os", "architecture", "variant"), text.split("/"), strict=False))


def image(
    shelf: Shelf,
    platform: str = AMD64,
    layers: Sequence[Layer] = (),
    *,
    runtime: Json | None = None,
    config: Json | None = None,
    manifest: Json | None = None,
    entry: Json | None = None,
) -> Json:
    """Put an image on the shelf and give its list entry. Fields of each part can be replaced; None removes one."""
    content = {
        **platform_object(platform),
        "config": {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin"], "Entrypoint": ["/bin/app"], **(runtime or {})},
        "rootfs": {"type": "layers", "diff_ids": [one.diff_id for one in layers]},
    }
    config_descriptor = shelf.add_json(_replaced(content, config), OCI_CONFIG)
    body: Json = {
        "schemaVersion": 2,
        "mediaType": OCI_MANIFEST,
        "config": config_descriptor,
        "layers": [shelf.add(one.content, one.media_type) for one in layers],
    }
    body = _replaced(body, manifest)
    descriptor = shelf.add_json(body, body.get("mediaType", OCI_MANIFEST))
    return _replaced({**descriptor, "platform": platform_object(platform)}, entry)


def index(shelf: Shelf, *entries: Json, tag: str = "v1", media_type: str = OCI_INDEX, **fields: Any) -> str:
    """Put a list on the shelf, tag it, and give its digest."""
    body = {"schemaVersion": 2, "mediaType": media_type, "manifests": list(entries)}
    digest: str = shelf.add_json(_replaced(body, fields), media_type)["digest"]
    shelf.tags[tag] = digest
    return digest


def tagged(shelf: Shelf, descriptor: Json, tag: str = "v1") -> str:
    """Tag a manifest that is on the shelf, and give its digest."""
    digest: str = descriptor["digest"]
    shelf.tags[tag] = digest
    return digest


SLSA02 = "https://slsa.dev/provenance/v0.2"
SLSA1 = "https://slsa.dev/provenance/v1"
SPDX = "https://spdx.dev/Document"


def attestation(
    shelf: Shelf,
    about: Json,
    predicates: dict[str, Json] | None = None,
    *,
    artifact: bool = True,
    subject: str = "",
    statement_subject: str = "",
    entry: Json | None = None,
) -> Json:
    """An attestation manifest in BuildKit's new form (an artifact with a subject) or its old one (an image)."""
    predicates = {SLSA02: {}} if predicates is None else predicates
    layers = [
        {
            **shelf.add_json(_statement(kind, body, statement_subject or about["digest"]), IN_TOTO),
            "annotations": {"in-toto.io/predicate-type": kind},
        }
        for kind, body in predicates.items()
    ]
    body: Json = {"schemaVersion": 2, "mediaType": OCI_MANIFEST, "layers": layers}
    if artifact:
        empty = shelf.add(b"{}", "application/vnd.oci.empty.v1+json")
        body["artifactType"] = "application/vnd.docker.attestation.manifest.v1+json"
        body["config"] = {**empty, "data": "e30="}
        body["subject"] = {"mediaType": OCI_MANIFEST, "digest": subject or about["digest"], "size": about["size"]}
    else:
        rootfs = {"type": "layers", "diff_ids": [one["digest"] for one in layers]}
        config = {"architecture": "unknown", "os": "unknown", "config": {}, "rootfs": rootfs}
        body["config"] = shelf.add_json(config, OCI_CONFIG)
    annotations = {
        "vnd.docker.reference.type": "attestation-manifest",
        "vnd.docker.reference.digest": about["digest"],
    }
    descriptor = shelf.add_json(body, OCI_MANIFEST)
    unknown = {"architecture": "unknown", "os": "unknown"}
    return _replaced({**descriptor, "platform": unknown, "annotations": annotations}, entry)


def _statement(kind: str, predicate: Json, subject: str) -> Json:
    algorithm, _, value = subject.partition(":")
    return {
        "_type": "https://in-toto.io/Statement/v0.1",
        "predicateType": kind,
        "subject": [{"name": "pkg:docker/team/app@v1?platform=linux%2Famd64", "digest": {algorithm: value}}],
        "predicate": predicate,
    }


def _replaced(value: Json, changes: Json | None) -> Json:
    """Top-level fields replaced; a value of None takes a field away."""
    return {key: field for key, field in {**value, **(changes or {})}.items() if field is not None}


def write_layout(shelf: Shelf, folder: Path, tag: str = "v1") -> None:
    """Write everything on the shelf as an OCI layout."""
    for digest, content in shelf.content.items():
        path = folder / "blobs" / digest.replace(":", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    root = shelf.tags[tag]
    entry = {
        "mediaType": shelf.types[root],
        "digest": root,
        "size": len(shelf.content[root]),
        "annotations": {"org.opencontainers.image.ref.name": tag},
    }
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}))


def sha512(content: bytes) -> str:
    """The sha512 digest of some bytes."""
    return f"sha512:{hashlib.sha512(content).hexdigest()}"
