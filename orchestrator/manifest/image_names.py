"""Image names that a repository's workflows, make files and scripts push to, so that a first manifest can keep them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from orchestrator.core.errors import ManifestError
from orchestrator.manifest.document import read_document
from orchestrator.manifest.node import MappingNode, Node, ScalarNode
from orchestrator.manifest.workflow import WorkflowStep, read_workflow

_BUILD = re.compile(r"\b(?:docker|podman|buildah|nerdctl)\s+(?:image\s+)?(?:buildx\s+)?(?:build|bud)\b([^\n|;&]*)")
_TAG = re.compile(r"(?:^|\s)(?:-t|--tag)[ =]+[\"']?([^\s\"']+)")
_CONTINUED = re.compile(r"\\\r?\n")
_EXPRESSION = re.compile(r"\$\{\{\s*([a-z_]+)\.([A-Za-z0-9_]+)\s*\}\}")
_BUILD_ACTION = "docker/build-push-action@"
_METADATA_ACTION = "docker/metadata-action@"


def names_in_script(text: str) -> tuple[str, ...]:
    """What `docker build -t` names in a script, a make file or another CI's file."""
    joined = _CONTINUED.sub(" ", text)
    return tuple(dict.fromkeys(tag for call in _BUILD.findall(joined) for tag in _TAG.findall(call)))


def names_in_workflow(text: str, path: str, repository: str) -> tuple[str, ...]:
    """What the steps of a GitHub workflow push to; `repository` is `owner/name` for `${{ github.repository }}`.

    A workflow that cannot be read has no names: it is not what the user asked about.
    """
    try:
        steps = read_workflow(text, path)
        variables = _variables(read_document(text, path).root)
    except ManifestError:
        return ()
    known = {f"env.{name}": value for name, value in variables.items()}
    if repository:
        owner = repository.partition("/")[0]
        known |= {"github.repository": repository.lower(), "github.repository_owner": owner.lower()}
    found = (name for step in steps for name in _names(step))
    return tuple(dict.fromkeys(_filled_in(name, known) for name in found))


def _names(step: WorkflowStep) -> Iterator[str]:
    inputs = dict(step.inputs)
    if step.uses.startswith(_BUILD_ACTION):
        yield from _listed(inputs.get("tags", ""))
    elif step.uses.startswith(_METADATA_ACTION):
        yield from _listed(inputs.get("images", ""))
    yield from names_in_script(step.run)


def _listed(text: str) -> Iterator[str]:
    """The items of an input that takes lines or commas."""
    for line in text.splitlines():
        yield from (item.strip() for item in line.split(",") if "=" not in item and item.strip())


def _variables(root: Node) -> Mapping[str, str]:
    entry = root.entries.get("env") if isinstance(root, MappingNode) else None
    node = entry.value if entry else MappingNode()
    entries = node.entries if isinstance(node, MappingNode) else {}
    return {name: one.value.text for name, one in entries.items() if isinstance(one.value, ScalarNode)}


def _filled_in(name: str, known: Mapping[str, str]) -> str:
    """The name with what is known of its expressions; an `env` may itself hold one. Others stay as they are."""
    for _ in range(2):
        name = _EXPRESSION.sub(lambda found: known.get(f"{found[1]}.{found[2]}", found[0]), name)
    return name
