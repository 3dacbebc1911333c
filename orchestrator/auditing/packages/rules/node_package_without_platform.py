"""MA414: a Node package that leaves a platform out."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.packages.advice import platforms, reasons
from orchestrator.auditing.packages.rule import PackageProblem, package_rule
from orchestrator.core.finding import Severity
from orchestrator.core.packages import Availability, Ecosystem, Package


@package_rule("MA414", Severity.ERROR)
def node_package_without_platform(package: Package) -> Iterator[PackageProblem]:
    """A Node package of the lock file is not for a platform, by its `os`, `cpu` and `libc` fields.

    npm refuses a package of another platform. One that is optional is left out without a word, and the program that
    needs it fails when it starts: lock files that were written on one machine can lack the packages of the others.
    Install it on the platform once and commit the lock file, or write it anew with all platforms.

    Bad:
        FROM node:22-bookworm-slim
        WORKDIR /app
        COPY bad/package.json bad/package-lock.json ./
        RUN npm ci

    Good:
        FROM node:22-bookworm-slim
        WORKDIR /app
        COPY good/package.json good/package-lock.json ./
        RUN npm ci
    """
    lacking = package.lacking(Availability.NONE)
    if package.ecosystem is not Ecosystem.NODE or not lacking:
        return
    yield PackageProblem(
        f"{package.name}@{package.version} is not for {platforms(lacking)}", lacking, cause=reasons(lacking)
    )
