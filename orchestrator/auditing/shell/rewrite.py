"""What sed, tr, cut and parameter expansions make of a known text: maps from one naming scheme to another."""

from __future__ import annotations

import re
from itertools import pairwise

from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.patterns import LONGEST_TEXT, expression, glob

_ADDRESS = re.compile(r"\s*(?:/(?P<pattern>[^/]*)/)?\s*(?P<not>!?)\s*")


def sed(arguments: tuple[str, ...], text: str) -> str:
    """The output of `sed` with scripts of `s` and `d` commands; UNKNOWN for anything else."""
    extended = any(one in {"-E", "-r", "--regexp-extended"} or re.fullmatch(r"-\w*[Er]\w*", one) for one in arguments)
    quiet = any(one == "-n" for one in arguments)
    scripts = _scripts(arguments)
    if (
        UNKNOWN in text
        or len(text) > LONGEST_TEXT
        or quiet
        or not scripts
        or any(UNKNOWN in script for script in scripts)
    ):
        return UNKNOWN
    for script in scripts:
        text = _run(script, text, extended=extended)
        if UNKNOWN in text:
            return UNKNOWN
    return text


def _scripts(arguments: tuple[str, ...]) -> list[str]:
    scripts = [value for option, value in pairwise(arguments) if _takes_script(option)]
    plain = [one for one in arguments if not one.startswith("-")]
    return scripts or plain[:1]


def _takes_script(option: str) -> bool:
    return option in {"-e", "--expression"} or bool(re.fullmatch(r"-[Ernu]*e", option))


def _run(script: str, text: str, *, extended: bool) -> str:
    at = 0
    while at < len(script):
        if script[at] in "; \t\n":
            at += 1
            continue
        address = _ADDRESS.match(script, at)
        at = address.end() if address else at
        if address and address["pattern"] is not None:
            applies = bool(expression(address["pattern"], extended=extended).search(text)) != bool(address["not"])
        else:
            applies = True
        changed, at = _command(script, at, text, extended=extended)
        if at < 0:
            return UNKNOWN
        text = changed if applies else text
    return text


def _command(script: str, at: int, text: str, *, extended: bool) -> tuple[str, int]:
    """The text after one command, and where the next one begins (-1: not understood)."""
    name = script[at : at + 1]
    if name == "s" and at + 1 < len(script):
        return _substitute(script, at + 1, text, extended=extended)
    if name == "y" and at + 1 < len(script):
        fields, end = _fields(script, at + 2, script[at + 1])
        same = len(fields) == 2 and len(fields[0]) == len(fields[1])
        return (text.translate(str.maketrans(fields[0], fields[1])), end) if same else (text, -1)
    return text, -1


def _substitute(script: str, at: int, text: str, *, extended: bool) -> tuple[str, int]:
    delimiter = script[at]
    fields, end = _fields(script, at + 1, delimiter)
    if len(fields) != 2:
        return text, -1
    flags = re.match(r"[gIip0-9]*", script[end:])
    end += flags.end() if flags else 0
    count = 0 if flags and "g" in flags[0] else 1
    pattern = expression(fields[0], extended=extended)
    replacement = re.sub(r"\\(\d)|&|\\(.)", _reference, fields[1].replace("\\&", "\x02"))
    try:
        return pattern.sub(replacement, text, count).replace("\x02", "&"), end
    except (re.error, IndexError):
        return text, -1


def _reference(match: re.Match[str]) -> str:
    if match[1]:
        return f"\\g<{match[1]}>"
    if match[2]:
        return "\\\\" if match[2] == "\\" else match[2]
    return "\\g<0>"


def _fields(script: str, at: int, delimiter: str) -> tuple[list[str], int]:
    fields: list[str] = []
    current = ""
    while at < len(script) and len(fields) < 2:
        if script[at] == "\\" and at + 1 < len(script):
            current += delimiter if script[at + 1] == delimiter else script[at : at + 2]
            at += 2
            continue
        if script[at] == delimiter:
            fields.append(current)
            current = ""
        else:
            current += script[at]
        at += 1
    return fields, at


def tr(arguments: tuple[str, ...], text: str) -> str:
    """The output of `tr` for plain sets and the two letter classes."""
    plain = [_set(one) for one in arguments if not one.startswith("-")]
    if UNKNOWN in text:
        return UNKNOWN
    if any(one in {"-d", "--delete"} for one in arguments) and len(plain) == 1:
        return "".join(sign for sign in text if sign not in plain[0])
    if len(plain) != 2 or len(arguments) != 2 or not plain[1]:
        return UNKNOWN
    target = plain[1].ljust(len(plain[0]), plain[1][-1])[: len(plain[0])]
    return text.translate(str.maketrans(plain[0], target))


def _set(text: str) -> str:
    lower, upper = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    known = {"[:lower:]": lower, "[:upper:]": upper, "a-z": lower, "A-Z": upper, "[a-z]": lower, "[A-Z]": upper}
    return known.get(text, text.replace("\\n", "\n"))


def cut(arguments: tuple[str, ...], text: str) -> str:
    """The output of `cut -d… -f…` for one field of one line."""
    joined = " ".join(arguments)
    delimiter = re.search(r"-d ?(?:=)?(.)", joined)
    field = re.search(r"-f ?(\d+)(-?)(?= |$)", joined)
    if UNKNOWN in text or delimiter is None or field is None or len(field[1]) > 3:
        return UNKNOWN
    fields = text.split(delimiter[1])
    number = int(field[1]) - 1
    if number < 0 or (number >= len(fields) and len(fields) > 1):
        return "" if number >= 0 else UNKNOWN
    if len(fields) == 1:
        return text
    return delimiter[1].join(fields[number:]) if field[2] else fields[number]


def expanded(value: str, operator: str, arguments: tuple[str, ...]) -> str:
    """`${NAME<operator>…}` of a known value: prefixes, suffixes, replacement and case."""
    pattern = arguments[0] if arguments else ""
    if UNKNOWN in value or len(value) > LONGEST_TEXT or any(UNKNOWN in one for one in arguments):
        return UNKNOWN
    match operator:
        case "#" | "##":
            return _without_prefix(value, pattern, longest=operator == "##")
        case "%" | "%%":
            return _without_suffix(value, pattern, longest=operator == "%%")
        case "/" | "//":
            return _replaced(value, pattern, arguments[1] if len(arguments) > 1 else "", every=operator == "//")
        case "^" | "^^":
            return value.upper() if operator == "^^" else value[:1].upper() + value[1:]
        case "," | ",,":
            return value.lower() if operator == ",," else value[:1].lower() + value[1:]
        case _:
            return UNKNOWN


def _without_prefix(value: str, pattern: str, *, longest: bool) -> str:
    ends = range(len(value), -1, -1) if longest else range(len(value) + 1)
    compiled = glob(pattern)
    return next((value[end:] for end in ends if compiled.fullmatch(value, 0, end)), value)


def _without_suffix(value: str, pattern: str, *, longest: bool) -> str:
    starts = range(len(value) + 1) if longest else range(len(value), -1, -1)
    compiled = glob(pattern)
    return next((value[:start] for start in starts if compiled.fullmatch(value, start)), value)


def _replaced(value: str, pattern: str, replacement: str, *, every: bool) -> str:
    if not pattern:
        return value
    try:
        return glob(pattern).sub(replacement.replace("\\", "\\\\"), value, 0 if every else 1)
    except re.error:
        return UNKNOWN
