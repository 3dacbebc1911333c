"""The files of an audit: which ones, in which build context, what was found in them, and their fixes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.auditing.discover import dockerfiles
from orchestrator.auditing.engine import AuditResult, Options, audit, audit_script
from orchestrator.auditing.fix import apply_fixes, diff
from orchestrator.commands.session import Session
from orchestrator.core.errors import DockerfileError
from orchestrator.core.finding import Finding, Related
from orchestrator.core.fleet import Fleet, Pairs
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.parse import parse, read

_LARGEST_FILE = 16 * 1024 * 1024
_MOST_PASSES = 8
_SCRIPT_ENDINGS = (".sh", ".bash")
_SHEBANG = re.compile(r"#!\s*\S*?(?:/env\s+(?:-S\s+)?)?(?:ba|da|a|k|z)?sh\b")
_LONGEST_SHEBANG = 128
ENCODING, ERRORS = "utf-8", "surrogateescape"


@dataclass(frozen=True, slots=True)
class Target:
    """A Dockerfile to audit: its path as shown, its folder of files for COPY, and what a fleet says of it."""

    path: str
    context: Path
    platforms: tuple[Platform, ...] = ()
    arguments: Pairs = ()
    stage: str = ""
    ignore: tuple[str, ...] = ()
    service: str = ""


@dataclass(frozen=True, slots=True)
class Audited:
    """Everything that was found, with the texts that findings point into, by their paths as shown."""

    findings: tuple[Finding, ...]
    ignored: int
    dockerfiles: int
    scripts: int
    failed: tuple[DockerfileError, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    not_checked: tuple[str, ...] = ()


def targets_of_paths(paths: Iterable[str], directory: Path) -> tuple[Target, ...]:
    """Dockerfiles by themselves: their own folder is taken for the build context."""
    return tuple(Target(path, (directory / path).parent) for path in paths)


def targets_of_call(paths: list[str], files: list[str] | None, here: Session) -> tuple[Target, ...]:
    """The Dockerfiles that a call names, or those of the fleet."""
    if paths:
        return targets_of_paths(dockerfiles(tuple(paths), here.directory), here.directory)
    from orchestrator.commands.doors import load_fleet

    return targets_of_fleet(load_fleet(here, files), here.directory)


def targets_of_fleet(fleet: Fleet, directory: Path) -> tuple[Target, ...]:
    """The Dockerfiles of a fleet, with its arguments and platforms."""
    return tuple(
        Target(
            os.path.relpath(service.dockerfile, directory),
            service.context,
            service.platforms,
            service.args,
            service.target,
            service.audit_ignore,
            service.name,
        )
        for service in fleet.services
    )


def audit_targets(targets: Iterable[Target], options: Options, directory: Path) -> Audited:
    """Audit them one after another; a file that cannot be parsed is among the failed ones."""
    findings: dict[Finding, None] = {}
    texts: dict[str, str] = {}
    failed: list[DockerfileError] = []
    read_files: set[str] = set()
    scripts: set[str] = set()
    ignored = 0
    for target in targets:
        try:
            text, result = _audited(directory / target.path, target, options)
        except DockerfileError as error:
            failed.append(error)
            continue
        places = _places(target, result, directory)
        (scripts if is_script(target.path, text) else read_files).add(target.path)
        texts[target.path] = text
        texts |= {places[path]: text for path, text in result.scripts.items()}
        scripts |= set(places.values())
        ignored += result.ignored
        kept = [one for one in result.findings if one.rule not in target.ignore]
        ignored += len(result.findings) - len(kept)
        findings |= dict.fromkeys(_placed(one, places) for one in kept)
    return Audited(tuple(findings), ignored, len(read_files), len(scripts), tuple(failed), texts)


def is_script(path: str, text: str) -> bool:
    """Whether a file is a shell script by its ending or its first line, and so no Dockerfile."""
    return path.endswith(_SCRIPT_ENDINGS) or bool(_SHEBANG.match(text))


def _audited(file: Path, target: Target, options: Options) -> tuple[str, AuditResult]:
    """The text of a file that was named, and what is in it; a Dockerfile that cannot be parsed is an error."""
    if target.path.endswith(_SCRIPT_ENDINGS) or _begins_as_script(file):
        text = _script_text(file, target.path)
        return text, audit_script(text, target.path, _options(target, options))
    dockerfile = read(file, target.path)
    return dockerfile.text, audit(dockerfile, _options(target, options))


def _begins_as_script(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return bool(_SHEBANG.match(opened.read(_LONGEST_SHEBANG).decode(ENCODING, ERRORS)))
    except OSError:
        return False


def _script_text(file: Path, shown: str) -> str:
    try:
        content = file.read_bytes()[: _LARGEST_FILE + 1]
    except OSError as error:
        raise DockerfileError(f"it cannot be read: {error.strerror}", path=shown, line=1) from error
    if len(content) > _LARGEST_FILE:
        raise DockerfileError("the script is larger than mabuild reads", path=shown, line=1)
    return content.decode(ENCODING, ERRORS)


def _options(target: Target, options: Options) -> Options:
    return replace(
        options,
        platforms=target.platforms or options.platforms,
        arguments=dict(target.arguments),
        target=target.stage,
        read_script=reading(target.context),
    )


def reading(context: Path) -> Callable[[str], str | None]:
    """Reads files of a build context, and none outside of it; None for what is no readable text of a sane size."""
    root = context.resolve()

    def read_script(name: str) -> str | None:
        try:
            path = (root / name.lstrip("/")).resolve()
            if not path.is_relative_to(root) or not path.is_file() or path.stat().st_size > _LARGEST_FILE:
                return None
            return path.read_bytes().decode(ENCODING, ERRORS)
        except (OSError, ValueError):
            return None

    return read_script


def _places(target: Target, result: AuditResult, directory: Path) -> dict[str, str]:
    """The paths of scripts in the build context, as the user would name them."""
    root = os.path.relpath(target.context, directory)
    return {path: os.path.normpath(Path(root) / path.lstrip("/")) for path in result.scripts}


def _placed(finding: Finding, places: Mapping[str, str]) -> Finding:
    related = tuple(Related(places.get(one.path, one.path), one.line, one.message) for one in finding.related)
    return replace(finding, path=places.get(finding.path, finding.path), related=related)


@dataclass(frozen=True, slots=True)
class Mended:
    """Texts after all fixes, by path, and how many findings were mended."""

    texts: Mapping[str, str]
    before: Mapping[str, str]
    count: int

    def diff(self) -> str:
        """What changed, as one unified diff."""
        return "".join(diff(self.before[path], text, path) for path, text in sorted(self.texts.items()))

    def write(self, directory: Path) -> None:
        """Write the changed files."""
        for path, text in self.texts.items():
            (directory / path).write_bytes(text.encode(ENCODING, ERRORS))


def mend(audited: Audited, targets: Iterable[Target], options: Options, *, unsafe: bool) -> Mended:
    """Apply fixes until none is left that fits: one fix can make room for another in the same line."""
    by_path = {target.path: target for target in targets}
    changed: dict[str, str] = {}
    count = 0
    for path, text in audited.texts.items():
        findings = [finding for finding in audited.findings if finding.path == path]
        fixed = apply_fixes(text, findings, unsafe=unsafe)
        count += len(fixed.applied)
        if path in by_path and fixed.applied:
            rest = _again(fixed.text, by_path[path], options, unsafe=unsafe)
            changed[path], count = rest[0], count + rest[1]
        elif fixed.applied:
            changed[path] = fixed.text
    return Mended(changed, {path: audited.texts[path] for path in changed}, count)


def _again(text: str, target: Target, options: Options, *, unsafe: bool) -> tuple[str, int]:
    count = 0
    for _ in range(_MOST_PASSES):
        if is_script(target.path, text):
            result = audit_script(text, target.path, _options(target, options))
        else:
            result = audit(parse(text, target.path), _options(target, options))
        own = [one for one in result.findings if one.path == target.path and one.rule not in target.ignore]
        fixed = apply_fixes(text, own, unsafe=unsafe)
        if not fixed.applied:
            break
        text, count = fixed.text, count + len(fixed.applied)
    return text, count
