"""`mabuild init`: a repository in, its first manifest out."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from orchestrator.commands.import_ import DryRun, Force
from orchestrator.commands.importing import MANIFEST, write_manifest
from orchestrator.commands.session import Session, session
from orchestrator.core.errors import Exit, ManifestError, UsageError
from orchestrator.report.errors import finding_line

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Examples: mabuild init · mabuild init services --dry-run")
def init(
    ctx: typer.Context,
    directory: Annotated[str, typer.Argument(help="The repository, or a folder of it.")] = ".",
    dry_run: DryRun = False,
    force: Force = False,
) -> int:
    """Write a first manifest for the Dockerfiles, compose and bake files that are found; nothing is asked.

    Image names come from compose and bake files, GitHub workflows, make files and scripts that build images. Comments
    in the manifest say what was guessed, and how many things the audit found in each Dockerfile.
    """
    from orchestrator.commands.surveying import survey
    from orchestrator.manifest.proposing import propose

    here = session(ctx)
    inside = replace(here, directory=here.directory / directory)
    if not inside.directory.is_dir():
        raise UsageError(f"{directory} is no folder")
    if not (dry_run or force):
        _refuse_second_manifest(inside)
    found = survey(inside)
    if not found.dockerfiles and not found.drafts:
        raise UsageError(f"there is no Dockerfile in {directory}", hint="write one first, or name another folder")
    text = propose(found)
    if dry_run:
        inside.write(text)
        return Exit.OK
    write_manifest(text, MANIFEST, inside, force=force)
    _tell(inside, MANIFEST if directory == "." else f"{directory.rstrip('/')}/{MANIFEST}")
    return Exit.OK


def _refuse_second_manifest(here: Session) -> None:
    for name in (MANIFEST, "manifests"):
        if (here.directory / name).exists():
            raise UsageError(
                f"there is a manifest already: {name}", hint="--force overwrites it; --dry-run shows a new one"
            )


def _tell(here: Session, shown: str) -> None:
    """What was written, what is still missing in it, and what to type next."""
    from orchestrator.commands.doors import load_fleet

    try:
        fleet = load_fleet(here, [MANIFEST])
    except ManifestError as error:
        here.say("".join(f"{finding_line(finding)}\n" for finding in error.findings))
        here.say(f"wrote {shown}; mend what is said above, then: mabuild plan\n")
        return
    names = ", ".join(service.name for service in fleet.services)
    here.say(f"wrote {shown}: {names}\nnext: mabuild audit, mabuild plan, mabuild build\n")
