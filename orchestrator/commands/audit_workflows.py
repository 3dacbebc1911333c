"""The workflow files of an audit: which ones, and what was found in the steps that come before a build."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from orchestrator.auditing.engine import Options
from orchestrator.auditing.workflow import audit_workflow
from orchestrator.commands.audit_files import ENCODING, Audited
from orchestrator.core.errors import DockerfileError, ManifestError
from orchestrator.core.finding import Finding

_FOLDER = Path(".github/workflows")
_ENDINGS = (".yml", ".yaml")
_LARGEST = 1024 * 1024


def is_workflow(path: str, directory: Path) -> bool:
    """Whether a path that was named is a workflow file."""
    return path.endswith(_ENDINGS) and (directory / path).is_file()


def workflows_of(directory: Path) -> tuple[str, ...]:
    """The workflow files of a checkout."""
    found = sorted(path for path in (directory / _FOLDER).glob("*") if path.name.endswith(_ENDINGS))
    return tuple(path.relative_to(directory).as_posix() for path in found)


def with_workflows(audited: Audited, paths: tuple[str, ...], options: Options, directory: Path) -> Audited:
    """The audit with what the steps of workflow files download for one architecture only."""
    from orchestrator.manifest.workflow import read_workflow

    findings: list[Finding] = []
    texts: dict[str, str] = {}
    failed: list[DockerfileError] = []
    for path in paths:
        try:
            text = _text(directory / path, path)
            found = audit_workflow(read_workflow(text, path), path, options)
        except ManifestError as error:
            first = error.findings[0]
            failed.append(DockerfileError(first.message, path=path, line=first.line))
            continue
        except DockerfileError as error:
            failed.append(error)
            continue
        findings += found.findings
        texts[path] = text
    return replace(
        audited,
        findings=(*audited.findings, *findings),
        failed=(*audited.failed, *failed),
        texts={**audited.texts, **texts},
    )


def _text(path: Path, shown: str) -> str:
    """The text of a file; DockerfileError where it is none of a sane size."""
    try:
        content = path.read_bytes()[: _LARGEST + 1]
        if len(content) > _LARGEST:
            raise DockerfileError("it is larger than 1 MiB", path=shown, line=1)
        return content.decode(ENCODING)
    except (OSError, UnicodeDecodeError) as error:
        raise DockerfileError(f"it cannot be read: {error}", path=shown, line=1) from error
