"""GIT_SHA, GIT_SHORT_SHA, GIT_BRANCH and GIT_TAG, read from the files of a repository without starting git."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from orchestrator.manifest.git_objects import tagged_commit

NAMES = ("GIT_SHA", "GIT_SHORT_SHA", "GIT_BRANCH", "GIT_TAG")
_CI_SHA = ("GITHUB_SHA", "CI_COMMIT_SHA", "BUILDKITE_COMMIT", "BUILD_SOURCEVERSION", "CIRCLE_SHA1", "BITBUCKET_COMMIT")
_CI_BRANCH = ("GITHUB_HEAD_REF", "CI_COMMIT_BRANCH", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "BUILDKITE_BRANCH")
_CI_BRANCH_LATER = ("CIRCLE_BRANCH", "BITBUCKET_BRANCH", "BRANCH_NAME")
_CI_TAG = ("CI_COMMIT_TAG", "BUILDKITE_TAG", "CIRCLE_TAG", "BITBUCKET_TAG", "TAG_NAME")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ADDRESS = re.compile(r"\s*url\s*=\s*(?:[a-z+]+://)?(?:[^@\s]+@)?[^/:\s]+(?::\d+)?[/:](\S+?)(?:\.git)?/?\s*")
_SHORT = 7
_LONGEST_LINK = 5
_MOST_TAGS = 20_000
_FILE_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class Repository:
    """The folder with HEAD of this work tree, and the folder with the refs and objects of all its work trees."""

    own: Path
    common: Path

    @classmethod
    def around(cls, directory: Path) -> Repository | None:
        """The repository that a folder is in; work trees and submodules have a file `.git` that says where."""
        for folder in (directory, *directory.parents):
            git = folder / ".git"
            if git.is_dir():
                return cls(git, git)
            if git.is_file():
                own = folder / _text(git).removeprefix("gitdir:").strip()
                common = _text(own / "commondir")
                return cls(own, own / common if common else own)
        return None

    def head(self) -> tuple[str, str]:
        """Branch and commit of HEAD; each may be empty."""
        content = _text(self.own / "HEAD")
        branch = ""
        for _ in range(_LONGEST_LINK):
            if not content.startswith("ref:"):
                break
            name = content.removeprefix("ref:").strip()
            branch = branch or name.removeprefix("refs/heads/")
            content = self._ref(name)
        known = branch if not branch.startswith((".", "refs/")) else ""
        return known, content if _SHA.fullmatch(content) else ""

    def _ref(self, name: str) -> str:
        if ".." in name or name.startswith("/"):
            return ""
        loose = _text(self.own / name) or _text(self.common / name)
        return loose or next((sha for sha, packed, _ in self._packed() if packed == name), "")

    def _packed(self) -> Iterator[tuple[str, str, str]]:
        """Object, name and, for an annotated tag, commit of every ref in `packed-refs`."""
        waiting: tuple[str, str] | None = None
        for line in _lines(self.common / "packed-refs"):
            if line.startswith("^") and waiting:
                yield (*waiting, line[1:])
                waiting = None
                continue
            if waiting:
                yield (*waiting, "")
            sha, _, name = line.partition(" ")
            waiting = (sha, name) if _SHA.fullmatch(sha) else None
        if waiting:
            yield (*waiting, "")

    def origin(self) -> str:
        """`owner/name` as the address of the remote `origin` ends; empty where there is none."""
        section = ""
        for line in _lines(self.common / "config"):
            section = line.strip() if line.strip().startswith("[") else section
            if section == '[remote "origin"]' and (found := _ADDRESS.fullmatch(line)):
                return found[1]
        return ""

    def tags_of(self, commit: str) -> tuple[str, ...]:
        """The tags, plain and annotated, that stand at a commit."""
        loose = self._loose_tags()
        packed = {
            name.removeprefix("refs/tags/"): peeled or sha
            for sha, name, peeled in self._packed()
            if name.startswith("refs/tags/")
        }
        packed.update({name: tagged_commit(self.common / "objects", sha) or sha for name, sha in loose.items()})
        return tuple(name for name, sha in packed.items() if sha == commit)

    def _loose_tags(self) -> dict[str, str]:
        found: dict[str, str] = {}
        folder = self.common / "refs" / "tags"
        for path in folder.rglob("*"):
            if len(found) >= _MOST_TAGS:
                break
            if path.is_file() and _SHA.fullmatch(_text(path)):
                found[path.relative_to(folder).as_posix()] = _text(path)
        return found


class GitVariables:
    """The four variables for manifests in one folder; what the environment sets is taken as it is."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self._directory = directory
        self._environment = environment

    def get(self, name: str) -> str:
        """The value, or the empty text where it is not known."""
        match name:
            case "GIT_SHA":
                return self._head[1] or _first(self._environment, _CI_SHA)
            case "GIT_SHORT_SHA":
                return (self._environment.get("GIT_SHA") or self.get("GIT_SHA"))[:_SHORT]
            case "GIT_BRANCH":
                return self._head[0] or self._ci_branch()
            case "GIT_TAG":
                return self._tag()
            case _:
                return ""

    def why_missing(self, name: str) -> str:
        """What has to be done so that the variable is known."""
        if self._repository is None:
            reason = "the manifest is in no git repository"
        elif not self._head[1]:
            reason = "the repository has no commit that can be read"
        elif name == "GIT_TAG":
            reason = "no tag stands at this commit"
        else:
            reason = "no branch is checked out"
        return f"{reason}; set {name}, or write ${{{name}:-…}}"

    @cached_property
    def _repository(self) -> Repository | None:
        return Repository.around(self._directory)

    @cached_property
    def _head(self) -> tuple[str, str]:
        return self._repository.head() if self._repository else ("", "")

    def _ci_branch(self) -> str:
        environment = self._environment
        named = environment.get("GITHUB_REF_NAME", "") if environment.get("GITHUB_REF_TYPE") == "branch" else ""
        azure = environment.get("BUILD_SOURCEBRANCH", "")
        full = azure.removeprefix("refs/heads/") if azure.startswith("refs/heads/") else ""
        return _first(environment, _CI_BRANCH) or named or full or _first(environment, _CI_BRANCH_LATER)

    def _tag(self) -> str:
        environment = self._environment
        named = environment.get("GITHUB_REF_NAME", "") if environment.get("GITHUB_REF_TYPE") == "tag" else ""
        ci = named or _first(environment, _CI_TAG)
        if not self._repository or not self._head[1]:
            return ci
        tags = self._repository.tags_of(self._head[1])
        return ci if not tags or ci in tags else max(tags, key=_newest)


def _newest(tag: str) -> tuple[tuple[int, ...], bool, str]:
    """Orders the tags of one commit: by the numbers of their version, a release after its candidates."""
    version, dash, _ = tag.partition("-")
    numbers = tuple(int(number) for number in re.findall(r"\d{1,18}", version))
    return numbers, not (numbers and dash), tag


def _first(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_FILE_LIMIT).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                yield line.rstrip("\n")
    except OSError:
        return
