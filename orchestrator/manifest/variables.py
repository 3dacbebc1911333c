"""The variables of a manifest: those of the environment, and what git knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.manifest.git import NAMES, GitVariables
from orchestrator.manifest.mistake import suggestion


class Variables:
    """What `${NAME}` may stand for in the manifests of one folder."""

    def __init__(self, environment: Mapping[str, str], directory: Path) -> None:
        self.environment = environment
        self._git = GitVariables(directory, environment)

    def get(self, name: str) -> str | None:
        """The value of a variable; None where it is not set."""
        if name in self.environment:
            return self.environment[name]
        return (self._git.get(name) or None) if name in NAMES else None

    def advice(self, name: str) -> str:
        """What to do about a variable that is not set; names of other variables may appear, values never."""
        if name in NAMES:
            return self._git.why_missing(name)
        near = suggestion(name, (*self.environment, *NAMES)).removeprefix("; ")
        return near or f"set it, or write ${{{name}:-default}}"
