"""Words that name an architecture, where a platform that does not have it meets them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from orchestrator.auditing.architectures import AMD64, ARM, ARM64, I386, Name, names, runs_on, schematic
from orchestrator.auditing.call import Call
from orchestrator.core.finding import Confidence
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.source import SourceText, Word

JUDGED = frozenset({AMD64, ARM64, I386, ARM})
"""Families that words are judged by. Who names another one (`s390x`) builds for it on purpose."""


class Role(StrEnum):
    """What the word is where it stands."""

    ARGUMENT = "argument"
    PROGRAM = "program"
    VARIABLE = "variable"
    FALLBACK = "fallback"
    LIST = "list"
    TARGET = "target"
    TEXT = "text"
    LOOSE = "loose"
    ENV = "env"
    ARG = "arg"
    SOURCE = "source"
    DESTINATION = "destination"
    DIRECTORY = "directory"


@dataclass(frozen=True, slots=True, eq=False)
class Mention:
    """One word. `text` is as written, `value` after expansion on the first platform that it is wrong for.

    `names` are the names that are wrong somewhere (offsets in `source`), `live` the platforms that meet the word, and
    `wrong_on` those for which it is wrong. `start` and `end` are the word's own offsets. `variable` is what it is given
    to, `program` whose word it is (both may be empty), `index` the number of the argument behind the program. `answers`
    remembers what rules asked about it.
    """

    role: Role
    text: str
    value: str
    names: tuple[Name, ...]
    live: tuple[Platform, ...]
    wrong_on: tuple[Platform, ...]
    source: SourceText
    start: int
    end: int
    path: str = ""
    stage: int = -1
    instruction: Instruction | None = None
    call: Call | None = None
    program: str = ""
    index: int = 0
    variable: str = ""
    is_printed: bool = False
    is_guarded: bool = False
    confidence: Confidence = Confidence.HIGH
    answers: dict[str, bool] = field(default_factory=dict)

    @property
    def word(self) -> Word:
        """The place to show: from the first wrong name on, as far as the line goes."""
        first = self.names[0]
        line, _ = self.source.position(first.start)
        end = max(
            (one.end for one in self.names if self.source.position(one.start)[0] == line),
            default=first.end,
        )
        return self.source.word(first.start, end)

    @property
    def whole(self) -> Word:
        """The place of the whole word."""
        return self.source.word(self.start, self.end)

    @property
    def name(self) -> str:
        """The first wrong name, as written."""
        return self.names[0].text

    @property
    def family(self) -> str:
        """The architecture that it means."""
        return self.names[0].family

    @property
    def call_arguments(self) -> tuple[str, ...]:
        """The arguments of its command."""
        return self.call.arguments if self.call is not None else ()

    @property
    def line(self) -> int:
        """The physical line of the first wrong name."""
        return self.source.position(self.names[0].start)[0]


_ITEMS = re.compile(r"(?:[\s,;:|'\"(){}\[\]=&<>]|\\[nt])+")


_FILE = re.compile(
    r"://|linux|\.(?:tar|tgz|zip|gz|xz|bz2|deb|rpm|apk|whl|jar|so|sh|bin|run|AppImage|txz|tbz|zst|7z)\b", re.IGNORECASE
)


def strong_names(found: tuple[Name, ...], text: str, holds_value: bool) -> tuple[Name, ...]:
    """Names without the weak ones (`arm`, `x86`) where the text is no file or address, nor a value that is given."""
    found = tuple(one for one in found if one.family in JUDGED)
    if not any(one.weak for one in found):
        return found
    if re.search(r"\bARCH=x86\b|\bARCH=arm\b", text):
        return found
    if (holds_value and not re.search(r"\s", text.strip("\"' "))) or _FILE.search(text):
        return found
    return tuple(one for one in found if not one.weak)


def wrong_names(found: tuple[Name, ...], live: tuple[Platform, ...]) -> tuple[Name, ...]:
    """The names that are wrong for a platform which meets them."""
    return tuple(one for one in found if any(not runs_on(one.family, platform.architecture) for platform in live))


def wrong_for(found: tuple[Name, ...], live: tuple[Platform, ...]) -> tuple[Platform, ...]:
    """The platforms for which a name is wrong."""
    return tuple(platform for platform in live if any(not runs_on(one.family, platform.architecture) for one in found))


def serves_all(text: str, platforms: tuple[Platform, ...]) -> bool:
    """Whether a text lists something for each platform, as in `[arch=amd64,arm64]` or a table in other languages.

    Two names in one item (`gcc-x86_64-aarch64-linux-gnu`) are host and target, not a list.
    """
    items = [{one.family for one in names(item)} for item in _ITEMS.split(text)]
    families = {one for item in items if len(item) == 1 for one in item}
    if I386 in families and re.search(r"\bx86\b", text, re.IGNORECASE):
        families.add(AMD64)
    return len(families) > 1 and all(platform.architecture in families for platform in platforms)


def without_siblings(mentions: list[Mention], platforms: tuple[Platform, ...]) -> list[Mention]:
    """Drop words that stand beside the same word for the other platforms: files for all of them are taken."""
    if len(platforms) < 2:
        return mentions
    families: dict[str, set[str]] = {}
    for mention in mentions:
        if _may_be_paired(mention):
            families.setdefault(_key(mention), set()).add(mention.family)
    wanted = {platform.architecture for platform in platforms}
    return [one for one in mentions if not _may_be_paired(one) or not wanted <= families[_key(one)]]


def _may_be_paired(mention: Mention) -> bool:
    """Not in a branch, and no variable that is only set one way and then the other."""
    if mention.is_guarded or len({one.family for one in mention.names}) != 1:
        return False
    is_set = mention.role in {Role.ENV, Role.VARIABLE, Role.ARG} and not mention.program
    return not is_set or bool(names(mention.variable))


def _key(mention: Mention) -> str:
    user = schematic(mention.variable or mention.program)
    return f"{mention.role}\0{user}\0{schematic(mention.text)}"
