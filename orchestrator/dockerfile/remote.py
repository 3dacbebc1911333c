"""Sources that a build fetches from the net, and whether it is written down what they have to hold."""

from __future__ import annotations

import re

from orchestrator.dockerfile.instruction import Instruction

_HTTP = re.compile(r"https?://", re.IGNORECASE)
_GIT = re.compile(r"git://|git@|ssh://|https?://[^#?]*\.git(?:$|[#?])|github\.com/", re.IGNORECASE)
_COMMIT = re.compile(r"#[0-9a-f]{40}(?:[0-9a-f]{24})?(?::|$)|[?&](?:checksum|commit|ref)=[0-9a-f]{40}")


def is_remote(source: str) -> bool:
    """Whether a source of ADD, or the value of a build context, is fetched from the net."""
    return bool(_HTTP.match(source) or _GIT.match(source))


def is_pinned(source: str) -> bool:
    """Whether a git source names the whole digest of a commit; http sources never say what they hold."""
    return bool(_GIT.match(source) and _COMMIT.search(source))


def open_sources(instruction: Instruction, sources: list[str]) -> list[str]:
    """The sources of an ADD whose content may change without the Dockerfile changing."""
    if instruction.flag("checksum"):
        return []
    return [source for source in sources if is_remote(source) and not is_pinned(source)]
