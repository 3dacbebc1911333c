"""MA604: a vendor's library folder for one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_talk
from orchestrator.core.finding import Severity

_FOLDER = re.compile(
    r"/intel/[\w./-]*(?:intel64|lib64)|/targets/(?:x86_64|sbsa|aarch64)-linux|/(?:python[\d.]*|site-packages)/\S*x86_64"
    r"|/gcc/x86_64|/lib/gcc/\S*x86_64|/opt/\S*(?:x86_64|amd64|linux-x64|intel64|linux64|glnxa64)|/(?:usr|opt)/local/cuda\S*x86_64"
    r"|/usr/lib/(?:go|rustlib)/\S*(?:amd64|x86_64)|/perl[\d./]*/x86_64"
)

_INSTALLED = re.compile(r"/opt/(?!intel)")
"""Folders that something unpacked before brought; those of vendors are there by themselves."""


@rule("MA604", Severity.ERROR)
def vendor_library_directory(context: Context) -> Iterator[Problem]:
    """A vendor's folder is called after one architecture.

    The other platform has no such folder, or an empty one: libraries are not found when the program is built or
    started.

    Bad:
        FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
        ENV LIBRARY_PATH=/usr/local/cuda/targets/x86_64-linux/lib

    Good:
        FROM nvidia/cuda:13.0.0-devel-ubuntu24.04
        ENV LIBRARY_PATH=/usr/local/cuda/lib64
    """
    for mention in context.mentions:
        if mention.role is Role.ARG or is_talk(mention) or is_address(mention.value):
            continue
        if _FOLDER.search(mention.value):
            message = (
                f"this folder is for {mention.family}: on {wrong_platforms(mention)} it is not there, "
                "and what is in it is not found"
            )
            yield problem(mention, message, follows=_INSTALLED.search(mention.value) is not None)
