"""MA410: an npm or NuGet package for one platform."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_PROGRAMS = frozenset({"npm", "yarn", "pnpm", "bun", "npx", "dotnet", "nuget", "deno"})
_PACKAGE = re.compile(
    r"(?:@[\w.-]+/)?[\w.-]*(?:linux|linuxmusl|runtime)[\w.-]*[-.](?:x64|arm64|ia32|arm)[\w.-]*(?:@.*)?"
)


@rule("MA410", Severity.ERROR)
def npm_platform_package(context: Context) -> Iterator[Problem]:
    """A package for one platform is installed by name.

    Packages such as `@esbuild/linux-x64` hold the program for one architecture, and are optional dependencies of the
    real one. On the other platform npm refuses them, and the build fails. Install the real package: it chooses.

    Bad:
        FROM node:24-slim
        RUN npm install @esbuild/linux-x64

    Good:
        FROM node:24-slim
        RUN npm install esbuild
    """
    for mention in context.mentions:
        if mention.role is Role.ARGUMENT and mention.program in _PROGRAMS and _PACKAGE.fullmatch(mention.value):
            message = (
                f"this package is for {mention.family}: on {wrong_platforms(mention)} it is refused or does not load"
            )
            yield problem(mention, message)
