"""MV602 files-differ."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.architecture_names import neutral
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Content, Evidence
from orchestrator.verifying.globs import matches
from orchestrator.verifying.node import NodeKind

_SHOWN = 3
_PROGRAM_FOLDERS = ("bin/", "sbin/", "usr/bin/", "usr/sbin/", "usr/local/bin/", "usr/local/sbin/")
_MOVING = (
    "var/cache/**",
    "var/log/**",
    "var/lib/dpkg/**",
    "var/lib/apt/**",
    "tmp/**",
    "run/**",
    "**/__pycache__/**",
    "**/*.pyc",
    "etc/ld.so.cache",
    "lib64",
    "usr/bin/i386",
    "usr/bin/x86_64",
    "usr/bin/aarch64",
    "usr/bin/linux??",
    "usr/bin/uname26",
    "**/lib*/ld-linux*",
    "usr/share/doc/**",
    "usr/share/man/**",
    "usr/share/locale/**",
)


@check("MV602", "files-differ", Severity.WARNING, Level.FULL)
def files_differ(evidence: Evidence) -> Iterator[Problem]:
    """Files are on one platform and not on the other.

    Names of architectures in paths (`x86_64-linux-gnu`, `linux-arm64`) count as the same. Programs in the usual
    folders that lack on one platform are a warning, other files a note: distributions split some packages differently.

    Look for conditions on TARGETARCH, and for packages that exist for one architecture only.
    """
    contents = [one for one in evidence.contents if not one.unread]
    if len(contents) < 2:
        return
    first = contents[0]
    ignore = (*_MOVING, *evidence.expectation.ignore)
    reference = _files(first, ignore)
    for other in contents[1:]:
        files = _files(other, ignore)
        yield from _problems(reference.keys() - files.keys(), reference, first, other)
        yield from _problems(files.keys() - reference.keys(), files, other, first)


def _files(content: Content, ignore: tuple[str, ...]) -> dict[str, str]:
    """The files by their names without architectures."""
    return {
        neutral(path): path
        for path, _, node in content.files.items()
        if node.kind in (NodeKind.FILE, NodeKind.SYMLINK) and not matches(path, ignore)
    }


def _problems(names: set[str], files: dict[str, str], having: Content, lacking: Content) -> Iterator[Problem]:
    paths = sorted(files[name] for name in names)
    programs = [path for path in paths if _is_program(having, path)]
    rest = [path for path in paths if not _is_program(having, path)]
    for found, severity, words in ((programs, Severity.WARNING, "programs"), (rest, Severity.NOTE, "files")):
        if found:
            shown = ", ".join(f"/{path}" for path in found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
            count = f"1 {words[:-1]} is" if len(found) == 1 else f"{len(found)} {words} are"
            message = f"{count} on {having.entry.label} and not on {lacking.entry.label}: {shown}"
            yield Problem(message, lacking.entry.label, f"/{found[0]}", severity=severity)


def _is_program(content: Content, path: str) -> bool:
    node = content.files.get(path)
    return node is not None and node.is_executable and path.startswith(_PROGRAM_FOLDERS)
