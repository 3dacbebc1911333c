"""Doors of a survey for tests of the verb alone: answers from tables, and a Dockerfile with files beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.auditing.context import Context
from orchestrator.auditing.packages.means import Means, Surveyed
from orchestrator.auditing.packages.survey import survey
from orchestrator.core.errors import MabuildError
from orchestrator.core.packages import Answers, Ecosystem, IndexOptions, PackageReport, Pin, ReleaseFile, Repository
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.dockerfile.parse import parse

AMD = "manylinux_2_17_x86_64.manylinux2014_x86_64"
ARM = "manylinux_2_17_aarch64.manylinux2014_aarch64"
BOTH = (LINUX_AMD64, LINUX_ARM64)


@dataclass
class Known:
    """An index with these files by project; `asked` are the questions."""

    files: Mapping[str, tuple[ReleaseFile, ...]]
    asked: list[tuple[tuple[Pin, ...], IndexOptions, str]] = field(default_factory=list)

    def ask(self, pins: tuple[Pin, ...], options: IndexOptions, python: str) -> Answers:
        self.asked.append((pins, options, python))
        projects = {pin.name: self.files[pin.name] for pin in pins if pin.name in self.files}
        return Answers(projects, absent={pin: "no index has it" for pin in pins if pin.name not in projects})


@dataclass
class Lists:
    """Mirrors with these names by architecture."""

    by_architecture: Mapping[str, tuple[str, ...]]

    def names(self, repository: Repository, architecture: str) -> Mapping[str, str]:
        if architecture not in self.by_architecture:
            raise MabuildError(f"{repository.address} has no list for {architecture}")
        return {name: f"{name}_1_{architecture}.deb" for name in self.by_architecture[architecture]}


def files(*names: str) -> tuple[ReleaseFile, ...]:
    return tuple(ReleaseFile(name) for name in names)


INDEX = Known(
    {
        "wheel-on-amd64": files(f"wheel_on_amd64-1.0-cp312-cp312-{AMD}.whl", "wheel_on_amd64-1.0.tar.gz"),
        "wheel-on-both": files(f"wheel_on_both-1.0-cp312-cp312-{AMD}.whl", f"wheel_on_both-1.0-cp312-cp312-{ARM}.whl"),
        "only-amd64": files(f"only_amd64-1.0-cp312-cp312-{AMD}.whl"),
        "mkl": files("mkl-2025.0-py2.py3-none-manylinux1_x86_64.whl"),
    }
)
MIRRORS = (Repository(Ecosystem.DEBIAN, "http://mirror.example/debian", "bookworm", "main", "debian"),)
LISTS = Lists({"amd64": ("only-amd64", "on-both"), "arm64": ("on-both",)})


def surveyed(
    dockerfile: str,
    context: Mapping[str, str] | None = None,
    means: Means | None = None,
    platforms: tuple[Platform, ...] = BOTH,
) -> PackageReport:
    """What a Dockerfile with these files beside it installs."""
    texts = dict(context or {})
    seen = Context(parse(dockerfile, "Dockerfile"), platforms, read_script=lambda path: texts.get(path.lstrip("/")))
    return survey([Surveyed.of(seen)], means or Means(INDEX, repositories=LISTS, mirrors=MIRRORS))


def verdicts(report: PackageReport) -> dict[str, str]:
    """Package -> its verdicts in the order of the platforms, in one word each."""
    return {
        f"{one.name} {one.version}".strip(): " ".join(each.verdict.value for each in one.offers)
        for one in report.packages
    }
