"""Texts that know where in the file each of their characters stands, also when they were joined from several lines."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

WHITESPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""What Go's `unicode.IsSpace` calls a space; `str.isspace` also takes U+001C to U+001F."""


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of an instruction as it is written, quotes and variables included; 1-based, the end is exclusive."""

    text: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text in which run `i` begins at offset `starts[i]` and stands in the file at `places[i]` (line, column).

    In a run characters are neighbours in the file too. Joined continuation lines are one run each; comment lines and
    blank lines between them are in no run, so they are not in the text.
    """

    text: str
    starts: tuple[int, ...]
    places: tuple[tuple[int, int], ...]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column in the file, from 1, of the character at an offset."""
        run = max(bisect_right(self.starts, offset) - 1, 0)
        line, column = self.places[run]
        return line, column + offset - self.starts[run]

    def end_position(self, offset: int) -> tuple[int, int]:
        """Line and column just behind the character before an offset: where an edit ends."""
        if offset <= 0:
            return self.position(0)
        line, column = self.position(offset - 1)
        return line, column + 1

    def word(self, start: int, end: int) -> Word:
        """The piece between two offsets with its place."""
        if len(self.places) == 1:
            line, column = self.places[0]
            return Word(self.text[start:end], line, column + start, line, column + end)
        line, column = self.position(start)
        end_line, end_column = self.end_position(end) if end > start else (line, column)
        return Word(self.text[start:end], line, column, end_line, end_column)

    def cut(self, start: int, end: int) -> SourceText:
        """The text between two offsets, with the places of its own runs."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        last = max(bisect_right(self.starts, max(end - 1, start)), first + 1)
        starts = (0, *(self.starts[run] - start for run in range(first + 1, last)))
        places = (self.position(start), *self.places[first + 1 : last])
        return SourceText(self.text[start:end], starts, places)


def concatenated(pieces: list[SourceText]) -> SourceText:
    """Texts one behind the other, each with its places."""
    starts: list[int] = []
    places: list[tuple[int, int]] = []
    length = 0
    for piece in (one for one in pieces if one.text):
        starts += [length + start for start in piece.starts]
        places += piece.places
        length += len(piece.text)
    return SourceText("".join(piece.text for piece in pieces), tuple(starts), tuple(places))


def lines_of(lines: list[str], first_line: int) -> SourceText:
    """Whole lines of the file, one below the other; `first_line` is the number of the first one."""
    starts, offset = [], 0
    for line in lines:
        starts.append(offset)
        offset += len(line)
    places = tuple((first_line + index, 1) for index in range(len(lines)))
    return SourceText("".join(lines), tuple(starts) or (0,), places or ((first_line, 1),))


def shown(text: str, longest: int = 60) -> str:
    """A text of the file as a message shows it: on one line, and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
