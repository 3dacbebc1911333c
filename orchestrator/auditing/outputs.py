"""Which files a command writes, as far as its words tell."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

UNKNOWN = "\0"
"""The sign for a part of a word that nobody knows."""
CONFIGURED = "--prefix"
"""The name under which the lookup of a command has the folder that an earlier `configure` was told to install to."""
Lookup = Callable[[str], str | None]
_MOST_KNOWN = 500
_COPIERS = frozenset({"cp", "install", "ln", "mv", "rsync"})
_BUILD_TOOLS = frozenset({"b2", "cmake", "gmake", "make", "meson", "ninja", "scons"})
_LINKERS = frozenset(
    {"c++", "cc", "clang", "clang++", "dmd", "g++", "gcc", "gfortran", "ghc", "ldc2", "nim", "nvcc", "ocamlopt",
     "rustc"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its words, the folder that it runs in, and the variables that it sees."""

    name: str
    arguments: tuple[str, ...]
    folder: str
    lookup: Lookup

    def option(self, *names: str) -> str:
        """The value of an option: `-o x`, `-ox`, `--output x` or `--output=x`; empty where there is none."""
        for position, word in enumerate(self.arguments):
            for name in names:
                if word == name:
                    return self.arguments[position + 1] if position + 1 < len(self.arguments) else ""
                if name.startswith("--") and word.startswith(f"{name}="):
                    return word[len(name) + 1 :]
                if len(name) == 2 and word.startswith(name) and not word.startswith("--"):
                    return word[2:].removeprefix("=")
        return ""

    def path(self, text: str) -> str:
        """A path of its words as an absolute one; UNKNOWN where a part is not known."""
        joined = posixpath.normpath(posixpath.join(self.folder, text))
        return UNKNOWN if UNKNOWN in joined else joined

    @property
    def operands(self) -> tuple[str, ...]:
        """Its words that are no options."""
        return tuple(word for word in self.arguments if not word.startswith("-"))


def built(command: Command) -> tuple[str, ...]:
    """Where a compiler or build tool puts what it makes; files and folders."""
    special = {"go": _go, "tinygo": _go, "cargo": _cargo, "swift": _swift}.get(command.name)
    if special is not None:
        return special(command)
    if command.name in _BUILD_TOOLS:
        return (command.folder, *_installed(command))
    if command.name in _LINKERS:
        return (command.path(command.option("-o") or "."),)
    target = command.option("-o", "--output", "--outfile", "--out", "--out-dir", "--prefix")
    return (command.path(target),) if target else (command.folder,)


def _go(command: Command) -> tuple[str, ...]:
    if command.arguments[:1] == ("install",):
        home = command.lookup("GOBIN") or posixpath.join(command.lookup("GOPATH") or "/go", "bin")
        return (command.path(home), "/root/go/bin") if not command.lookup("GOPATH") else (command.path(home),)
    return (command.path(command.option("-o") or "."),)


def _swift(command: Command) -> tuple[str, ...]:
    return (command.path(command.option("--scratch-path", "--build-path") or ".build"),)


def _cargo(command: Command) -> tuple[str, ...]:
    if "install" in command.arguments[:2]:
        root = command.option("--root") or command.lookup("CARGO_INSTALL_ROOT") or command.lookup("CARGO_HOME")
        roots = (root,) if root else ("/usr/local/cargo", "/root/.cargo")
        return tuple(command.path(posixpath.join(one, "bin")) for one in roots)
    target = command.option("--target-dir") or command.lookup("CARGO_TARGET_DIR") or "target"
    out = command.option("--out-dir", "--artifact-dir")
    return (command.path(target), *((command.path(out),) if out else ()))


def configured(command: Command) -> str:
    """The folder that a command which prepares a build says its results are to be installed to; empty for others."""
    if command.name == "configure" or command.name in {"cmake", "meson", "Configure", "config"}:
        settings = dict(word.split("=", 1) for word in command.arguments if word.startswith("-D") and "=" in word)
        return settings.get("-DCMAKE_INSTALL_PREFIX") or settings.get("-Dprefix") or command.option("--prefix")
    return ""


def _installed(command: Command) -> Iterator[str]:
    words = command.arguments
    if not any("install" in word for word in words):
        return
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    given = settings.get("PREFIX") or settings.get("prefix") or command.option("--prefix")
    prefix = given or command.lookup(CONFIGURED) or "/usr/local"
    root = settings.get("DESTDIR") or command.lookup("DESTDIR") or ""
    yield command.path(root + prefix if root else prefix)
    if root:
        yield command.path(root)


def downloaded(command: Command) -> tuple[str, ...]:
    """Where a download or an unpacking puts its files; nothing for other programs."""
    match command.name:
        case "curl":
            return _fetched(command, ("-o", "--output"), ("--output-dir",), named=_has(command, "O", "--remote-name"))
        case "wget":
            return _fetched(command, ("-O", "--output-document"), ("-P", "--directory-prefix"), named=True)
        case "aria2c" | "axel":
            return _fetched(command, ("-o", "--out"), ("-d", "--dir"), named=True)
        case "tar" | "bsdtar":
            return (command.path(command.option("-C", "--directory") or "."),)
        case "unzip" | "7z":
            return (command.path(command.option("-d", "-o") or "."),)
        case "tee":
            return tuple(command.path(word) for word in command.operands)
        case _:
            return ()


def _has(command: Command, letter: str, word: str) -> bool:
    return any(one == word or (one[:1] == "-" and one[:2] != "--" and letter in one) for one in command.arguments)


def _fetched(command: Command, files: Sequence[str], folders: Sequence[str], *, named: bool) -> tuple[str, ...]:
    folder = command.option(*folders) or "."
    target = _grouped(command, files[0][1]) or command.option(*files[1:])
    if target == "-":
        return ()
    if target:
        return (command.path(posixpath.join(folder, target)),)
    if not named:
        return ()
    addresses = [word for word in command.operands if "://" in word or UNKNOWN in word]
    return tuple(command.path(posixpath.join(folder, word.rpartition("/")[2])) for word in addresses)


def _grouped(command: Command, letter: str) -> str:
    """The value of a short option that may stand in a group: `-fsSLo file`, `-qO-`."""
    words = command.arguments
    for position, word in enumerate(words):
        group, found, value = word.partition(letter)
        if found and group[:1] == "-" and group[:2] != "--":
            return value or (words[position + 1] if position + 1 < len(words) else "")
    return ""


def moved(command: Command) -> tuple[tuple[str, ...], str] | None:
    """What a copying program takes and where it puts it; None for other programs."""
    operands = command.operands
    if command.name in {"tar", "bsdtar", "unzip", "7z"} and operands:
        return tuple(command.path(word) for word in operands), downloaded(command)[0]
    if command.name in {"gunzip", "unxz", "bunzip2"} and operands:
        return (command.path(operands[-1]),), command.path(operands[-1].rpartition(".")[0])
    if command.name not in _COPIERS or len(operands) < 2:
        return None
    folder = command.option("-t", "--target-directory")
    if folder:
        return tuple(command.path(word) for word in operands if word != folder), command.path(folder)
    return tuple(command.path(word) for word in operands[:-1]), command.path(operands[-1])


def spread(starts: Mapping[int, tuple[str, ...]], commands: Sequence[Command]) -> dict[int, list[str]]:
    """Paths that some of the commands write, by the number of the command, with those to which later ones take them."""
    found = {number: list(paths) for number, paths in starts.items()}
    known: list[tuple[str, int]] = []
    for number, command in enumerate(commands):
        move = moved(command) if known else None
        if move is not None and len(known) < _MOST_KNOWN:
            origins = {origin for path, origin in known if any(overlap(path, taken) for taken in move[0])}
            known += [(move[1], origin) for origin in sorted(origins)]
            for origin in origins:
                found[origin].append(move[1])
        known += [(path, number) for path in starts.get(number, ())]
    return found


def overlap(written: str, taken: str) -> bool:
    """Whether taking a path takes something of a written one; each may be a folder, `taken` may have wildcards."""
    if UNKNOWN in (written, taken) or UNKNOWN in taken:
        return True
    for sign in "*?[":
        if sign in taken:
            taken = taken[: taken.index(sign)].rpartition("/")[0] or "/"
    first, second = _slashed(written), _slashed(taken)
    return first.startswith(second) or second.startswith(first)


def _slashed(path: str) -> str:
    return path if path.endswith("/") else f"{path}/"
