"""MA409: a conda installer for one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import download_fix, problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_harmless
from orchestrator.core.finding import Severity

_INSTALLER = re.compile(
    r"(?:miniconda|anaconda|miniforge|mambaforge|micromamba)[\w.-]*.*(?:x86_64|aarch64|linux-64|linux64)", re.IGNORECASE
)


@rule("MA409", Severity.ERROR)
def conda_installer(context: Context) -> Iterator[Problem]:
    """A conda installer for one architecture is fetched.

    The installer holds programs of that architecture: on the other platform it fails as soon as it starts them. The
    files are called after `uname -m`.

    Bad:
        FROM debian:13
        RUN wget -q https://repo.anaconda.com/miniconda/Miniconda3-latest-Linux-x86_64.sh -O conda.sh

    Good:
        FROM debian:13
        RUN wget -q https://repo.anaconda.com/miniconda/Miniconda3-latest-Linux-$(uname -m).sh -O conda.sh
    """
    for mention in context.mentions:
        if not _INSTALLER.search(mention.value) or is_harmless(mention) or mention.role is Role.ARG:
            continue
        message = (
            f"this installer is for {mention.family}: on {wrong_platforms(mention)} it cannot start its own programs, "
            "and the build fails"
        )
        brings = is_address(mention.value) or mention.role in {Role.ENV, Role.VARIABLE, Role.SOURCE}
        fix = download_fix(context, mention, ("aarch64",), safe=True) if brings else None
        yield problem(mention, message, fix=fix, follows=not brings)
