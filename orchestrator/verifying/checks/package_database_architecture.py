"""MV406 package-database-architecture."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Content, Evidence
from orchestrator.verifying.globs import matches
from orchestrator.verifying.node import Packages
from orchestrator.verifying.origin import cause_of
from orchestrator.verifying.packages import NEUTRAL, names_of


@check("MV406", "package-database-architecture", Severity.ERROR, Level.FULL)
def package_database_architecture(evidence: Evidence) -> Iterator[Problem]:
    """The distribution's package database is that of another architecture.

    dpkg, apk and rpm write down for which architecture each package was installed. Where most packages are of another
    one, the whole userland is; a few of another one are a note (multi-arch, such as i386 libraries on amd64).

    Use a base image that has the platform, and no `--platform` in FROM.
    """
    for content in evidence.contents:
        for path, layer, node in content.files.items():
            if isinstance(node.detail, Packages) and not matches(path, evidence.expectation.ignore):
                yield from _problems(evidence, content, path, layer, node.detail)


def _problems(evidence: Evidence, content: Content, path: str, layer: int, packages: Packages) -> Iterator[Problem]:
    platform = content.entry.platform
    right = names_of(path, platform.architecture) if platform else ()
    counted = {name: count for name, count in packages.architectures if name not in NEUTRAL}
    own = sum(count for name, count in counted.items() if name in right)
    others = {name: count for name, count in counted.items() if name not in right}
    if not right or not others:
        return
    name, count = max(others.items(), key=lambda pair: pair[1])
    if sum(others.values()) > own:
        message = f"/{path} lists {count} packages for {name} and {own} for {right[0]}"
        cause = cause_of(evidence, content.entry, (layer,), is_base=False)
        yield Problem(message, content.entry.label, f"/{path}", cause)
    else:
        message = f"/{path} lists {count} packages for {name} beside {own} for {right[0]}"
        yield Problem(message, content.entry.label, f"/{path}", severity=Severity.NOTE)
