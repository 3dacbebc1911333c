"""Image references as docker reads them: registry, repository, tag and digest."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Self

from orchestrator.core.errors import UsageError

DOCKER_HUB = "docker.io"
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(rf"{_COMPONENT}(?:/{_COMPONENT})*")
_HOST = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\.[A-Za-z0-9-]+)*(?::\d{1,5})?|\[[0-9a-fA-F:]+\](?::\d{1,5})?"
)
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-zA-Z=_-]{32,}")
_SHA256 = re.compile(r"sha256:[0-9a-f]{64}")
_LONGEST = 255


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """`registry/repository[:tag][@digest]`; docker.io and its `library/` are written out."""

    registry: str
    repository: str
    tag: str = ""
    digest: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a reference by the rules of the distribution project; raises UsageError with the reason."""
        if len(text) > 4 * _LONGEST:
            raise UsageError("an image name is longer than a registry takes")
        rest, at, digest = text.partition("@")
        if at and not is_digest(digest):
            raise UsageError(
                f"{text!r} is not an image name: {digest!r} is not a digest",
                hint="a digest is sha256: and 64 hex digits",
            )
        head, colon, tail = rest.rpartition(":")
        name, tag = (head, tail) if colon and "/" not in tail else (rest, "")
        if colon and "/" not in tail and not _TAG.fullmatch(tag):
            raise UsageError(
                f"{text!r} is not an image name: {tag!r} is not a tag",
                hint="a tag has letters, digits, _ . - and at most 128 of them",
            )
        registry, repository = split_name(name)
        _check_name(text, registry, repository)
        return cls(registry, repository, tag, digest)

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.name}{tag}{digest}"

    @property
    def name(self) -> str:
        """Registry and repository without tag and digest."""
        return f"{self.registry}/{self.repository}"

    @property
    def familiar(self) -> str:
        """The short form that docker prints: without docker.io and library/."""
        if self.registry != DOCKER_HUB:
            return str(self)
        return str(self).removeprefix(f"{DOCKER_HUB}/").removeprefix("library/")

    def with_tag(self, tag: str) -> Reference:
        """The same repository at a tag, without a digest."""
        return replace(self, tag=tag, digest="")

    def with_digest(self, digest: str) -> Reference:
        """The same repository at a digest, without a tag."""
        return replace(self, tag="", digest=digest)

    @property
    def or_latest(self) -> Reference:
        """The reference itself, or `latest` where it names neither tag nor digest, as docker does."""
        return self if self.tag or self.digest else replace(self, tag="latest")


def is_digest(text: str) -> bool:
    """Whether the text is a digest by image-spec's grammar; sha256 has to be lower-case hex."""
    if text.startswith("sha256:"):
        return bool(_SHA256.fullmatch(text))
    return bool(_DIGEST.fullmatch(text))


def is_tag(text: str) -> bool:
    """Whether the text may stand behind the colon of an image name."""
    return bool(_TAG.fullmatch(text))


def split_name(name: str) -> tuple[str, str]:
    """Registry and repository of a name without tag and digest, with docker's defaults."""
    first, slash, rest = name.partition("/")
    if slash and (set(".:") & set(first) or first == "localhost" or first.lower() != first):
        registry, repository = first, rest
    else:
        registry, repository = DOCKER_HUB, name
    if registry == "index.docker.io":
        registry = DOCKER_HUB
    if registry == DOCKER_HUB and "/" not in repository:
        repository = f"library/{repository}"
    return registry, repository


def _check_name(text: str, registry: str, repository: str) -> None:
    if not _HOST.fullmatch(registry):
        raise UsageError(f"{text!r} is not an image name: {registry!r} is not a registry host")
    if repository != repository.lower():
        raise UsageError(f"{text!r} is not an image name: repository names are lower case")
    if not _REPOSITORY.fullmatch(repository) or len(repository) > _LONGEST:
        raise UsageError(f"{text!r} is not an image name", hint="write [registry/]repository[:tag][@sha256:…]")
