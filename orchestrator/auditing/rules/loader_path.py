"""MA602: the dynamic loader of one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_talk
from orchestrator.core.finding import Severity

_LOADER = re.compile(
    r"ld-linux-(?:x86-64|aarch64|armhf)\.so|ld-musl-(?:x86_64|aarch64|i386|armhf)|libc\.musl-(?:x86_64|aarch64)"
)


@rule("MA602", Severity.ERROR)
def loader_path(context: Context) -> Iterator[Problem]:
    """A path names the loader of one architecture.

    The dynamic loader is called after its architecture, so COPY does not find it on the other platform and the build
    fails. A wildcard takes the right one: `/lib/ld-musl-*.so.1`, `/lib*/ld-linux-*.so.*`.

    Bad:
        FROM alpine:3.23 AS build
        FROM scratch
        COPY --from=build /lib/ld-musl-x86_64.so.1 /lib/

    Good:
        FROM alpine:3.23 AS build
        FROM scratch
        COPY --from=build /lib/ld-musl-*.so.1 /lib/
    """
    for mention in context.mentions:
        if _LOADER.search(mention.text) and not is_talk(mention):
            message = (
                f"this loader is for {mention.family}: on {wrong_platforms(mention)} it is not there, "
                "and the build fails"
            )
            yield problem(mention, message)
