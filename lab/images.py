"""Container images from folders, pushed to the lab's registry by plain HTTP: layers, configs, manifests and lists."""

from __future__ import annotations

import hashlib
import json
import subprocess
import zlib
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CREATED = "2026-01-01T00:00:00Z"
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CHUNK = 1 << 20
GZIP = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Layer:
    """A compressed layer on disk; the digests are of the compressed and of the plain tar."""

    file: Path
    digest: str
    plain: str
    size: int

    @classmethod
    def load(cls, file: Path) -> Layer:
        known = json.loads(file.with_suffix(".json").read_text())
        return cls(file, known["digest"], known["plain"], file.stat().st_size)


def pack(folder: Path, file: Path, *, leave_out: Sequence[str] = ()) -> Layer:
    """Write a folder as a layer. The same content gives the same digest."""
    words = ["--sort=name", "--numeric-owner", "--mtime=@0", *(f"--exclude={name}" for name in leave_out)]
    plain, packed, compressor = hashlib.sha256(), hashlib.sha256(), zlib.compressobj(1, zlib.DEFLATED, GZIP)
    unfinished = file.with_suffix(".part")
    tar = subprocess.Popen(["tar", "-C", str(folder), *words, "-c", "."], stdout=subprocess.PIPE)
    with unfinished.open("wb") as out, tar:
        assert tar.stdout is not None  # noqa: S101 - Popen was asked for it
        while chunk := tar.stdout.read(CHUNK):
            plain.update(chunk)
            packed.update(piece := compressor.compress(chunk))
            out.write(piece)
        packed.update(piece := compressor.flush())
        out.write(piece)
    if tar.returncode:
        raise LabError(f"tar of {folder} failed ({tar.returncode})")
    digests = {"digest": f"sha256:{packed.hexdigest()}", "plain": f"sha256:{plain.hexdigest()}"}
    file.with_suffix(".json").write_text(json.dumps(digests))
    unfinished.rename(file)
    return Layer.load(file)


def platform_of(architecture: str) -> dict[str, str]:
    """The platform as docker's own images name it."""
    variant = {"variant": "v8"} if architecture == "arm64" else {}
    return {"architecture": architecture, "os": "linux", **variant}


def config_of(architecture: str, layer: Layer, command: Sequence[str]) -> bytes:
    return _json(
        {
            **platform_of(architecture),
            "created": CREATED,
            "config": {"Env": [PATH], "Cmd": list(command)},
            "rootfs": {"type": "layers", "diff_ids": [layer.plain]},
            "history": [{"created": CREATED, "created_by": "mabuild lab"}],
        }
    )


def _json(value: object) -> bytes:
    return json.dumps(value, indent=2, sort_keys=True).encode()


def digest_of(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository of a registry that speaks plain HTTP without login."""

    host: str
    name: str

    def has(self, tag: str) -> bool:
        status, _, _ = self._ask("HEAD", f"manifests/{tag}", headers={"Accept": f"{INDEX}, {MANIFEST}"})
        return status == 200

    def push_image(self, architecture: str, layer: Layer, command: Sequence[str], tag: str = "") -> dict[str, Any]:
        """The descriptor of the pushed manifest, with its platform."""
        config = config_of(architecture, layer, command)
        self.push_blob(layer.digest, layer.file.read_bytes())
        self.push_blob(digest_of(config), config)
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": {"mediaType": CONFIG, "digest": digest_of(config), "size": len(config)},
            "layers": [{"mediaType": LAYER, "digest": layer.digest, "size": layer.size}],
        }
        return {**self.push_manifest(MANIFEST, manifest, tag), "platform": platform_of(architecture)}

    def push_index(self, manifests: Sequence[Mapping[str, Any]], tag: str) -> dict[str, Any]:
        return self.push_manifest(INDEX, {"schemaVersion": 2, "mediaType": INDEX, "manifests": list(manifests)}, tag)

    def push_manifest(self, media_type: str, value: Mapping[str, Any], tag: str = "") -> dict[str, Any]:
        """The descriptor of what was pushed; without a tag it is pushed by digest."""
        content = _json(value)
        digest = digest_of(content)
        status, _, said = self._ask("PUT", f"manifests/{tag or digest}", content, {"Content-Type": media_type})
        if status != 201:
            raise LabError(f"the registry did not take {self.name}:{tag or digest} ({status})", hint=said[:300])
        return {"mediaType": media_type, "digest": digest, "size": len(content)}

    def push_blob(self, digest: str, content: bytes) -> None:
        if self._ask("HEAD", f"blobs/{digest}")[0] == 200:
            return
        status, location, said = self._ask("POST", "blobs/uploads/")
        if status == 202:
            parts = urlsplit(location)
            joined = f"{parts.path}?{parts.query}&" if parts.query else f"{parts.path}?"
            kind = {"Content-Type": "application/octet-stream"}
            status, _, said = self._ask("PUT", f"{joined}digest={digest}", content, kind)
        if status != 201:
            raise LabError(f"the registry did not take a blob of {self.name} ({status})", hint=said[:300])

    def _ask(
        self, method: str, what: str, content: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Status, Location and the beginning of the body; `what` is a path or a part of this repository."""
        connection = HTTPConnection(self.host, timeout=120)
        try:
            path = what if what.startswith("/") else f"/v2/{self.name}/{what}"
            connection.request(method, path, body=content or None, headers=dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.headers.get("Location", ""), answer.read(4096).decode(errors="replace")
        except OSError as error:
            raise LabError(f"the registry at {self.host} does not answer: {error}") from None
        finally:
            connection.close()
