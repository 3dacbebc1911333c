"""Where a build goes: what stands behind `--output`, quoted as buildx reads it (comma-separated values)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PushByDigest:
    """Pushed to all repositories without a tag.

    `store=false` keeps it out of the engine's image store: two cells of one service pushed at once named the same
    image there, and 3 of 24 runs failed. `oci_artifact` is BuildKit's newer form of attestations, which ECR and
    gitlab.com refuse (moby/buildkit#5747, #7007).
    """

    repositories: tuple[str, ...]
    oci_artifact: bool = True


@dataclass(frozen=True, slots=True)
class PushTag:
    """Pushed under staging tags, for drivers that cannot push by digest."""

    references: tuple[str, ...]
    oci_artifact: bool = True


@dataclass(frozen=True, slots=True)
class LoadImage:
    """Loaded into the docker engine under names."""

    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WriteLayout:
    """Written as an OCI layout into a folder."""

    directory: str


Output = PushByDigest | PushTag | LoadImage | WriteLayout


def output_value(output: Output) -> str:
    """The value of `--output`."""
    match output:
        case PushByDigest(repositories=names):
            by_digest = ("push-by-digest=true", "name-canonical=true", "push=true", "store=false")
            return comma_separated(("type=image", _names(names), *by_digest, *_form(output)))
        case PushTag(references=names):
            return comma_separated(("type=image", _names(names), "push=true", *_form(output)))
        case LoadImage(references=names):
            return comma_separated(("type=docker", _names(names)))
        case WriteLayout(directory=directory):
            return comma_separated(("type=oci", f"dest={directory}", "tar=false"))


def comma_separated(fields: Iterable[str]) -> str:
    """One line of comma-separated values: a field that holds a comma or a quote is quoted."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(fields)
    return text.getvalue()


def _names(names: tuple[str, ...]) -> str:
    return f"name={','.join(names)}"


def _form(output: PushByDigest | PushTag) -> tuple[str, ...]:
    """All entries of one family: an OCI index of docker manifests is legal, and some registries refuse it."""
    return ("oci-mediatypes=true", *(() if output.oci_artifact else ("oci-artifact=false",)))
