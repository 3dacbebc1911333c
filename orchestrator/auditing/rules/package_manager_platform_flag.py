"""MA408: a package manager is told which platform to fetch for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import option_before
from orchestrator.core.finding import Severity

_OPTIONS = {
    "pip": {"--platform"}, "pip3": {"--platform"}, "uv": {"--python-platform", "--platform"}, "python": {"--platform"},
    "python3": {"--platform"}, "poetry": {"--platform"}, "apk": {"--arch"},
    "dnf": {"--forcearch"}, "yum": {"--forcearch"},
    "microdnf": {"--forcearch"}, "dnf5": {"--forcearch"}, "conda": {"--subdir", "--platform"}, "rpm": {"--target"},
    "mamba": {"--subdir", "--platform"}, "micromamba": {"--platform"}, "npm": {"--cpu", "--arch", "--target_arch"},
    "yarn": {"--cpu", "--arch"}, "pnpm": {"--cpu"}, "debootstrap": {"--arch"}, "apt-get": {"-o"}, "apt": {"-o"},
    "mmdebstrap": {"--architectures"}, "skopeo": {"--override-arch"}, "crane": {"--platform"}, "oras": {"--platform"},
    "gem": {"--platform"}, "bundle": {"--add-platform"}, "yumdownloader": {"--archlist"}, "npx": {"--arch"},
    "vcpkg": {"--triplet"}, "gcloud": {"--architecture"}, "pixi": {"--platform"}, "conda-lock": {"--platform", "-p"},
}  # fmt: skip
_VARIABLES = re.compile(
    r"CONDA_SUBDIR|CONDA_OVERRIDE_ARCHSPEC|(?:NPM_CONFIG|npm_config)_(?:arch|cpu|target_arch|ARCH|CPU)|PIP_PLATFORM"
)


@rule("MA408", Severity.ERROR)
def package_manager_platform_flag(context: Context) -> Iterator[Problem]:
    """A package manager is told to fetch for one architecture.

    It then fetches files of that architecture on every platform. Some refuse to install them, and the build fails;
    others unpack them, and the image holds programs that cannot run.

    Bad:
        FROM python:3.13-slim
        RUN pip download --only-binary=:all: --platform manylinux2014_x86_64 numpy

    Good:
        FROM python:3.13-slim
        RUN pip download --only-binary=:all: numpy
    """
    for mention in context.mentions:
        if _is_flag(mention) or (mention.role in {Role.ENV, Role.VARIABLE} and _VARIABLES.fullmatch(mention.variable)):
            message = (
                f"packages are fetched for {mention.name} on every platform: on {wrong_platforms(mention)} "
                "they cannot be installed, or cannot run"
            )
            yield problem(mention, message)


def _is_flag(mention: Mention) -> bool:
    options = _OPTIONS.get(mention.program)
    if options is None or mention.role is not Role.ARGUMENT:
        return False
    attached = mention.value.partition("=")[0] if mention.value.startswith("-") else ""
    return bool(options & {option_before(mention), attached}) or "APT::Architecture" in mention.value
