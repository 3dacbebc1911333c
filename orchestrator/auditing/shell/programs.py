"""What known programs print and how they end: probes for the machine, and the filters that rewrite their output."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from orchestrator.auditing.architectures import names
from orchestrator.auditing.shell.conditions import searched
from orchestrator.auditing.shell.machine import UNKNOWN, Machine
from orchestrator.auditing.shell.rewrite import cut, sed, tr
from orchestrator.auditing.shell.state import Status

if TYPE_CHECKING:
    from orchestrator.auditing.shell.evaluate import Evaluator

Arguments = tuple[str, ...]
_RPM_ARCH = re.compile(r"%\{?_(?:arch|target_cpu|host_cpu|build_cpu|build_arch)\}?$")


def output(evaluator: Evaluator, name: str, arguments: Arguments) -> tuple[Status, str]:
    """How a program ends, and what it prints (UNKNOWN where nobody can know)."""
    probe = PROBES.get(name)
    if probe is not None:
        return Status.MAYBE, probe(evaluator.machine, arguments)
    filter_text = _FILTERS.get(name)
    if filter_text is not None:
        return Status.MAYBE, filter_text(arguments, evaluator.stdin)
    match name:
        case "echo":
            return Status.MAYBE, _echo(arguments)
        case "printf":
            return Status.MAYBE, _printf(arguments)
        case "grep" | "egrep" | "fgrep":
            return _grep(evaluator, name, arguments)
        case "cat" | "tee" | "head" | "tail" | "xargs" if not [one for one in arguments if one[:1] != "-"]:
            return Status.MAYBE, evaluator.stdin
        case "expr" if len(arguments) == 3 and arguments[1] == ":":
            status = searched(evaluator, arguments[0], f"^{arguments[2]}", extended=False)
            return status, UNKNOWN
        case _:
            return Status.MAYBE, UNKNOWN


def _uname(machine: Machine, arguments: Arguments) -> str:
    options = "".join(arguments)
    if options in {"", "-s", "--kernel-name"}:
        return "Linux"
    if options in {"-m", "-p", "-i", "--machine", "--processor", "--hardware-platform"}:
        return machine.kernel
    if options in {"-sm", "-ms", "-s-m"}:
        return f"Linux {machine.kernel}"
    return f"Linux {UNKNOWN} {machine.kernel} {UNKNOWN}" if "a" in options else UNKNOWN


def _dpkg(machine: Machine, arguments: Arguments) -> str:
    return machine.debian if "--print-architecture" in arguments else UNKNOWN


def _dpkg_architecture(machine: Machine, arguments: Arguments) -> str:
    joined = " ".join(arguments)
    asked = re.search(r"DEB_(?:HOST|BUILD|TARGET)_(\w+)", joined)
    match asked[1] if asked else "":
        case "ARCH" | "ARCH_CPU":
            return machine.debian
        case "MULTIARCH" | "GNU_TYPE":
            return machine.triple
        case "GNU_CPU":
            return machine.kernel
        case _:
            return UNKNOWN


def _apk(machine: Machine, arguments: Arguments) -> str:
    return machine.alpine if "--print-arch" in arguments else UNKNOWN


def _rpm(machine: Machine, arguments: Arguments) -> str:
    return machine.kernel if arguments and _RPM_ARCH.search(arguments[-1]) else UNKNOWN


def _node(machine: Machine, arguments: Arguments) -> str:
    code = arguments[-1].replace(" ", "").rstrip(";") if len(arguments) > 1 else ""
    is_arch = code in {"process.arch", "console.log(process.arch)", "require('os').arch()", 'require("os").arch()'}
    return machine.node if is_arch else UNKNOWN


def _python(machine: Machine, arguments: Arguments) -> str:
    code = arguments[-1].replace(" ", "") if len(arguments) > 1 and arguments[0] == "-c" else ""
    return machine.kernel if re.search(r"print\((?:platform|os\.uname\(\))\.machine(?:\(\))?\)$", code) else UNKNOWN


def _go(machine: Machine, arguments: Arguments) -> str:
    match arguments:
        case ("env", "GOARCH" | "GOHOSTARCH"):
            return machine.family
        case ("env", "GOOS" | "GOHOSTOS"):
            return "linux"
        case _:
            return UNKNOWN


def _compiler(machine: Machine, arguments: Arguments) -> str:
    return machine.triple if "-dumpmachine" in arguments else UNKNOWN


def _getconf(machine: Machine, arguments: Arguments) -> str:
    width = "32" if machine.family in {"386", "arm"} else "64"
    return width if arguments == ("LONG_BIT",) else UNKNOWN


def _arch(machine: Machine, _: Arguments) -> str:
    return machine.kernel


PROBES: dict[str, Callable[[Machine, Arguments], str]] = {
    "uname": _uname,
    "arch": _arch,
    "dpkg": _dpkg,
    "dpkg-architecture": _dpkg_architecture,
    "apk": _apk,
    "rpm": _rpm,
    "node": _node,
    "python": _python,
    "python3": _python,
    "go": _go,
    "gcc": _compiler,
    "cc": _compiler,
    "clang": _compiler,
    "getconf": _getconf,
}
_FILTERS: dict[str, Callable[[Arguments, str], str]] = {"sed": sed, "tr": tr, "cut": cut}


def _echo(arguments: Arguments) -> str:
    at = 0
    while at < len(arguments) and re.fullmatch(r"-[neE]+", arguments[at]):
        at += 1
    return " ".join(arguments[at:]) + "\n"


def _printf(arguments: Arguments) -> str:
    if not arguments or arguments[0] == "-v":
        return ""
    pieces = arguments[0].replace("\\n", "\n").split("%s")
    if "%" in "".join(pieces) or len(pieces) > len(arguments):
        return UNKNOWN
    return "".join(piece + text for piece, text in zip(pieces, (*arguments[1 : len(pieces)], ""), strict=True))


def _grep(evaluator: Evaluator, name: str, arguments: Arguments) -> tuple[Status, str]:
    """A guard where it searches the output of a probe; else a choice among lines that nobody knows."""
    options = [one for one in arguments if one[:1] == "-"]
    plain = [one for one in arguments if one[:1] != "-"]
    text = evaluator.stdin.strip("\n")
    if not plain or len(plain) > 1:
        return Status.MAYBE, UNKNOWN
    letters = "".join(one[1:] for one in options if one[1:2] != "-")
    wanted = plain[0].lower() if "i" in letters else plain[0]
    subject = text.lower() if "i" in letters else text
    is_probe = UNKNOWN not in text or bool(names(text))
    if not is_probe and not _reads_variable(evaluator):
        return Status.MAYBE, UNKNOWN
    status = searched(evaluator, subject, wanted, extended=name == "egrep" or "E" in letters or "P" in letters)
    status = status.opposite if "v" in letters else status
    if "c" in letters:
        return status, {Status.YES: "1", Status.NO: "0"}.get(status, UNKNOWN)
    is_silent = "q" in letters or status is Status.NO
    return status, "" if is_silent else UNKNOWN if "o" in letters else evaluator.stdin


def _reads_variable(evaluator: Evaluator) -> bool:
    """`echo "$X" | grep …`: the text is unknown, but it is one variable and no download."""
    return evaluator.upstream[-1:] in {("echo",), ("printf",), ("uname",), ("arch",), ("lscpu",), ("file",)}
