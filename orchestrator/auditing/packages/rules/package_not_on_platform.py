"""MA413: a package of the distribution that does not exist for a platform."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.packages.advice import named, platforms, reasons
from orchestrator.auditing.packages.rule import PackageProblem, package_rule
from orchestrator.core.finding import Severity
from orchestrator.core.packages import Availability, Ecosystem, Package


@package_rule("MA413", Severity.ERROR)
def package_not_on_platform(package: Package) -> Iterator[PackageProblem]:
    """A package of Debian, Ubuntu or Alpine does not exist for a platform in the release of the image.

    `apt-get install` or `apk add` fails there. Install it only where it exists, as in
    `[ "$TARGETARCH" != amd64 ] || apt-get install …`, or take another release or package.

    Bad:
        FROM debian:bookworm
        RUN apt-get update && apt-get install -y only-amd64

    Good:
        FROM debian:bookworm
        RUN apt-get update && apt-get install -y on-both
    """
    lacking = package.lacking(Availability.NONE)
    if package.ecosystem not in {Ecosystem.DEBIAN, Ecosystem.ALPINE} or not lacking:
        return
    yield PackageProblem(
        f"{named(package)} is not there for {platforms(lacking)}: the build fails there",
        lacking,
        cause=reasons(lacking),
    )
