"""MA401: a package source that is limited to one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import DEBIAN_NAME, problem, replacing, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_LIMIT = re.compile(r"\barch(?:itecture)?s?\s*[=:]\s*[\"']?$|\[[^\]]*\barch=$", re.IGNORECASE)
_ENTRY = re.compile(r"\bdeb(?:-src)?\s+\[|^\s*Architectures\s*:|\[\s*arch=|arch=\w+\s+signed-by|signed-by=\S+\s+arch=")


@rule("MA401", Severity.ERROR)
def package_source_architecture(context: Context) -> Iterator[Problem]:
    """A package source is limited to one architecture.

    apt reads only packages of that architecture from it. On the other platform the packages are not found, and the
    build fails; where an older version is in the distribution, that one is installed instead, and nobody notices.

    Bad:
        FROM debian:13
        RUN echo "deb [arch=amd64] https://repo.example.com stable main" > /etc/apt/sources.list

    Good:
        FROM debian:13
        RUN echo "deb [arch=$(dpkg --print-architecture)] https://repo.example.com stable main" > /etc/apt/sources.list
    """
    for mention in context.mentions:
        if _is_limit(mention):
            message = (
                f"this source gives packages for {mention.family} only: on {wrong_platforms(mention)} "
                "the package is not found and the build fails, or an older one of the distribution is taken"
            )
            fix = replacing(context, mention, lambda _: DEBIAN_NAME, "take the architecture that dpkg names", safe=True)
            yield problem(mention, message, fix=fix if mention.name == "amd64" and len(mention.names) == 1 else None)


def _is_limit(mention: Mention) -> bool:
    before = mention.text[: mention.names[0].start - mention.start]
    return bool(_LIMIT.search(before)) and bool(_ENTRY.search(mention.text))
