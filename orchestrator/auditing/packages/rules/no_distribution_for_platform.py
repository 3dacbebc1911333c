"""MA412: a Python distribution that cannot be installed on a platform."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.packages.advice import named, newer_version, platforms, reasons, unbuilt_accelerator
from orchestrator.auditing.packages.rule import PackageProblem, package_rule
from orchestrator.core.finding import Severity
from orchestrator.core.packages import Availability, Ecosystem, Package


@package_rule("MA412", Severity.ERROR)
def no_distribution_for_platform(package: Package) -> Iterator[PackageProblem]:
    """A Python distribution has neither a wheel nor a source distribution that a platform could use.

    The installation fails there. Take a version that has a wheel, or leave the distribution out for that platform with
    a marker such as `; platform_machine == "x86_64"`.

    Bad:
        FROM python:3.12-slim-bookworm
        RUN pip install only-amd64==1.0

    Good:
        FROM python:3.12-slim-bookworm
        RUN pip install wheel-on-both==1.0
    """
    lacking = package.lacking(Availability.NONE)
    if package.ecosystem is not Ecosystem.PYTHON or not lacking or unbuilt_accelerator(package):
        return
    yield PackageProblem(
        f"{named(package)} cannot be installed on {platforms(lacking)}: the build fails there",
        lacking,
        fix=newer_version(package),
        cause=reasons(lacking),
    )
