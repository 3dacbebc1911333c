"""MA411: a Python distribution that has to be compiled on one platform only."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.packages.advice import named, newer_version, platforms, reasons, unbuilt_accelerator
from orchestrator.auditing.packages.known import needs_of
from orchestrator.auditing.packages.rule import PackageProblem, package_rule
from orchestrator.core.finding import Severity
from orchestrator.core.packages import Availability, Ecosystem, Package


@package_rule("MA411", Severity.WARNING)
def no_wheel_for_platform(package: Package) -> Iterator[PackageProblem]:
    """A Python distribution has a wheel for one platform and only its source for another.

    pip compiles it there, which needs a compiler and headers in the image, and takes very long where the platform is
    emulated. Take a version that has the wheel, or compile it once on a native node and install the wheel.

    Bad:
        FROM python:3.12-slim-bookworm
        RUN pip install wheel-on-amd64==1.0

    Good:
        FROM python:3.12-slim-bookworm
        RUN pip install wheel-on-both==1.0
    """
    sources = package.lacking(Availability.SOURCE)
    is_python = package.ecosystem is Ecosystem.PYTHON
    if not is_python or not sources or not package.lacking(Availability.BUILT) or unbuilt_accelerator(package):
        return
    needs = needs_of(package.name)
    yield PackageProblem(
        f"{named(package)} has no wheel for {platforms(sources)}: it is compiled there, very slowly under emulation"
        + (f"; that needs {needs}" if needs else ""),
        sources,
        fix=newer_version(package),
        cause=reasons(sources),
    )
