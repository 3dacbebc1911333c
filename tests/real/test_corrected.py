"""The faulty example, once fixed, builds for both platforms, and its files are of the right architecture."""

from __future__ import annotations

import http.server
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.real.lab import mabuild, registry, skopeo

pytestmark = pytest.mark.real
FAULTY = Path(__file__).parent.parent.parent / "dockerfiles" / "faulty" / "Dockerfile"
MACHINES = {"amd64": (62, "EM_X86_64"), "arm64": (183, "EM_AARCH64")}


def program(machine: int) -> bytes:
    """The head of an ELF program for a machine (System V ABI, figure 4-3), and nothing behind it."""
    head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    return head + (2).to_bytes(2, "little") + machine.to_bytes(2, "little") + (1).to_bytes(4, "little") + bytes(40)


class Downloads(http.server.BaseHTTPRequestHandler):
    """Serves `…/linux/ARCHITECTURE/kubectl` for both architectures, as the real server does."""

    def do_GET(self) -> None:
        architecture = self.path.split("/")[-2]
        content = program(MACHINES[architecture][0])
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def downloads() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Downloads)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def files(reference: str, architecture: str, folder: Path) -> dict[str, bytes]:
    """The files of an image on a platform that matter here, taken apart without mabuild."""
    copy = ("copy", "--src-tls-verify=false", "--override-arch", architecture, "--override-os", "linux")
    skopeo(*copy, f"docker://{reference}", f"dir:{folder}")
    found: dict[str, bytes] = {}
    for layer in json.loads((folder / "manifest.json").read_text())["layers"]:
        with tarfile.open(folder / layer["digest"].removeprefix("sha256:")) as archive:
            for member in archive:
                if member.name.lstrip("./") in {"usr/local/bin/kubectl", "usr/local/bin/busybox"}:
                    content = archive.extractfile(member)
                    found[Path(member.name).name] = content.read() if content else b""
    return found


def test_the_fixed_example_is_right_on_both_platforms(tmp_path: Path, downloads: str) -> None:
    (tmp_path / "Dockerfile").write_text(FAULTY.read_text(encoding="utf-8"))
    (tmp_path / "mabuild.yaml").write_text(
        f"version: 1\nregistry: {registry()}/corrected\ndefaults: {{emulation: allow}}\n"
        f"services:\n  example: {{image: example, context: ., args: {{DOWNLOADS: '{downloads}'}}}}\n"
    )
    assert mabuild(tmp_path, "audit", "Dockerfile").code == 1
    assert mabuild(tmp_path, "audit", "Dockerfile", "--fix").code == 0
    done = mabuild(tmp_path, "build", "--push", "--progress", "plain")
    assert done.code == 0, done.err
    for architecture, (_, machine) in MACHINES.items():
        folder = tmp_path / architecture
        folder.mkdir()
        found = files(f"{registry()}/corrected/example:latest", architecture, folder)
        assert sorted(found) == ["busybox", "kubectl"]
        for content in found.values():
            assert ELFFile(io.BytesIO(content))["e_machine"] == machine


def test_the_faulty_example_is_wrong_and_verify_says_so(tmp_path: Path, downloads: str) -> None:
    (tmp_path / "Dockerfile").write_text(FAULTY.read_text(encoding="utf-8"))
    (tmp_path / "mabuild.yaml").write_text(
        f"version: 1\nregistry: {registry()}/faulty\ndefaults: {{emulation: allow}}\n"
        f"services:\n  example: {{image: example, context: ., args: {{DOWNLOADS: '{downloads}'}}}}\n"
    )
    done = mabuild(tmp_path, "build", "--push", "--progress", "plain")
    assert done.code == 0, "the build is green: " + done.err
    verified = mabuild(tmp_path, "verify", "--level", "full", "--format", "json")
    assert verified.code == 1
    rules = {finding["rule"] for finding in verified.json["images"][0]["findings"]}
    assert "MV401" in rules, "the entry point of the arm64 image is an amd64 program"
