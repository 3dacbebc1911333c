"""What a survey of packages is given to ask with; every part may be missing."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from orchestrator.auditing.context import Context
from orchestrator.core.packages import Indexes, IndexOptions, Place, Repositories, Repository
from orchestrator.core.platform import Platform


@dataclass(frozen=True, slots=True)
class Resolution:
    """A pylock.toml, or why there is none."""

    lock: str = ""
    why: str = ""


Resolve = Callable[[tuple[str, ...], str, IndexOptions], Resolution]
"""Requirements in pip's words, a Python version and indexes -> releases with all their dependencies."""


def no_resolver(_: tuple[str, ...], __: str, ___: IndexOptions) -> Resolution:
    """Nobody resolves."""
    return Resolution(why="uv, which finds them, is not installed")


@dataclass(frozen=True, slots=True)
class Means:
    """`indexes` answers for Python and `repositories` for Debian and Alpine; None: nothing is asked (offline).

    `mirrors` are the repositories that this machine itself takes packages from. `variables_of` tells the variables in
    the configuration of an image, and `sources_of` the repositories in it; none where nobody knows.
    """

    indexes: Indexes | None = None
    resolve: Resolve = no_resolver
    repositories: Repositories | None = None
    mirrors: tuple[Repository, ...] = ()
    variables_of: Callable[[str], Mapping[str, str]] = lambda _: {}
    sources_of: Callable[[str, Platform], tuple[Repository, ...]] = lambda _, __: ()


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A Dockerfile to survey, the service that it is of, and the folder of its build context as the user names it.

    `read` has the files of the build context that were read, by their paths in it.
    """

    context: Context
    service: str = ""
    folder: str = "."
    read: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Context, service: str = "", folder: str = ".") -> Self:
        """A survey that remembers what it reads."""
        texts: dict[str, str] = {}

        def read(path: str) -> str | None:
            text = texts.get(path)
            if text is None:
                text = context.read_script(path)
            if text is not None:
                texts[path] = text
            return text

        return cls(replace(context, read_script=read), service, folder, texts)

    @property
    def texts(self) -> Mapping[str, str]:
        """The Dockerfile and what was read with it, by the names that the user has for them."""
        dockerfile = self.context.dockerfile
        return {**{self.shown(path): text for path, text in self.read.items()}, dockerfile.path: dockerfile.text}

    def shown(self, path: str) -> str:
        """A path of the build context, or the Dockerfile's own, as the user names it."""
        if path in {"", self.context.path}:
            return path
        return posixpath.normpath(posixpath.join(self.folder, path.lstrip("/")))

    def placed(self, place: Place) -> Place:
        """The same place by the name that the user has for the file."""
        return replace(place, path=self.shown(place.path))
