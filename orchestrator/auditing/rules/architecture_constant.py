"""MA205: a variable or an option that holds one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.architectures import names, word_name
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.programs import PACKAGE_MANAGERS
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_harmless, is_header
from orchestrator.core.finding import Severity

_SENTENCE = re.compile(r"\b\w+ \w+ \w+ \w+\b")
_FILE = re.compile(r"\.(?:tar|tgz|zip|gz|xz|deb|rpm|apk|whl|jar|sh|bin|run)\b|/.*[a-z]{3,}.*/")
_PATHS = frozenset({"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH"})


@rule("MA205", Severity.ERROR)
def architecture_constant(context: Context) -> Iterator[Problem]:
    """A variable or an option holds one architecture.

    What is made of it is for that architecture on every platform: a download, a path, the target of a compiler. Derive
    it from TARGETARCH, `uname -m` or `dpkg --print-architecture`.

    Bad:
        FROM debian:13
        ENV TOOL_ARCH=amd64
        RUN curl -fsSLo /usr/bin/tool https://example.com/tool-${TOOL_ARCH}

    Good:
        FROM debian:13
        ARG TARGETARCH
        ENV TOOL_ARCH=${TARGETARCH}
        RUN curl -fsSLo /usr/bin/tool https://example.com/tool-${TOOL_ARCH}
    """
    for mention in context.mentions:
        if not _is_constant(mention):
            continue
        what = f"{mention.variable} is" if mention.variable else "this is"
        if is_address(mention.value):
            effect = "the build downloads a file that cannot run there, and succeeds"
        else:
            effect = "what is made of it is for the wrong architecture, or is not found"
        message = f"{what} {mention.name} on every platform: on {wrong_platforms(mention)} {effect}"
        yield problem(mention, message, follows=_is_path(mention))


def _is_constant(mention: Mention) -> bool:
    match mention.role:
        case Role.ENV | Role.VARIABLE:
            return not _is_own_variable(mention) and not _is_sentence(mention)
        case Role.ARG:
            return _is_file(mention) and not _is_own_variable(mention)
        case Role.FALLBACK | Role.LIST:
            return not is_harmless(mention)
        case Role.ARGUMENT:
            if mention.is_printed and mention.program in {"echo", "printf"}:
                return True
            return (
                mention.program not in PACKAGE_MANAGERS | {"rustup"}
                and not is_harmless(mention)
                and not is_header(mention)
            )
        case _:
            return False


def _is_own_variable(mention: Mention) -> bool:
    """`URL_AMD64=…amd64…`: the name says that it is for one architecture, and something else chooses it."""
    return any(name.family == mention.family for name in names(mention.variable))


def _is_file(mention: Mention) -> bool:
    """A file or an address; plain names of architectures are another rule's."""
    return is_address(mention.value) or bool(_FILE.search(mention.value))


def _is_sentence(mention: Mention) -> bool:
    return bool(_SENTENCE.search(mention.value)) and not word_name(mention.value) and "://" not in mention.value


def _is_path(mention: Mention) -> bool:
    return mention.variable in _PATHS or mention.value.startswith("/")
