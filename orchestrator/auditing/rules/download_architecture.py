"""MA301: an address that names one architecture."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.advice import download_fix, problem, wrong_platforms
from orchestrator.auditing.architectures import ARM64
from orchestrator.auditing.context import Context
from orchestrator.auditing.guess import vendor_sentence
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_download, is_harmless
from orchestrator.core.finding import Severity


@rule("MA301", Severity.ERROR)
def download_architecture(context: Context) -> Iterator[Problem]:
    """A download is for one architecture.

    Every platform gets the same file. Downloading and unpacking it works everywhere, so the build is green, and the
    program cannot start on the other platform, or runs slowly under emulation that happens to be there. BuildKit sets
    TARGETARCH (amd64, arm64) in stages that declare it; vendors that use the kernel's names (x86_64, aarch64) want
    `$(uname -m)`, and others a `case`.

    Bad:
        FROM debian:13
        ADD https://dl.k8s.io/release/v1.34.0/bin/linux/amd64/kubectl /usr/local/bin/kubectl

    Good:
        FROM debian:13
        ARG TARGETARCH
        ADD https://dl.k8s.io/release/v1.34.0/bin/linux/${TARGETARCH}/kubectl /usr/local/bin/kubectl
    """
    for mention in context.mentions:
        if _is_added(mention) or (is_download(mention) and not is_harmless(mention)):
            vendor, known = vendor_sentence(mention)
            names = vendor.names(ARM64) if vendor is not None else ()
            message = (
                f"this downloads a file for {mention.family}: on {wrong_platforms(mention)} the build succeeds, "
                f"and the program in it cannot run{known}"
            )
            fix = download_fix(context, mention, names, safe=bool(names))
            yield problem(mention, message, fix=fix)


def _is_added(mention: Mention) -> bool:
    return mention.role is Role.SOURCE and is_address(mention.value)
