"""MA415: a package that is tied to an accelerator or to x86 instructions."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.packages.advice import named, platforms, reasons, unbuilt_accelerator
from orchestrator.auditing.packages.known import checked
from orchestrator.auditing.packages.rule import PackageProblem, package_rule
from orchestrator.core.finding import Severity
from orchestrator.core.packages import Availability, Package


@package_rule("MA415", Severity.ERROR)
def accelerator_only(package: Package) -> Iterator[PackageProblem]:
    """A package is tied to CUDA, ROCm, MKL or AVX and has no build for another architecture.

    What there is changes with time: many CUDA wheels exist for arm64 servers today, MKL and ROCm do not. The sound
    answers are the arm64 wheel of a newer version, a CPU build for that platform by a marker such as
    `; platform_machine == "x86_64"`, or leaving the platform out for this service. It is an error where the
    installation fails, and a note where it is compiled.

    Bad:
        FROM python:3.12-slim-bookworm
        RUN pip install mkl==2025.0

    Good:
        FROM python:3.12-slim-bookworm
        RUN pip install 'mkl==2025.0; platform_machine == "x86_64"'
    """
    known = unbuilt_accelerator(package)
    if known is None:
        return
    lacking = tuple(
        one for one in package.offers if one.verdict is not Availability.BUILT and one.platform.architecture != "amd64"
    )
    is_compiled = all(one.verdict is Availability.SOURCE for one in lacking)
    yield PackageProblem(
        f"{named(package)} is tied to {known.kind} and has no build for {platforms(lacking)}: {known.advice}",
        lacking,
        severity=Severity.NOTE if is_compiled else None,
        cause="; ".join(filter(None, (reasons(lacking), f"as known on {checked()}"))),
    )
