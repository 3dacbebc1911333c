"""Which files of a context `.dockerignore` keeps out, by Docker's rules (moby/patternmatcher)."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.errors import DockerfileError

_LONGEST = 4 * 1024 * 1024
_MOST_PATTERNS = 100_000
_PIECE = re.compile(r"\*\*/?|\*|\?|\\.|\\|\[\^?\]?[^\]]*\]|.", re.DOTALL)
_NOTHING = re.compile(r"(?!)")
Matched = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line; `exception` for those that begin with an exclamation mark."""

    text: str
    regex: re.Pattern[str]
    exception: bool


@dataclass(frozen=True, slots=True)
class Ignore:
    """The patterns of one ignore file, of which the last one that matches decides."""

    patterns: tuple[Pattern, ...] = ()

    def excluded(self, path: str, above: Matched = ()) -> tuple[bool, Matched]:
        """Whether a path (relative, with slashes) is kept out, and which patterns match it.

        `above` is the second answer for the folder that it is in: what matches a folder matches all that is in it.
        """
        matched, found = False, []
        for place, pattern in enumerate(self.patterns):
            match = bool(above) and above[place]
            if not match and pattern.exception == matched:
                match = bool(pattern.regex.fullmatch(path))
            found.append(match)
            if match:
                matched = not pattern.exception
        return matched, tuple(found)

    def may_hold_exceptions(self, folder: str) -> bool:
        """Whether an exception can bring back something inside an excluded folder."""
        return any(
            pattern.exception and (_wild(pattern.text) or f"{pattern.text}/".startswith(f"{folder}/"))
            for pattern in self.patterns
        )


def read_ignore(context: Path, dockerfile: Path) -> Ignore:
    """The ignore file of a Dockerfile: `<Dockerfile>.dockerignore` beside it, else `.dockerignore` in the context."""
    own = dockerfile.with_name(f"{dockerfile.name}.dockerignore")
    return read_ignore_file(own if own.is_file() else context / ".dockerignore")


def read_ignore_file(path: Path) -> Ignore:
    """The patterns of one file; none where it is not there."""
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST)
    except OSError:
        return Ignore()
    return parse_ignore(content.decode("utf-8", "surrogateescape"), str(path))


def parse_ignore(text: str, path: str) -> Ignore:
    """The patterns of an ignore file; DockerfileError for one that Docker refuses."""
    lines = text.removeprefix("\ufeff").split("\n")
    if len(lines) > _MOST_PATTERNS:
        raise DockerfileError(f"more than {_MOST_PATTERNS} patterns", path=path, line=_MOST_PATTERNS)
    found = (_pattern(line.removesuffix("\r"), path, number) for number, line in enumerate(lines, 1))
    return Ignore(tuple(pattern for pattern in found if pattern is not None))


def _pattern(line: str, path: str, number: int) -> Pattern | None:
    text = line.strip()
    if line.startswith("#") or not text:
        return None
    exception = text.startswith("!")
    text = text.removeprefix("!").strip() if exception else text
    if not text:
        raise DockerfileError("an exclamation mark without a pattern", path=path, line=number)
    text = posixpath.normpath(text).lstrip("/") or "/"
    pieces = _PIECE.findall(text)
    try:
        regex = re.compile(
            "".join(_translated(piece, is_last=place == len(pieces)) for place, piece in enumerate(pieces, 1)),
            re.DOTALL,
        )
    except re.error as error:
        raise DockerfileError(f"{text!r} is not a pattern: {error}", path=path, line=number) from error
    if "[" in pieces:
        raise DockerfileError(f"{text!r} is not a pattern: a bracket is open", path=path, line=number)
    # Versions of BuildKit differ in what they make of a backslash. A file too many in a key only builds once more.
    return Pattern(text, regex if exception or "\\" not in text else _NOTHING, exception)


def _translated(piece: str, *, is_last: bool) -> str:
    """As moby/patternmatcher translates: `**` is any number of folders, a last `**` all that follows."""
    if piece.startswith("**"):
        return ".*" if is_last else "(?:.*/)?"
    if piece == "*":
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and len(piece) > 1:
        return piece
    if piece.startswith("\\") and len(piece) > 1:
        return re.escape(piece[1])
    return re.escape(piece)


def _wild(text: str) -> bool:
    return any(sign in text for sign in "*?[\\")
