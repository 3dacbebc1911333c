"""Images in tar files, well formed and not."""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
from pathlib import Path
from typing import BinaryIO

import pytest

from orchestrator.core.errors import MabuildError, UsageError
from orchestrator.core.image import sha256
from orchestrator.core.reference import Reference
from orchestrator.registry.archive import open_archive, open_archive_file
from orchestrator.registry.errors import MalformedError, NotFoundError
from orchestrator.registry.layout import LayoutStore
from tests.registry.images import make_image
from tests.registry.layouts import layout_files, tar_bytes, write_tar

IMAGE = make_image()
FILES = layout_files(IMAGE)
PLACE = Reference("oci-archive", "x")
TAR = tar_bytes(FILES)


def opened(content: bytes) -> LayoutStore:
    return LayoutStore(open_archive(named_file(content), "the archive"))


def named_file(content: bytes) -> BinaryIO:
    file = tempfile.TemporaryFile()  # noqa: SIM115  # the archive closes it
    file.write(content)
    file.seek(0)
    return file


@pytest.mark.parametrize("prefix", ["", "./", "/"])
def test_members_may_be_written_in_many_ways(prefix: str) -> None:
    store = opened(tar_bytes(FILES, prefix=prefix))
    assert store.choose("").digest == IMAGE.digest
    store.close()


def test_links_are_followed_inside_the_archive_only() -> None:
    path = f"blobs/{sha256(IMAGE.layer).replace(':', '/')}"
    files = {name: content for name, content in FILES.items() if name != path}
    store = opened(tar_bytes({**files, "layers/one": IMAGE.layer}, links=[(path, "../../layers/one")]))
    assert store.blob_size(PLACE, sha256(IMAGE.layer)) == len(IMAGE.layer)
    store.close()
    for target in ("/etc/passwd", "../../../../../etc/passwd", path.rpartition("/")[2]):
        store = opened(tar_bytes(files, links=[(path, target)]))
        with pytest.raises(NotFoundError):
            store.blob(PLACE, sha256(IMAGE.layer))
        store.close()


@pytest.mark.parametrize("content", [b"", b"nonsense" * 1000, gzip.compress(TAR), TAR[:700], TAR[: len(TAR) // 2]])
def test_what_is_no_archive(content: bytes) -> None:
    file = named_file(content)
    with pytest.raises(MabuildError):
        open_archive(file, "the archive")
    file.close()


def test_a_compressed_archive_is_told(tmp_path: Path) -> None:
    path = tmp_path / "image.tar.gz"
    path.write_bytes(gzip.compress(tar_bytes(FILES)))
    with pytest.raises(MalformedError) as caught:
        open_archive_file(path)
    assert "uncompressed" in caught.value.hint


def test_a_tar_file_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no image"):
        open_archive_file(write_tar(tmp_path / "x.tar", {"readme": b""}))


def test_special_files_have_no_content() -> None:
    target = io.BytesIO(tar_bytes(FILES))
    with tarfile.open(fileobj=target, mode="a") as archive:
        info = tarfile.TarInfo("device")
        info.type = tarfile.CHRTYPE
        archive.addfile(info)
    store = opened(target.getvalue())
    assert store.choose("").digest == IMAGE.digest
    store.close()
