"""`mabuild verify` beside crane, skopeo and buildx: requests, bytes, seconds, memory (needs Debian's tools).

Two images of two platforms, in a registry of its own with an access log: a small one, and one with about 500 MiB a
platform of this machine's programs and libraries (those of the arm64 one with their ELF headers rewritten).
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from orchestrator.core.image import OCI_CONFIG, OCI_INDEX, OCI_MANIFEST, Document, sha256
from orchestrator.core.reference import Reference
from orchestrator.registry.client import RegistryClient

if TYPE_CHECKING:
    from typing_extensions import Buffer

_LARGE = 500 << 20
_SMALL = 1 << 20
_CONFIG = """version: 0.1
log: {{level: error, accesslog: {{disabled: false}}}}
storage: {{filesystem: {{rootdirectory: {root}}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""
_ACCESS = re.compile(r'"(?:GET|HEAD) /v2/\S* HTTP/1\.[01]" \d+ (\d+|-)')


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call cost."""

    requests: int
    received: int
    seconds: float
    cpu: float
    memory: int
    code: int


@contextmanager
def registry(folder: Path) -> Iterator[tuple[str, Path]]:
    """A registry that writes down every request; its address and its log."""
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        port = probe.getsockname()[1]
    (folder / "config.yml").write_text(_CONFIG.format(root=folder / "data", port=port))
    log = folder / "access.log"
    with log.open("wb") as output:
        command = ["docker-registry", "serve", str(folder / "config.yml")]
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        while subprocess.run(
            ["curl", "-fs", f"http://localhost:{port}/v2/"], check=False, capture_output=True
        ).returncode:
            time.sleep(0.1)
        yield f"localhost:{port}", log
    finally:
        server.terminate()
        server.wait()


class _Packed(io.RawIOBase):
    """A file that packs what is written to it, and hashes it before."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._packer = zlib.compressobj(1, wbits=31)
        self._hash = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: Buffer) -> int:
        self._hash.update(content)
        self._output.write(self._packer.compress(content))
        return len(memoryview(content))

    def finish(self) -> str:
        """Write the rest; the digest of what was packed."""
        self._output.write(self._packer.flush())
        return f"sha256:{self._hash.hexdigest()}"


def layer(path: Path, architecture: str, size: int) -> str:
    """Write a layer of about so many compressed bytes, and give the digest of its archive."""
    with path.open("wb") as output:
        packed = _Packed(output)
        with tarfile.open(fileobj=packed, mode="w|", bufsize=1 << 20) as tar:
            for name, content in _files(architecture):
                info = tarfile.TarInfo(name)
                info.size, info.mode = len(content), 0o755
                tar.addfile(info, io.BytesIO(content))
                if output.tell() > size:
                    break
        return packed.finish()


def _files(architecture: str) -> Iterator[tuple[str, bytes]]:
    machine = {"amd64": b"\x3e\0", "arm64": b"\xb7\0"}[architecture]
    yield "app", _static(machine)
    for folder in ("/usr/bin", "/usr/lib"):
        for top, _, names in os.walk(folder):
            for name in sorted(names):
                path = Path(top, name)
                if path.is_symlink() or not path.is_file() or path.stat().st_size > 64 << 20:
                    continue
                content = path.read_bytes()
                if content[:5] == b"\x7fELF\x02":
                    content = content[:18] + machine + content[20:]
                yield str(path)[1:], content


def _static(machine: bytes) -> bytes:
    return b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0" + machine + bytes(44)


def push(client: RegistryClient, address: str, name: str, folder: Path, size: int) -> Reference:
    """Push an image of two platforms."""
    repository = Reference.parse(f"{address}/bench/{name}")
    entries = []
    for architecture in ("amd64", "arm64"):
        path = folder / f"{name}-{architecture}"
        diff_id = layer(path, architecture, size)
        digest = _digest_of(path)
        client.put_file(repository, path, digest)
        config = (
            f'{{"architecture":"{architecture}","os":"linux","config":{{"Entrypoint":["/app"]}},'
            f'"rootfs":{{"type":"layers","diff_ids":["{diff_id}"]}}}}'
        ).encode()
        client.put_blob(repository, config)
        manifest = (
            f'{{"schemaVersion":2,"mediaType":"{OCI_MANIFEST}","config":{{"mediaType":"{OCI_CONFIG}",'
            f'"digest":"{sha256(config)}","size":{len(config)}}},"layers":[{{"mediaType":'
            f'"application/vnd.oci.image.layer.v1.tar+gzip","digest":"{digest}","size":{path.stat().st_size}}}]}}'
        ).encode()
        client.put_manifest(repository.with_digest(sha256(manifest)), Document.of(OCI_MANIFEST, manifest))
        entries.append(
            f'{{"mediaType":"{OCI_MANIFEST}","digest":"{sha256(manifest)}","size":{len(manifest)},'
            f'"platform":{{"os":"linux","architecture":"{architecture}"}}}}'
        )
        path.unlink()
    index = f'{{"schemaVersion":2,"mediaType":"{OCI_INDEX}","manifests":[{",".join(entries)}]}}'.encode()
    client.put_manifest(repository.with_tag("1"), Document.of(OCI_INDEX, index))
    return repository.with_tag("1")


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def measure(command: list[str], log: Path, environment: dict[str, str]) -> Cost:
    """Run a command once; memory is the largest resident size that was seen of it and of what it started."""
    start = log.stat().st_size
    before = os.times()
    began = time.perf_counter()
    peak = 0
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while child.poll() is None:
        peak = max(peak, *map(_peak, _family(child.pid)), 0)
        time.sleep(0.01)
    seconds = time.perf_counter() - began
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    time.sleep(0.2)
    with log.open("rb") as file:
        file.seek(start)
        hits = _ACCESS.findall(file.read().decode("utf-8", "replace"))
    received = sum(int(size) for size in hits if size.isdigit())
    return Cost(len(hits), received, seconds, cpu, peak, child.returncode)


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        children = []
    return [pid, *map(int, children)]


def _peak(pid: int) -> int:
    """VmHWM in bytes: ru_maxrss would count the process that started it."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) << 10 if found else 0


def commands(reference: Reference) -> Iterator[tuple[str, list[str]]]:
    """The calls to compare."""
    verify = [sys.executable, "-m", "orchestrator", "verify", str(reference), "--level"]
    for level in ("meta", "exist", "entrypoint", "full"):
        yield f"mabuild verify --level {level}", [*verify, level]
    yield "mabuild verify --level full, again", [*verify, "full"]
    yield "crane validate --fast", ["crane", "validate", "--fast", "--remote", str(reference)]
    yield "crane validate", ["crane", "validate", "--remote", str(reference)]
    inspect = f"skopeo inspect -n --tls-verify=false --override-arch {{}} docker://{reference}"
    yield "skopeo inspect, per platform", ["sh", "-c", " && ".join(map(inspect.format, ("amd64", "arm64")))]
    imagetools = ["docker", "buildx", "imagetools", "inspect", str(reference)]
    yield "imagetools inspect", imagetools
    yield "imagetools inspect .Image", [*imagetools, "--format", "{{json .Image}}"]


def main() -> None:
    """Print one table an image."""
    lacking = [tool for tool in ("docker-registry", "crane", "skopeo", "curl") if shutil.which(tool) is None]
    if lacking:
        print(f"not run: {', '.join(lacking)} is not here")
        return
    with tempfile.TemporaryDirectory() as folder, registry(Path(folder)) as (address, log):
        client = RegistryClient((), {})
        for name, size in (("small", _SMALL), ("large", _LARGE)):
            reference = push(client, address, name, Path(folder), size)
            print(f"{name}: 2 x {size >> 20} MiB")
            print(f"{'':36}{'requests':>9}{'MB':>9}{'seconds':>9}{'CPU':>7}{'MiB':>6}  exit")
            cache = Path(folder, f"cache-{name}")
            for title, command in commands(reference):
                if not title.endswith("again"):
                    shutil.rmtree(cache, ignore_errors=True)
                cost = measure(command, log, {**os.environ, "MABUILD_CACHE": str(cache)})
                amount = f"{cost.requests:9}{cost.received / 1e6:9.2f}{cost.seconds:9.2f}{cost.cpu:7.2f}"
                print(f"{title:36}{amount}{cost.memory >> 20:6}  {cost.code}", flush=True)


if __name__ == "__main__":
    main()
