"""Manifest files become one fleet, or all mistakes in them together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.core.errors import ManifestError
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Fleet
from orchestrator.manifest.assemble import Assembly
from orchestrator.manifest.files import File, manifest_files, manifest_text
from orchestrator.manifest.joining import join
from orchestrator.manifest.mistake import in_order, mistake
from orchestrator.manifest.overrides import Override, check_overrides, parse_override
from orchestrator.manifest.source import Source, read_source
from orchestrator.manifest.surroundings import Surroundings
from orchestrator.manifest.variables import Variables


def load(
    files: tuple[str, ...], *, environment: Mapping[str, str], directory: Path, overrides: tuple[str, ...] = ()
) -> Fleet:
    """The fleet of manifest files or folders, relative to `directory`; without any, `mabuild.yaml` or `manifests/`.

    `overrides` are values such as `api.args.VERSION=2` that take the place of what the files say.
    Raises ManifestError with every mistake, and UsageError where there is no manifest at all.
    """
    named = manifest_files(files, directory)
    changes = tuple(parse_override(text) for text in overrides)
    sources, findings = _sources(named, environment, changes)
    check_overrides(changes, [name for source in sources for name in source.names("services")])
    joined = join(sources)
    assembly = Assembly(joined, environment, whole=len(sources) == len(named))
    surroundings = Surroundings(joined, environment)
    fleet = Fleet(
        services=assembly.services(),
        nodes=surroundings.nodes(),
        runners=surroundings.runners(),
        publish=surroundings.publish(),
        registries=surroundings.registries(),
        files=tuple(file.shown for file in named),
    )
    findings = [*findings, *joined.findings, *assembly.findings, *surroundings.findings]
    if not findings and not fleet.services and not fleet.nodes:
        place = sources[0].document.place(sources[0].document.root)
        findings.append(mistake("empty", place, "no service is described; add one under `services`"))
    if findings:
        raise ManifestError(in_order(findings))
    return fleet


def _sources(
    files: tuple[File, ...], environment: Mapping[str, str], changes: tuple[Override, ...]
) -> tuple[tuple[Source, ...], list[Finding]]:
    """The files that could be read, and the mistakes in all of them."""
    sources: list[Source] = []
    findings: list[Finding] = []
    variables: dict[Path, Variables] = {}
    for file in files:
        directory = file.path.parent
        known = variables.setdefault(directory, Variables(environment, directory))
        try:
            source = read_source(manifest_text(file), file.shown, directory, known, changes)
        except ManifestError as error:
            findings += error.findings
            continue
        sources.append(source)
        findings += source.findings
        findings += _version_missing(source)
    return tuple(sources), findings


def _version_missing(source: Source) -> list[Finding]:
    if source.model.version or ("version",) in source.broken:
        return []
    return [mistake("version", source.place(), "`version: 1` is missing: every manifest file says its format")]
