"""MA407: a Python wheel for one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_talk
from orchestrator.core.finding import Severity

_WHEEL = re.compile(
    r"(?:many|musl)?linux[\w.]*(?:x86_64|amd64|i686|aarch64|armv7l)[\w.]*\.whl|linux_x86_64|x86_64\.whl"
)


@rule("MA407", Severity.ERROR)
def wheel_architecture(context: Context) -> Iterator[Problem]:
    """A wheel for one architecture is installed.

    pip refuses a wheel of another platform, so the build fails there. Ask for the project by name and version, or
    choose the file with `$(uname -m)`, whose names wheels use.

    Bad:
        FROM python:3.13-slim
        RUN pip install https://example.com/tool-1.0-cp313-cp313-manylinux2014_x86_64.whl

    Good:
        FROM python:3.13-slim
        RUN pip install https://example.com/tool-1.0-cp313-cp313-manylinux2014_$(uname -m).whl
    """
    for mention in context.mentions:
        if _WHEEL.search(mention.value) and ".whl" in mention.value and not is_talk(mention):
            message = (
                f"this wheel is for {mention.family}: on {wrong_platforms(mention)} pip refuses it and the build fails"
            )
            brings = is_address(mention.value) or mention.role in {Role.SOURCE, Role.ENV, Role.VARIABLE}
            yield problem(mention, message, follows=not brings)
