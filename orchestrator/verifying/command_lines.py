"""Reads command lines as far as they can be read without running them: wrappers, shell lines, `exec` in scripts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"})
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_UNREADABLE = re.compile(r"[$`*?~{}\[\]]")
_ARGUMENTS = frozenset({"$@", "${@}", "$*"})
_OPERATORS = frozenset({";", "&&", "||", "|", "&", ";;", "|&", "\n"})
_LONGEST_LINE, _MOST_COMMANDS = 8192, 12
_NO_PROGRAMS = frozenset(
    [
        ".",
        ":",
        "[",
        "[[",
        "]]",
        "alias",
        "bg",
        "break",
        "builtin",
        "case",
        "cd",
        "command",
        "continue",
        "declare",
        "do",
        "done",
        "echo",
        "elif",
        "else",
        "esac",
        "eval",
        "exit",
        "export",
        "false",
        "fg",
        "fi",
        "for",
        "function",
        "getopts",
        "hash",
        "if",
        "in",
        "jobs",
        "let",
        "local",
        "popd",
        "printf",
        "pushd",
        "pwd",
        "read",
        "readonly",
        "return",
        "select",
        "set",
        "shift",
        "shopt",
        "source",
        "test",
        "then",
        "times",
        "trap",
        "true",
        "type",
        "typeset",
        "ulimit",
        "umask",
        "unalias",
        "unset",
        "until",
        "wait",
        "while",
        "{",
        "}",
        "(",
        ")",
        "!",
    ]
)


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """A program that starts another: its options that take a value, and how many words come before the program."""

    valued: frozenset[str] = frozenset()
    words: int = 0


_WRAPPERS = {
    **dict.fromkeys(("tini", "tini-static", "docker-init", "catatonit"), _Wrapper(frozenset({"-p", "-e"}))),
    "dumb-init": _Wrapper(frozenset({"-r", "--rewrite"})),
    "env": _Wrapper(frozenset({"-u", "--unset", "-C", "--chdir"})),
    **dict.fromkeys(("gosu", "su-exec", "s6-setuidgid", "chroot"), _Wrapper(words=1)),
    **dict.fromkeys(("nohup", "with-contenv", "setsid", "time"), _Wrapper()),
    "timeout": _Wrapper(frozenset({"-s", "--signal", "-k", "--kill-after"}), 1),
    "nice": _Wrapper(frozenset({"-n", "--adjustment"})),
    "stdbuf": _Wrapper(frozenset({"-i", "-o", "-e"})),
    "setpriv": _Wrapper(frozenset({"--reuid", "--regid", "--groups", "--inh-caps", "--bounding-set", "--pdeathsig"})),
    **dict.fromkeys(("sudo", "doas", "chpst"), _Wrapper(frozenset({"-u", "-g", "-U", "-b", "-e", "-n", "-m"}))),
}


def name_of(word: str) -> str:
    """The last part of a program's path."""
    return word.rpartition("/")[2]


def is_readable(word: str) -> bool:
    """Whether a word of a shell line stands for itself."""
    return bool(word) and not _UNREADABLE.search(word)


def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """What a wrapper such as tini, env or gosu starts; empty where the first word is no wrapper or starts nothing."""
    wrapper = _WRAPPERS.get(name_of(words[0])) if words else None
    if wrapper is None:
        return ()
    position = 1
    while position < len(words) and words[position].startswith("-") and words[position] != "-":
        option = words[position]
        if name_of(words[0]) == "env" and option.startswith(("-S", "--split-string")):
            return _split_by_env(option, words[position + 1 :])
        position += 2 if option in wrapper.valued else 1
        if option == "--":
            break
    rest = words[position + wrapper.words :]
    while rest and name_of(words[0]) == "env" and _ASSIGNMENT.fullmatch(rest[0]):
        rest = rest[1:]
    return rest


def _split_by_env(option: str, rest: tuple[str, ...]) -> tuple[str, ...]:
    attached = option.removeprefix("--split-string").removeprefix("-S").removeprefix("=")
    text = " ".join((attached, *rest)) if attached else " ".join(rest)
    words = _words(text)
    while words and (_ASSIGNMENT.fullmatch(words[0]) or words[0].startswith("-")):
        words = words[1:]
    return words


def shell_command(words: tuple[str, ...]) -> str:
    """The text that a shell is given with -c; empty where it is none."""
    if not words or name_of(words[0]) not in SHELLS:
        return ""
    for position, word in enumerate(words[1:], start=1):
        if re.fullmatch(r"-[a-z]*c", word):
            return words[position + 1] if position + 1 < len(words) else ""
        if not word.startswith("-"):
            break
    return ""


def shell_script(words: tuple[str, ...]) -> tuple[str, ...]:
    """The script that a shell is given, with its arguments; empty where there is none."""
    if not words or name_of(words[0]) not in SHELLS or shell_command(words):
        return ()
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        rest = rest[1:]
    return rest


def programs(line: str) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """The simple commands of a shell line whose first word can be read, and whether there is no other command in it."""
    commands = list(_simple_commands(line))
    readable = tuple(command for command in commands if command and is_readable(command[0]))
    found = tuple(command for command in readable if command[0] not in _NO_PROGRAMS)
    return found[:_MOST_COMMANDS], len(commands) == 1 and len(found) == 1


def script_target(run: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """What an `exec` line of a script starts, the script's own arguments filled in; empty where it cannot be read."""
    words = _without_exec(_words(run))
    filled: list[str] = []
    for word in words:
        filled += arguments if word in _ARGUMENTS else (word,)
    return tuple(filled) if filled and is_readable(filled[0]) and not filled[0].startswith("-") else ()


def _simple_commands(line: str) -> Iterator[tuple[str, ...]]:
    command: list[str] = []
    for token in _tokens(line):
        if token in _OPERATORS:
            yield _without_exec(tuple(command))
            command = []
        elif command or not _ASSIGNMENT.fullmatch(token):
            command.append(token)
    if command:
        yield _without_exec(tuple(command))


def _without_exec(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words or words[0] != "exec":
        return words
    rest = words[1:]
    while rest and rest[0] in ("-a", "-c", "-l"):
        rest = rest[2:] if rest[0] == "-a" else rest[1:]
    return rest


def _tokens(line: str) -> list[str]:
    text = line[:_LONGEST_LINE].replace("\\\n", " ").replace("\n", " ; ")
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return []


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text[:_LONGEST_LINE], comments=True))
    except ValueError:
        return ()
