"""MA506: CMake, vcpkg, Meson or conan are told one processor."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_PROGRAMS = frozenset({"cmake", "ccmake", "vcpkg", "meson", "conan", "xmake", "premake5", "emcmake", "qmake", "ninja"})
_VARIABLES = re.compile(r"CMAKE_\w+|VCPKG_\w*TRIPLET|CONAN_\w+|MESON_\w+")


@rule("MA506", Severity.ERROR)
def cmake_processor(context: Context) -> Iterator[Problem]:
    """CMake or a relative of it is told one processor.

    The other platform's build then looks for libraries of the wrong triplet, or gives flags to the compiler that it
    refuses, and fails; a cross toolchain file makes programs that cannot run there.

    Bad:
        FROM debian:13
        RUN cmake -B build -DCMAKE_SYSTEM_PROCESSOR=x86_64 .

    Good:
        FROM debian:13
        RUN cmake -B build .
    """
    for mention in context.mentions:
        if _is_processor(mention):
            message = (
                f"this configures the build for {mention.family} on every platform: on {wrong_platforms(mention)} "
                "it fails, or makes programs that cannot run"
            )
            yield problem(mention, message)


def _is_processor(mention: Mention) -> bool:
    if mention.role in {Role.ENV, Role.VARIABLE}:
        return bool(_VARIABLES.fullmatch(mention.variable))
    if mention.role is not Role.ARGUMENT or mention.program not in _PROGRAMS:
        return False
    return "linux-gnu/" not in mention.value
