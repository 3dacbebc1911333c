"""The options of `build`, described once, and what they mean together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.building.caches import Branches
from orchestrator.building.options import DAY, RETRY, Goal, Options
from orchestrator.commands.options import duration
from orchestrator.commands.session import Session
from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import Fleet, Pairs, Scope
from orchestrator.core.plan import CellId
from orchestrator.core.retry import RetryPolicy

Push = Annotated[bool, typer.Option("--push", help="Push to the registry, and move the tags at the end.")]
Load = Annotated[bool, typer.Option("--load", help="Load into the docker engine: one platform only.")]
Layouts = Annotated[
    str,
    typer.Option(
        "--output", "-o", help="Folder for one OCI layout a service. Default without --push: dist.", show_default=False
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan and do nothing.")]
Cells = Annotated[
    list[str] | None,
    typer.Option(
        "--cell", help="Build only this cell, such as api@linux/arm64 (repeatable); no tag moves.", show_default=False
    ),
]
Records = Annotated[
    str, typer.Option("--records", help="Folder for one record a cell and the journal of tags.", show_default=False)
]
Parallel = Annotated[int, typer.Option(min=1, max=256, help="Cells at once, over all nodes.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", "-k", help="After a failure, build all that does not depend on it.")
]
Force = Annotated[bool, typer.Option("--force", help="Build also what the registry has unchanged.")]
MissingNodes = Annotated[bool, typer.Option("--allow-missing-nodes", help="Do without nodes that are down.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Build without BuildKit's cache.")]
Pull = Annotated[bool, typer.Option("--pull", help="Ask for newer base images.")]
NoVerify = Annotated[bool, typer.Option("--no-verify", help="Move tags without proving the images.")]
Retries = Annotated[int, typer.Option(min=0, max=20, help="How often a passing trouble is tried again.")]
Timeout = Annotated[str, typer.Option(help="Longest time for one cell, as in 40m or 1h30m.", show_default=False)]
Publish = Annotated[
    str,
    typer.Option(
        "--publish", help="Whose tags move together: all or service. Default: the manifest's.", show_default=False
    ),
]
MetadataFile = Annotated[
    str, typer.Option("--metadata-file", help="Write digests there, in the form of buildx bake.", show_default=False)
]
Report = Annotated[
    str, typer.Option("--report", help="Write one page about the build there (HTML).", show_default=False)
]
ProgressStyle = Annotated[
    str, typer.Option("--progress", help="auto, rich, plain, json, quiet, github, gitlab, azure or buildkite.")
]
ResultFormat = Annotated[str, typer.Option("--format", help="table or json.")]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked of a build."""

    push: bool
    load: bool
    layouts: str
    cells: tuple[str, ...]
    records: str
    parallel: int
    keep_going: bool
    force: bool
    no_cache: bool
    pull: bool
    verify: bool
    retries: int
    timeout: str
    publish: str


def goal_of(wishes: Wishes) -> Goal:
    """Where the images go; UsageError where two places are named."""
    chosen = [wishes.push, wishes.load, bool(wishes.layouts)]
    if sum(chosen) > 1:
        raise UsageError("--push, --load and --output exclude each other", hint="name one place for the images")
    return Goal.PUSH if wishes.push else Goal.LOAD if wishes.load else Goal.LAYOUT


def building_options(wishes: Wishes, fleet: Fleet, here: Session, annotations: Pairs) -> Options:
    """The options of the verb."""
    records = here.directory / wishes.records if wishes.records else Path()
    return Options(
        goal=goal_of(wishes),
        directory=here.directory / (wishes.layouts or "dist"),
        records=records,
        only=frozenset(CellId.parse(text) for text in wishes.cells),
        parallel=wishes.parallel,
        keep_going=wishes.keep_going,
        force=wishes.force,
        no_cache=wishes.no_cache,
        pull=wishes.pull,
        verify=wishes.verify,
        timeout=duration(wishes.timeout, "--timeout") if wishes.timeout else DAY,
        journal=journal_in(records if wishes.records else here.cache_directory),
        scope=scope_of(wishes.publish, fleet),
        annotations=annotations,
        branches=branches(here.environment),
        retry=RetryPolicy(wishes.retries + 1, RETRY.first_pause, RETRY.longest_pause, RETRY.budget),
    )


def journal_in(folder: Path) -> Path:
    """A journal of its own for every run, since a rollback takes back all that is in one."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return folder / f"journal-{moment}-{os.getpid()}.jsonl"


def scope_of(text: str, fleet: Fleet) -> Scope:
    """What `--publish` says, else the manifest."""
    if not text:
        return fleet.publish.scope
    if text not in set(Scope):
        raise UsageError(f"--publish {text!r} is not known", hint="use all or service")
    return Scope(text)


def branches(environment: Mapping[str, str]) -> Branches:
    """Whose caches are read and written, from the variables of GitHub and GitLab; a pull request writes none."""
    branch = (
        environment.get("GITHUB_HEAD_REF") or environment.get("GITHUB_REF_NAME") or environment.get("CI_COMMIT_BRANCH")
    )
    is_proposal = environment.get("GITHUB_EVENT_NAME", "").startswith("pull_request") or bool(
        environment.get("CI_MERGE_REQUEST_IID")
    )
    return Branches(branch or "", environment.get("CI_DEFAULT_BRANCH") or "main", writable=not is_proposal)
