"""MA507: compiler flags that only x86 has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.architectures import AMD64, I386
from orchestrator.auditing.context import Context
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_FLAG = re.compile(
    r"(?<![\w-])(?:-m(?:avx\w*|sse[\w.]*|ssse3|fma4?|f16c|bmi2?|popcnt|pclmul|aes|lzcnt|adx|rtm|32|64|x32|mmx|3dnow)\b"
    r"|-m(?:arch|tune|cpu)=(?:x86-64(?:-v[1-4])?|haswell|broadwell|(?:sky|cascade|cooper|ice|tiger|alder)lake[\w-]*"
    r"|skylake-avx512|znver\d|nehalem|westmere|(?:sandy|ivy)bridge|core2|core-avx\S*|corei7[\w-]*|k8|k8-sse3|i[3-6]86"
    r"|pentium\w*|btver\d|bdver\d|knl|amdfam10)"
    r"|target-cpu=(?:x86-64(?:-v[1-4])?|haswell|skylake[\w-]*|znver\d|nehalem|broadwell|icelake[\w-]*)"
    r"|target-feature=\S*\+(?:avx|sse|fma|bmi|aes\b|pclmul)[\w.,+-]*)"
)
_LEVEL = re.compile(r"v[2-4]")


@rule("MA507", Severity.ERROR)
def x86_flags(context: Context) -> Iterator[Problem]:
    """Compiler flags of x86 are given on every platform.

    A compiler for arm64 does not know `-mavx2`, `-m64` or `-march=haswell` and stops: the build fails there. Give them
    only where TARGETARCH or `uname -m` says x86.

    Bad:
        FROM debian:13
        RUN gcc -O2 -mavx2 -o /app app.c

    Good:
        FROM debian:13
        RUN gcc -O2 $([ "$(uname -m)" = x86_64 ] && echo -mavx2) -o /app app.c
    """
    for flag in context.flags:
        wrong = [one for one in flag.platforms if one.architecture not in {AMD64, I386}]
        if not wrong:
            continue
        match = _FLAG.search(flag.text)
        platforms = " and ".join(map(str, wrong))
        if match is not None:
            message = f"{match[0]} is a flag of x86: on {platforms} the compiler refuses it and the build fails"
            yield Problem(flag.place(match.start(), match.end()), message, path=flag.path)
    for flag in context.flags:
        is_everywhere = flag.variable == "GOAMD64" and len(flag.platforms) == len(context.platforms)
        level = _LEVEL.fullmatch(flag.text) if is_everywhere else None
        if level is not None:
            message = (
                f"GOAMD64={level[0]} makes programs that need a newer x86 CPU: on older ones they stop at the start; "
                "other platforms do not heed it"
            )
            place = flag.place(0, len(flag.text))
            yield Problem(place, message, path=flag.path, severity=Severity.NOTE)
