"""Reads the package lists of Debian's mirrors (Packages) and Alpine's (APKINDEX)."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock

from orchestrator.core.errors import MabuildError
from orchestrator.core.packages import Ecosystem, Repository
from orchestrator.registry.errors import MalformedError, TooLargeError
from orchestrator.registry.packages.logins import without_login
from orchestrator.registry.packages.pages import AbsentError, Page, Pages

_LARGEST_LIST = 512 * 1024 * 1024
_LARGEST_LINE = 1024 * 1024
Names = dict[str, str]


@dataclass(slots=True)
class Mirrors:
    """The lists of mirrors, each read once in this process and kept on disk. Safe for threads."""

    pages: Pages
    _read: dict[tuple[Repository, str], Names | MabuildError] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def names(self, repository: Repository, architecture: str) -> Mapping[str, str]:
        """The file of each package and provided name; MabuildError where there is no such list."""
        key = (repository, architecture)
        with self._lock:
            if key not in self._read:
                self._read[key] = self._asked(repository, architecture)
            found = self._read[key]
        if isinstance(found, MabuildError):
            raise found
        return found

    def _asked(self, repository: Repository, architecture: str) -> Names | MabuildError:
        try:
            if repository.ecosystem is Ecosystem.ALPINE:
                address = f"{repository.address}/{architecture}/APKINDEX.tar.gz"
                return dict(self.pages.read(address, "*/*", _alpine_names))
            return self._debian(repository, architecture)
        except MabuildError as error:
            return error

    def _debian(self, repository: Repository, architecture: str) -> Names:
        folder = f"{repository.address}/dists/{repository.suite}/{repository.component}/binary-{architecture}"
        for ending in (".xz", ".gz"):
            try:
                return dict(self.pages.read(f"{folder}/Packages{ending}", "*/*", _debian_names))
            except AbsentError:
                continue
        raise AbsentError(f"{without_login(repository.address)} has no list of {repository.suite} for {architecture}")


def _debian_names(page: Page) -> Names:
    """Names and what they are files of; virtual packages by what provides them (deb822)."""
    is_xz = page.content[:6] == b"\xfd7zXZ\x00"
    packed = io.BytesIO(page.content)
    provided: Names = {}
    names: Names = {}
    try:
        with lzma.LZMAFile(packed) if is_xz else gzip.GzipFile(fileobj=packed) as stream:
            for fields in _stanzas(_lines(stream, page.address)):
                file = f"{fields.get('Package')}_{fields.get('Version')}_{fields.get('Architecture')}.deb"
                names.setdefault(fields.get("Package", ""), file)
                virtual = (one.partition("(")[0].strip() for one in fields.get("Provides", "").split(",") if one)
                provided.update((name, file) for name in virtual if name not in provided)
    except (lzma.LZMAError, OSError, EOFError) as error:
        raise MalformedError(f"{page.address} cannot be unpacked") from error
    return {**provided, **names}


def _lines(stream: Iterable[bytes], address: str) -> Iterator[str]:
    size = 0
    for line in stream:
        size += len(line)
        if size > _LARGEST_LIST or len(line) > _LARGEST_LINE:
            raise TooLargeError(f"{address} unpacks to more than the {_LARGEST_LIST:,} bytes that are read")
        if line[:1] in b"PVA\n":
            yield line.decode("utf-8", "replace").rstrip("\n")


def _stanzas(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields.setdefault(name, value.strip())
        elif fields:
            yield fields
            fields = {}
    if fields:
        yield fields


def _alpine_names(page: Page) -> Names:
    """Names and provided ones of an index (apk-tools, APKINDEX): `P`, `V` and `p` lines."""
    try:
        # Signature and index are packed by themselves, one behind the other, which tarfile alone does not follow.
        packed = gzip.GzipFile(fileobj=io.BytesIO(page.content))
        with packed, tarfile.open(fileobj=packed, mode="r|") as archive:
            text = _member(archive, page.address)
    except (tarfile.TarError, OSError, EOFError, UnicodeDecodeError) as error:
        raise MalformedError(f"{page.address} is no APKINDEX") from error
    provided: Names = {}
    names: Names = {}
    for fields in _stanzas(iter([*text.splitlines(), ""])):
        file = f"{fields.get('P')}-{fields.get('V')}.apk"
        names[fields.get("P", "")] = file
        for one in fields.get("p", "").split():
            provided.setdefault(one.split("=")[0], file)
    return {**provided, **names}


def _member(archive: tarfile.TarFile, address: str) -> str:
    for member in archive:
        content = archive.extractfile(member) if member.name == "APKINDEX" else None
        if content is not None:
            return content.read(_LARGEST_LIST).decode("utf-8", "replace")
    raise MalformedError(f"{address} holds no APKINDEX")
