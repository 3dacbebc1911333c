"""Finds the loader and the shared libraries of a program as glibc's and musl's dynamic linkers would."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from orchestrator.verifying.binary import Binary
from orchestrator.verifying.filesystem import FileMap, Found
from orchestrator.verifying.node import NodeKind, Text

_MOST_LIBRARIES = 400
_TRIPLETS = {
    "amd64": "x86_64-linux-gnu",
    "arm64": "aarch64-linux-gnu",
    "386": "i386-linux-gnu",
    "arm": "arm-linux-gnueabihf",
    "ppc64le": "powerpc64le-linux-gnu",
    "s390x": "s390x-linux-gnu",
    "riscv64": "riscv64-linux-gnu",
    "mips64le": "mips64el-linux-gnuabi64",
    "loong64": "loongarch64-linux-gnu",
}
_MUSL_INSIDE = tuple(f"lib{name}." for name in ("c", "pthread", "rt", "m", "dl", "util", "xnet"))
_MUSL_DEFAULT = ("/lib", "/usr/local/lib", "/usr/lib")


@dataclass(frozen=True, slots=True)
class Library:
    """A library that is loaded."""

    name: str
    path: str
    binary: Binary


@dataclass(frozen=True, slots=True)
class Linking:
    """How a program is linked: its loader (None: a static program), what it loads, and what is not there.

    `foreign` are libraries that were found for another architecture only.
    """

    loader: Found | None = None
    libraries: tuple[Library, ...] = ()
    missing: tuple[str, ...] = ()
    foreign: tuple[Library, ...] = ()


class Linker:
    """Resolves programs of one image; LowerLayerNeededError where layers that were not read may hold the answer."""

    def __init__(self, files: FileMap, environment: dict[str, str]) -> None:
        self._files = files
        self._given = [one for one in environment.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":") if one]
        self._configured: list[str] | None = None
        self._system_answers: dict[tuple[str, str, bool], Found | None] = {}

    def link(self, path: str, binary: Binary) -> Linking:
        """A program's loader, and all libraries, breadth first as a dynamic linker finds them."""
        loader = self._files.find(binary.interpreter) if binary.interpreter else None
        if loader is not None and loader.node is None:
            return Linking(loader)
        is_musl = self._is_musl(loader)
        loaded: dict[str, Library] = {}
        missing: dict[str, None] = {}
        foreign: dict[str, Library] = {}
        waiting = deque([(path, binary)])
        inherited = _expanded(binary.search, path)
        while waiting and len(loaded) < _MOST_LIBRARIES:
            user_path, user = waiting.popleft()
            for name in self._wanted(user, {**missing, **loaded}, is_musl=is_musl):
                found, others = self._search(name, user_path, user, inherited, is_musl=is_musl)
                foreign.update(others)
                if found is None:
                    missing[name] = None
                else:
                    loaded[name] = found
                    waiting.append((found.path, found.binary))
        lost = tuple(library for name, library in foreign.items() if name in missing)
        return Linking(loader, tuple(loaded.values()), tuple(missing), lost)

    def missing(self, path: str, binary: Binary) -> tuple[str, ...]:
        """The libraries that a program itself names and that are not found; what those need is not followed."""
        loader = self._files.find(binary.interpreter)
        if loader.node is None:
            return ()
        is_musl = self._is_musl(loader)
        inherited = _expanded(binary.search, path)
        return tuple(
            name
            for name in self._wanted(binary, {}, is_musl=is_musl)
            if self._search(name, path, binary, inherited, is_musl=is_musl)[0] is None
        )

    def _is_musl(self, loader: Found | None) -> bool:
        if loader is None:
            return False
        beside = loader.path.rpartition("/")[0]
        return "musl" in loader.path or self._files.get(f"{beside}/libgcompat.so.0") is not None

    @staticmethod
    def _wanted(user: Binary, known: Mapping[str, object], *, is_musl: bool) -> list[str]:
        """The names to look for: those not known yet, and not those that musl's loader itself stands for."""
        return [one for one in user.needed if one not in known and not (is_musl and one.startswith(_MUSL_INSIDE))]

    def _search(
        self, name: str, user_path: str, user: Binary, inherited: list[str], *, is_musl: bool
    ) -> tuple[Library | None, dict[str, Library]]:
        """The library for a name, and what was skipped because it is for another architecture."""
        if "/" in name:
            candidates = iter((self._file(name),))
        else:
            own = [f"{folder}/{name}" for folder in (*_expanded(user.search, user_path), *inherited, *self._given)]
            candidates = chain(map(self._file, own), iter((self._in_system(name, user, is_musl=is_musl),)))
        foreign: dict[str, Library] = {}
        for found in candidates:
            if found is None or found.node is None or not isinstance(found.node.detail, Binary):
                continue
            library = Library(name, found.path, found.node.detail)
            if library.binary.architecture == user.architecture:
                return library, foreign
            foreign[name] = library
        return None, foreign

    def _file(self, path: str) -> Found | None:
        found = self._files.find(path)
        return found if found.node and found.node.kind is NodeKind.FILE else None

    def _in_system(self, name: str, user: Binary, *, is_musl: bool) -> Found | None:
        """The library in the system's directories: the first that fits, else one of another architecture."""
        key = (name, user.architecture, is_musl)
        if key not in self._system_answers:
            self._system_answers[key] = self._look_in_system(name, user, is_musl=is_musl)
        return self._system_answers[key]

    def _look_in_system(self, name: str, user: Binary, *, is_musl: bool) -> Found | None:
        other = None
        for folder in dict.fromkeys(self._system(user, is_musl=is_musl)):
            found = self._file(f"{folder}/{name}")
            if found is None or found.node is None or not isinstance(found.node.detail, Binary):
                continue
            if found.node.detail.architecture == user.architecture:
                return found
            other = other or found
        return other

    def _system(self, user: Binary, *, is_musl: bool) -> list[str]:
        """The directories of the system, those of the configuration first."""
        if self._configured is None:
            self._configured = _configured(self._files)
        if is_musl:
            return [*self._configured, *_MUSL_DEFAULT]
        triplet = _TRIPLETS.get(user.architecture, "")
        wide = "64" if user.bits == 64 else "32"
        return [
            *self._configured,
            *((f"/lib/{triplet}", f"/usr/lib/{triplet}") if triplet else ()),
            *(f"{top}/lib{wide}" for top in ("", "/usr")),
            *("/lib", "/usr/lib", "/usr/local/lib", "/libx32", "/usr/libx32"),
        ]


def _configured(files: FileMap) -> list[str]:
    """The directories in ld.so.conf and what it includes, and in musl's path files."""
    folders: list[str] = []
    listing = files.find("/etc")
    paths = [one for one in files.paths() if one.startswith("etc/ld")] if listing.node else []
    for path in sorted(paths):
        node = files.get(path)
        if node is not None and isinstance(node.detail, Text):
            lines = (part for line in node.detail.lines for part in line.replace(":", " ").split())
            folders += [line for line in lines if line.startswith("/")]
    return folders


def _expanded(search: tuple[str, ...], path: str) -> list[str]:
    """A RUNPATH or RPATH with the program's own directory filled in."""
    origin = f"/{path.strip('/').rpartition('/')[0]}"
    library = "lib64"
    return [
        part.replace("$ORIGIN", origin).replace("${ORIGIN}", origin).replace("$LIB", library).replace("${LIB}", library)
        for part in search
    ]
