"""Reads pip's requirements files: continuation lines, options, hashes, and the files that they include."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from orchestrator.auditing.packages.requirement import PythonRequirement, constrained, parse_requirement
from orchestrator.core.packages import IndexOptions, Place

ReadText = Callable[[str], str | None]
_COMMENT = re.compile(r"(^|\s)#.*$")
_DEEPEST = 8
_MOST_LINES = 100_000
_HASH = re.compile(r"sha256[:=]([0-9a-fA-F]{64})")
_ARGUMENTS = {
    "-r": "requirement", "--requirement": "requirement", "-c": "constraint", "--constraint": "constraint",
    "-i": "index", "--index-url": "index", "--pypi-url": "index", "--default-index": "index",
    "--extra-index-url": "extra", "--index": "extra", "-f": "links", "--find-links": "links",
    "--only-binary": "only-binary", "--no-binary": "no-binary", "-e": "editable", "--editable": "editable",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Requirements:
    """What a file or a command line asks for. `only_binary` and `no_binary` are names, or `:all:`.

    `missing` are included files that are not there.
    """

    requirements: tuple[PythonRequirement, ...] = ()
    constraints: tuple[PythonRequirement, ...] = ()
    options: IndexOptions = field(default_factory=IndexOptions)
    only_binary: tuple[str, ...] = ()
    no_binary: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def limited(self) -> tuple[PythonRequirement, ...]:
        """The requirements within the constraints."""
        return constrained(self.requirements, self.constraints)

    def joined(self, other: Requirements) -> Requirements:
        """Both together."""
        return Requirements(
            (*self.requirements, *other.requirements),
            (*self.constraints, *other.constraints),
            self.options.joined(other.options),
            (*self.only_binary, *other.only_binary),
            (*self.no_binary, *other.no_binary),
            (*self.missing, *other.missing),
        )


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    number: int
    column: int
    end_line: int
    end_column: int


def read_requirements(path: str, read: ReadText, depth: int = 0) -> Requirements:
    """A requirements file of a build context with all that it includes; `read` gives None for one that is not there."""
    text = read(path)
    if text is None or depth > _DEEPEST:
        return Requirements(missing=(path,))
    result = Requirements()
    for line in _lines(text):
        result = result.joined(_of_line(line, path, read, depth))
    return result


def _lines(text: str) -> Iterator[_Line]:
    """Logical lines: continued ones joined, comments dropped, each with the place of its first part."""
    pieces: list[str] = []
    first, column, end_column = 0, 1, 1
    for number, raw in enumerate(text.splitlines()[:_MOST_LINES], 1):
        piece = raw.lstrip("\ufeff") if number == 1 else raw
        is_continued = piece.endswith("\\") and not piece.lstrip().startswith("#")
        piece = _COMMENT.sub("", piece.removesuffix("\\") if is_continued else piece)
        if not pieces:
            first, column = number, len(piece) - len(piece.lstrip()) + 1
            end_column = len(piece.rstrip()) + 1
        pieces.append(piece)
        if is_continued:
            continue
        joined = " ".join(pieces).strip()
        pieces = []
        if joined:
            yield _Line(joined, first, column, first, end_column)


def _of_line(line: _Line, path: str, read: ReadText, depth: int) -> Requirements:
    place = Place(path, line.number, line.column, line.end_line, line.end_column)
    if line.text.startswith("-"):
        return of_options(_words(line.text), path, read, depth)
    text, *options = re.split(r"\s+(?=--?[a-z])", line.text)
    hashes = [found[1].lower() for option in options for found in _HASH.finditer(option)]
    requirement = parse_requirement(text, place, hashes, "" if hashes else text)
    return Requirements((requirement,)) if requirement is not None else Requirements()


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def of_options(words: list[str], path: str, read: ReadText, depth: int = 0) -> Requirements:
    """The options among the words of a line or call, with the files that they name, relative to the file `path`."""
    result = Requirements()
    for kind, value in options_in(words):
        if kind in {"requirement", "constraint"}:
            found = read_requirements(_beside(path, value), read, depth + 1)
            is_limit = kind == "constraint"
            found = replace(found, requirements=(), constraints=found.requirements) if is_limit else found
        else:
            found = _option(kind, value)
        result = result.joined(found)
    return result


def _option(kind: str, value: str) -> Requirements:
    match kind:
        case "index":
            return Requirements(options=IndexOptions(value))
        case "extra":
            return Requirements(options=IndexOptions(extra=tuple(value.split())))
        case "links":
            return Requirements(options=IndexOptions(links=(value,)))
        case "no-index":
            return Requirements(options=IndexOptions(no_index=True))
        case "only-binary":
            return Requirements(only_binary=tuple(value.split(",")))
        case "no-binary":
            return Requirements(no_binary=tuple(value.split(",")))
        case _:
            return Requirements()


def options_in(words: list[str]) -> Iterator[tuple[str, str]]:
    """The options that matter, as kind and value, in any form: `-rfile`, `-r file`, `--requirement=file`."""
    rest = iter(words)
    for word in rest:
        name, separator, value = word.partition("=")
        if name == "--no-index":
            yield "no-index", ""
        elif name in _ARGUMENTS and name.startswith("--"):
            yield _ARGUMENTS[name], value if separator else next(rest, "")
        elif word in _ARGUMENTS:
            yield _ARGUMENTS[word], next(rest, "")
        elif word[:2] in _ARGUMENTS and not word.startswith("--"):
            yield _ARGUMENTS[word[:2]], word[2:]


def _beside(path: str, name: str) -> str:
    return name if "://" in name else posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
