"""The reader against BuildKit's own parser, which the `dockerfile` package carries (BuildKit 0.12.5)."""

import json
import platform
import re
from contextlib import suppress
from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.core.errors import DockerfileError
from orchestrator.dockerfile.instruction import KEYWORDS, Instruction
from orchestrator.dockerfile.reader import scan

dockerfile = pytest.importorskip("dockerfile") if platform.machine() != "x86_64" else __import__("dockerfile")

_NEWER = re.compile(r"<<[ \t\r]|#\s*check\s*=|\$\{\w+[/#%]", re.IGNORECASE)
"""What later releases of BuildKit read in another way than the one in the package."""


def _has_split_flag(text: str) -> bool:
    """Whether a flag may hold a letter that BuildKit takes apart, because one of its bytes is a space in Latin-1."""
    return "--" in text and any(not set(character.encode()).isdisjoint({0x85, 0xA0}) for character in text)


def _has_more_behind_list(text: str) -> bool:
    """Whether something follows a list in JSON: later releases take that for the shell form, the one here does not."""
    for line in text.split("\n"):
        start = line.find("[")
        while start >= 0:
            with suppress(ValueError):
                _, end = json.JSONDecoder().raw_decode(line, start)
                if line[end:].strip(" \t\r"):
                    return True
            start = line.find("[", start + 1)
    return False


@dataclass(frozen=True)
class Seen:
    """What both parsers tell of an instruction."""

    keyword: str
    trigger: str
    json: bool
    lines: tuple[int, int]
    flags: tuple[tuple[str, str], ...]
    words: tuple[str, ...]
    heredocs: tuple[tuple[str, str], ...]


def theirs(text: str) -> list[Seen] | None:
    try:
        commands = dockerfile.parse_string(text)
    except dockerfile.GoParseError:
        return None
    return [
        Seen(
            (command.cmd or "").upper(),
            (command.sub_cmd or "").upper(),
            command.json,
            (command.start_line, command.end_line),
            () if command.sub_cmd else tuple(_flag(flag) for flag in command.flags),
            command.value if (command.sub_cmd or command.cmd or "").upper() in KEYWORDS else (),
            () if command.sub_cmd else tuple((one.name, one.content) for one in command.heredocs),
        )
        for command in commands
    ]


def _flag(text: str) -> tuple[str, str]:
    """Name and value of one of their flags, the bytes of which they take for Latin-1."""
    name, _, value = text.encode("latin-1").decode().removeprefix("--").partition("=")
    return name, value


def ours(text: str) -> list[Seen] | None:
    try:
        scanned = scan(text, "Dockerfile")
    except DockerfileError:
        return None
    assert "".join(scanned.parts) == text
    return [_seen(one) for one in scanned.instructions]


def _seen(one: Instruction) -> Seen:
    words = tuple(word.text for word in one.words)
    if one.keyword in {"ENV", "LABEL"}:
        pairs = ((pair.name, pair.value.text if pair.value else "") for pair in one.assignments)
        words = tuple(text for pair in pairs for text in pair)
    return Seen(
        "ONBUILD" if one.onbuild else one.keyword,
        one.keyword if one.onbuild else "",
        one.json,
        (one.line, one.end_line),
        () if one.onbuild else tuple((flag.name, flag.value) for flag in one.flags),
        words,
        () if one.onbuild else tuple((here.name, here.body.text) for here in one.heredocs),
    )


CASES = [
    "FROM a\nRUN echo \\\n  # comment\n\n  b\n",
    "FROM a\r\nRUN x \\\r\n  y\r\n",
    "\ufeffFROM a\nRUN b",
    "\ufeff# escape=`\nFROM a\nRUN b `\n c",
    "# escape=`\n# syntax=docker/dockerfile:1\nFROM a\nRUN dir C:\\ \nCMD x `\n y\n",
    "#syntax=x\n\n# escape=`\nFROM a\nRUN b `\n",
    "# escape=`\n# escape=`\nFROM a\n",
    "# escape=x\nFROM a\n",
    "# Escape = ` \nFROM a\nRUN x`\ny\n",
    "FROM a\nRUN <<EOF\na \\\n# no comment\nFROM b\nEOF\nCMD c\n",
    "FROM a\nRUN 3<<A 4<<-'B C' cat\n1\nA\n\t2\n\tB C\n",
    'FROM a\nCOPY <<a <<"b" /d/\nx\na\ny\nb\n',
    "FROM a\nRUN cat <<EOF > x \\\n && y\nbody\nEOF\n",
    "FROM a\nRUN <<EOF\nnever ends\n",
    "FROM a\nRUN <<EOF\nends without a line end\nEOF",
    "FROM a\nRUN <<EOF\r\nx\r\nEOF\r\nUSER b\r\n",
    "FROM a\nRUN it's <<EOF\nx\nEOF\n",
    "FROM a\nRUN cat <<<word\nRUN x<<y\n",
    "FROM a\nRUN <<$X\n$X\n",
    "FROM a\nRUN ${x@Q} <<EOF\nUSER b\n",
    "FROM a\nRUN ${x:-a <<EOF}\nEOF}\n",
    "FROM a\nONBUILD RUN <<EOF\nx\nEOF\nUSER b\n",
    'FROM a\nRUN ["<<EOF"]\nUSER b\n',
    'FROM a\nRUN ["a", "b\\u00e9\\n" ]  \nCMD [ ]\nRUN [ -f x ] && y\nRUN ["a",]\nRUN [\'a\']\n',
    "FROM a\nRUN [1, 2]\n",
    'FROM a\nRUN ["a", ["b"]]\n',
    'FROM a\nRUN [NaN]\nRUN ["a\tb"]\nRUN ["\\ud800"]\n',
    'FROM a\nSHELL ["pwsh", "-c"]\nSHELL x y\nVOLUME ["/a b"]\nVOLUME /a  /b\n',
    "FROM a\nENV a=b c=\"d e\" f='g h' i=j\\ k l=\nENV old  value  here\nLABEL x=1 \\\n  y=2\n",
    "FROM a\nENV a\n",
    "FROM a\nENV a=b c\n",
    'FROM a\nARG a b=c d="e f"\nARG\n',
    'FROM a\nHEALTHCHECK --interval=5s --x CMD ["a", "b"]\nHEALTHCHECK NONE\nHEALTHCHECK CMD a b\nHEALTHCHECK\n',
    'FROM --platform=$BUILDPLATFORM a AS b\nfrom c as d\nCOPY --from=b --chown="x y" --link -- a b\n',
    "FROM a\nRUN --mount=type=cache,target=/x --network=none make\nRUN -- x\nRUN --x\\ y z\nRUN --\n",
    "FROM a\nNOPE x\nRUN\n\tRUN\tx\ty\n  copy a\\ b c\n",
    "\\\n",
    "\\\nFROM a\n",
    "FROM a\nRUN x \\\\\nUSER b\nRUN y \\\\\\\nUSER c\n",
    "FROM a\nRUN x \\ \t\n y \\\n\\\nz",
    "FROM a\nRUN x \\",
    "# only a comment\n",
    "",
    "FROM a\n\x0c\x0bRUN x\n\u00a0USER b\nUSER c\u2003\n",
    "FROM a\nRUN " + "x" * 65_527 + "\n",
    "FROM a\nRUN " + "x" * 65_532 + "\n",
    "FROM a\nRUN " + "x" * 65_531,
    "FROM a\nRUN " + "x" * 65_532,
    "FROM a\nRUN <<E\n" + "é" * 32_768 + "\nE\n",
]


@pytest.mark.parametrize("text", CASES)
def test_own_cases_are_read_as_buildkit_reads_them(text: str) -> None:
    assert ours(text) == theirs(text)


WORDS = (
    "FROM RUN COPY ADD ENV ARG LABEL CMD ENTRYPOINT ONBUILD SHELL HEALTHCHECK VOLUME USER WORKDIR EXPOSE run As NONE "
    "--from=x --mount=type=bind --a='b --b=\"c -- - a b=c = $x ${x} ${x:-y} ${x/a/b} ${ } ' \" \\ \\\\ ` `` <<EOF "
    '<<-EOF <<\'EOF\' <<"E 3<<A <<< < EOF A # #c #escape=` #escape=\\ #syntax=x ["a"] ["a","b"] 1 \\n é \ufeff'
)
SPACES = [
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\n",
    " \\\n",
    "\\\n",
    "`\n",
    "\r\n",
    "\r",
    "\v",
    "\u2003",
    "\x1c",
    "\tEOF",
    "E F",
]
FRAGMENTS = WORDS.split(" ") + SPACES


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join))
def test_generated_files_are_read_as_buildkit_reads_them(body: str) -> None:
    _compare("FROM a\n" + body)
    _compare(body)


LINES = st.lists(st.lists(st.sampled_from(FRAGMENTS), max_size=6).map(" ".join), max_size=12).map("\n".join)


@settings(max_examples=400, deadline=None)
@example("RUN <<EOF\nEOF\n")
@given(LINES)
def test_generated_lines_are_read_as_buildkit_reads_them(body: str) -> None:
    _compare(body)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=200))
def test_any_text_is_read_as_buildkit_reads_it(body: str) -> None:
    _compare("FROM a\nRUN " + body)


JSON_PIECES = [
    "[",
    "]",
    "[]",
    '"a"',
    '"\\n"',
    '"\\x"',
    '"\\ud800"',
    '"',
    ",",
    ", ",
    "1",
    "null",
    "NaN",
    "{}",
    "'a'",
    " ",
    "\t",
    "é",
    "x",
]


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(["RUN", "CMD", "COPY", "VOLUME", "HEALTHCHECK CMD", "SHELL"]),
    st.lists(st.sampled_from(JSON_PIECES), max_size=10).map("".join),
)
def test_generated_lists_are_read_as_buildkit_reads_them(keyword: str, rest: str) -> None:
    _compare(f"{keyword} {rest}\n")
    _compare(f"{keyword} [{rest}]\n")


def _compare(text: str) -> None:
    if _NEWER.search(text) or _has_more_behind_list(text) or _has_split_flag(text):
        return
    read = ours(text)
    nested = read is not None and any(one.trigger == "ONBUILD" for one in read)
    assert nested or read == theirs(text)
