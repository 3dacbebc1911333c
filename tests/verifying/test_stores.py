"""The same verdicts whatever holds the image: a layout folder, an archive of it, and the engine."""

from __future__ import annotations

import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from orchestrator.core.fleet import Level
from orchestrator.core.verification import Verdict, Verification
from orchestrator.registry.stores import open_store
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation, Means
from tests.verifying.binaries import program
from tests.verifying.images import AMD64, ARM64, Shelf, attestation, file, image, index, layer, write_layout
from tests.verifying.roots import bad, healthy


def look(place: str, level: Level) -> Verification:
    with open_store(place, settings=(), environment={}) as opened:
        return verify(opened.store, opened.reference, Expectation(level=level), Means())


def put(shelf: Shelf, folder: Path, kind: str) -> str:
    layout = folder / "layout"
    write_layout(shelf, layout)
    if kind == "oci-layout":
        return f"oci-layout:{layout}"
    with tarfile.open(folder / "image.tar", "w") as tar:
        for path in sorted(layout.rglob("*")):
            tar.add(path, str(path.relative_to(layout)), recursive=False)
    return f"oci-archive:{folder / 'image.tar'}"


@pytest.mark.parametrize("kind", ["oci-layout", "oci-archive"])
@pytest.mark.parametrize("level", list(Level))
def test_healthy(tmp_path: Path, kind: str, level: Level) -> None:
    shelf = Shelf()
    entries = [healthy(shelf, AMD64), healthy(shelf, ARM64)]
    digest = index(shelf, *entries, *(attestation(shelf, entry) for entry in entries))
    result = look(put(shelf, tmp_path, kind), level)
    assert bad(result) == []
    assert result.verdict is Verdict.PASS
    assert result.digest == digest


@pytest.mark.parametrize("kind", ["oci-layout", "oci-archive"])
def test_faulty(tmp_path: Path, kind: str) -> None:
    shelf = Shelf()
    wrong = image(shelf, ARM64, [layer(file("bin/app", program("amd64")))])
    gone = layer(file("gone"))
    damaged = layer(file("damaged"))
    index(shelf, image(shelf, AMD64, [gone, damaged]), wrong)
    shelf.remove(shelf.add(gone.content)["digest"])
    shelf.content[shelf.add(damaged.content)["digest"]] = layer(file("other")).content
    result = look(put(shelf, tmp_path, kind), Level.FULL)
    assert {"MV205", "MV401"} <= set(bad(result))
    assert {"MV202", "MV206"} & set(bad(result))
    assert result.verdict is Verdict.FAIL


@pytest.mark.real
def test_the_engines_own_images() -> None:
    name = "localhost:5000/library/busybox:stable"
    subprocess.run(
        ["docker", "pull", "-q", "--platform", "linux/amd64", name], check=True, capture_output=True, timeout=120
    )
    with open_store(f"docker-daemon:{name}", settings=(), environment=dict(os.environ)) as opened:
        means = Means(is_sparse=True)
        result = verify(opened.store, opened.reference, Expectation(level=Level.FULL), means)
    assert [row.platform for row in result.platforms][:1] == [AMD64]
    assert bad(result) in ([], ["MV105"])
    assert result.verdict is Verdict.PASS
