"""MA406: a package repository whose path names one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.guess import vendor_sentence
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_header, is_talk, writes_file
from orchestrator.core.finding import Severity

_REPOSITORY = re.compile(
    r"/compute/(?:cuda|machine-learning)/repos/|baseurl\s*=|mirrorlist\s*=|^\s*Server\s*=|\brepos?/.*(?:x86_64|amd64)/?$"
    r"|/os/(?:x86_64|amd64)|/epel[/-].*x86_64|rhui|\.repo\b",
    re.IGNORECASE | re.MULTILINE,
)
_ADDS_REPOSITORY = frozenset({"--add-repo", "addrepo", "ar", "config-manager", "yum-config-manager", "zypper"})


@rule("MA406", Severity.ERROR)
def repository_path_architecture(context: Context) -> Iterator[Problem]:
    """A repository's address names one architecture.

    On the other platform the package manager reads a list of packages that it cannot install: they are not found, and
    the build fails. yum and dnf have `$basearch`; NVIDIA's repositories call arm64 servers `sbsa`.

    Bad:
        FROM rockylinux:9
        RUN printf '[tool]\\nbaseurl=https://rpm.example.com/el9/x86_64/\\n' > /etc/yum.repos.d/tool.repo

    Good:
        FROM rockylinux:9
        RUN printf '[tool]\\nbaseurl=https://rpm.example.com/el9/$basearch/\\n' > /etc/yum.repos.d/tool.repo
    """
    for mention in context.mentions:
        if not is_talk(mention) and _is_repository(mention):
            _, known = vendor_sentence(mention)
            message = (
                f"this repository is for {mention.family}: on {wrong_platforms(mention)} its packages are not found "
                f"and the build fails{known}"
            )
            yield problem(mention, message)


def _is_repository(mention: Mention) -> bool:
    if mention.role not in {Role.ARGUMENT, Role.TEXT, Role.SOURCE, Role.FALLBACK, Role.LOOSE}:
        return False
    if writes_file(mention) or is_header(mention) or not is_address(mention.value):
        return False
    if _REPOSITORY.search(mention.value):
        return True
    arguments = mention.call.arguments if mention.call is not None else ()
    return mention.program in {"yum-config-manager", "dnf", "yum", "zypper"} and bool(
        _ADDS_REPOSITORY & {*arguments, mention.program} and not mention.value.endswith(".rpm")
    )
