"""The tree of a shell text. Offsets count characters of the text that was parsed."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.auditing.architectures import Name


@dataclass(frozen=True, slots=True)
class Literal:
    """Text as it is written; `quote` is the sign around it (empty: none)."""

    text: str
    start: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Variable:
    """`$NAME`, `${NAME}` or `${NAME<operator><argument>}`; `key` is the index of an array."""

    name: str
    start: int
    end: int
    operator: str = ""
    arguments: tuple[Word, ...] = ()
    key: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """`$(...)`, backticks or `<(...)`."""

    block: tuple[Node, ...]
    start: int
    end: int
    is_file: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something that is not looked into, such as arithmetic."""

    start: int
    end: int


Part = Literal | Variable | Output | Opaque


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """One word; `names` are the architectures named in its literal text, with offsets of the parsed text."""

    parts: tuple[Part, ...]
    start: int
    end: int
    names: tuple[Name, ...] = ()

    @property
    def literal(self) -> str:
        """Its literal text without quotes; a sign for every expansion."""
        return "".join(part.text if isinstance(part, Literal) else "\0" for part in self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """`NAME=word` or `NAME=(key word ...)`; entries without a key have an empty one."""

    name: str
    start: int
    end: int
    word: Word
    entries: tuple[tuple[Word, Word], ...] = ()
    appends: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Redirect:
    """`> file`, `<<< word`, or a heredoc with `word` its body."""

    operator: str
    word: Word
    is_quoted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Command:
    """A simple command; `declares` for `export`, `local` and the like, whose assignments stay."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    redirects: tuple[Redirect, ...]
    start: int
    end: int
    declares: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """`[ … ]` or `[[ … ]]`, flat: words, and operators as text."""

    items: tuple[Word | str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Pipeline:
    """Commands joined by `|`."""

    stages: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Negation:
    """`! command`."""

    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """`first && second || third`: operators with the commands behind them."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """Pairs of condition and body, and the `else`."""

    branches: tuple[tuple[tuple[Node, ...], tuple[Node, ...]], ...]
    otherwise: tuple[Node, ...]
    has_else: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """One arm of a `case`."""

    patterns: tuple[Word, ...]
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """`case subject in … esac`."""

    subject: Word
    arms: tuple[Arm, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """`for`, `while` and `until`; `name` is empty for the latter two."""

    name: str
    values: tuple[Word, ...]
    condition: tuple[Node, ...]
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A definition."""

    name: str
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """`{ …; }` or `( … )`, with what is redirected from and to it."""

    body: tuple[Node, ...]
    is_subshell: bool
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Broken:
    """Text that the grammar does not take, as words."""

    words: tuple[Word, ...]


Node = Command | Test | Pipeline | Negation | Chain | If | Case | Loop | Function | Group | Broken
Block = tuple[Node, ...]
