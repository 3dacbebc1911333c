"""MA405: packages that exist for x86 only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.architectures import AMD64, I386
from orchestrator.auditing.context import Context
from orchestrator.auditing.programs import PACKAGE_MANAGERS
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_INSTALLS = frozenset({"install", "add", "-S", "-Sy", "-Syu", "-i", "reinstall", "localinstall", "upgrade", "in"})
_X86_ONLY = re.compile(
    r"(?:lib32[a-z][\w.+-]*|libx32[\w.+-]*|ia32-libs[\w-]*|libc6-(?:dev-)?(?:i386|x32|amd64)|(?:gcc|g\+\+|gfortran)(?:-\d+)?-multilib"
    r"|intel-(?:mkl|oneapi|opencl|media|basekit|hpckit|microcode|level-zero|gpu-tools)[\w.+-]*|libmkl[\w.-]*|i965-va-driver[\w-]*"
    r"|winehq-\w+|wine32|wine-(?:stable|devel|staging)(?:-(?:amd64|i386))?|syslinux[\w-]*|isolinux|extlinux|grub-pc(?:-bin)?"
    r"|msr-tools|cpuid|memtest86\+?|virtualbox[\w.-]*|libmfx\w*|libvpl[\w-]*-?gpu|steam(?:cmd|-launcher)?"
    r"|teamviewer|skypeforlinux|slack-desktop|zoom|mssql-server|mysql-shell-x86|linux-(?:image|headers)-amd64"
    r"|beignet-opencl-icd|oracle-instantclient[\w.-]*|glibc-32bit|libgcc-32bit|libstdc\+\+6-32bit|microsoft-edge-(?:stable|beta|dev)|libipp[\w-]*)"
)  # as of November 2026; google-chrome-stable is not among them, because it has Linux arm64 packages since 2026


@rule("MA405", Severity.ERROR)
def x86_only_package(context: Context) -> Iterator[Problem]:
    """A package exists for x86 only.

    The package manager does not find it on arm64, and the build fails there. Install it for amd64 only, where the image
    can do without it, or take another one. The list is of November 2026: such packages become available with time.

    Bad:
        FROM debian:13
        RUN apt-get update && apt-get install -y gcc-multilib

    Good:
        FROM debian:13
        RUN apt-get update && apt-get install -y gcc
    """
    enabling = {call.run.stage for call in context.commands if call.name == "dpkg" and "i386" in call.arguments}
    for call in context.commands:
        if call.name not in PACKAGE_MANAGERS or not _INSTALLS & set(call.arguments):
            continue
        wrong = [one for one in call.platforms if one.architecture not in {AMD64, I386}]
        if not wrong:
            continue
        platforms = " and ".join(map(str, wrong))
        enables = call.run.stage in enabling
        for index, argument in enumerate(call.arguments):
            package = re.split(r"[=:/~]", argument, maxsplit=1)[0]
            if _X86_ONLY.fullmatch(package):
                word = call.words[index]
                message = f"{package} has no package for {platforms}: it is not found there, and the build fails"
                yield Problem(word, message, path=call.path, artifact="i386" if enables else argument, follows=enables)
