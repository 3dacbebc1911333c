"""MA508: code that is compiled for the very CPU that builds it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.call import Call
from orchestrator.auditing.context import Context
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_NATIVE = re.compile(
    r"-m(?:arch|cpu)=native\b|target-cpu=native\b|-xHost\b|-D(?:GGML|LLAMA|WHISPER)_NATIVE=(?:ON|1|TRUE)\b"
    r"|-D\w*(?:MARCH_NATIVE|ENABLE_NATIVE|USE_NATIVE\w*|NATIVE_ARCH)=(?:ON|1|TRUE)\b|-Dcpu=native\b|-mcpu=host\b",
    re.IGNORECASE,
)
_LLAMA = re.compile(r"llama\.cpp|whisper\.cpp|ggml-org/|ggerganov/|stable-diffusion\.cpp|llama-cpp", re.IGNORECASE)
_MESSAGE = "this compiles for the very CPU that builds: on a machine with an older one the program stops at the start"


@rule("MA508", Severity.WARNING)
def tuned_to_the_build_machine(context: Context) -> Iterator[Problem]:
    """A program is compiled for the CPU of the build machine.

    `-march=native` and its kin use every instruction that the builder has. The image then stops with "illegal
    instruction" on other CPUs of the same architecture, and under emulation nobody knows what it gets. llama.cpp does
    so unless GGML_NATIVE is OFF. Choose a baseline, such as `-march=x86-64-v2` on x86 and `-march=armv8-a` on arm64.

    Bad:
        FROM debian:13
        RUN gcc -O3 -march=native -o /app app.c

    Good:
        FROM debian:13
        RUN gcc -O3 -o /app app.c
    """
    for flag in context.flags:
        match = _NATIVE.search(flag.text)
        if match is not None:
            yield Problem(flag.place(match.start(), match.end()), _MESSAGE, path=flag.path)
    if _LLAMA.search(context.dockerfile.text) and "NATIVE" not in context.dockerfile.text:
        yield from _llama_builds(context)


def _llama_builds(context: Context) -> Iterator[Problem]:
    """Builds of llama.cpp and its relatives that leave GGML_NATIVE at its default, which is ON."""
    message = f"{_MESSAGE} (GGML_NATIVE is ON unless it is turned off)"
    for call in context.commands:
        if _configures(call) and _is_llama(context, call):
            yield Problem(call.word, message, path=call.path)
        elif call.name in {"pip", "pip3", "uv", "python", "python3"} and _builds_binding(call):
            yield Problem(call.word, message, path=call.path, severity=Severity.NOTE)


def _is_llama(context: Context, call: Call) -> bool:
    """Whether the command, or another one of its stage, is about llama.cpp or a relative."""
    if call.run.stage < 0:
        return True
    instructions = context.stages[call.run.stage].stage.instructions
    return any(_LLAMA.search(one.raw) is not None for one in instructions if one.keyword in {"RUN", "ADD", "WORKDIR"})


def _configures(call: Call) -> bool:
    return call.name == "cmake" and not {"--build", "--install", "-E", "--version"} & set(call.arguments)


def _builds_binding(call: Call) -> bool:
    """pip compiles llama-cpp-python where no index with wheels is named."""
    arguments = call.arguments
    named = any(re.match(r"llama[-_]cpp[-_]python\b", one) for one in arguments)
    return named and "install" in arguments and not any("index-url" in one or "only-binary" in one for one in arguments)
