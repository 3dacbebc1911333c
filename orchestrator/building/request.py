"""From a cell of the plan to the one build that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.building.options import Goal, Options
from orchestrator.building.parents import parent_cells
from orchestrator.buildx.build import BuildRequest
from orchestrator.buildx.output import LoadImage, Output, PushByDigest, PushTag, WriteLayout
from orchestrator.core.fleet import Pairs, Service
from orchestrator.core.plan import Cell, CellId, Node, Plan
from orchestrator.core.result import CellResult

_OF_THE_FLEET = ("service:", "target:")
_STAGED_KEY = 12


def build_request(
    plan: Plan, cell: Cell, made: Mapping[CellId, CellResult], options: Options, output: Output
) -> BuildRequest:
    """The build of a cell whose parents are there."""
    service = plan.planned(cell.id.service).service
    return BuildRequest(
        task=str(cell.id),
        builder=plan.node(cell.node).builder,
        context=str(service.context),
        dockerfile=str(service.dockerfile),
        platform=cell.id.platform,
        output=output,
        target=service.target,
        args=service.args,
        labels=service.labels,
        annotations=service.annotations,
        contexts=(*_own_contexts(service), *_parent_contexts(plan, cell, made)),
        secrets=service.secrets,
        ssh=service.ssh,
        attest=service.attest,
        no_cache=options.no_cache,
        pull=options.pull,
    )


def _own_contexts(service: Service) -> Pairs:
    return tuple((name, value) for name, value in service.contexts if not value.startswith(_OF_THE_FLEET))


def _parent_contexts(plan: Plan, cell: Cell, made: Mapping[CellId, CellResult]) -> Pairs:
    """Each name in the Dockerfile that means another service, as the digest of that service's image."""
    return tuple(
        (name, f"docker-image://{_repository(plan, parent)}@{made[parent].descriptors[0].digest}")
        for name, parent in parent_cells(plan, cell)
    )


def _repository(plan: Plan, cell: CellId) -> str:
    return plan.planned(cell.service).service.images[0].name


def output_of(service: Service, cell: Cell, node: Node, options: Options, key: str) -> Output:
    """Where the cell goes."""
    repositories = tuple(image.name for image in service.images)
    match options.goal:
        case Goal.PUSH if node.driver == "docker":
            return PushTag(tuple(f"{name}:{staging_tag(cell.id, key)}" for name in repositories))
        case Goal.PUSH:
            return PushByDigest(repositories)
        case Goal.LOAD:
            return LoadImage(tuple(f"{name}:{tag}" for name in repositories for tag in service.tags or ("latest",)))
        case Goal.LAYOUT:
            return WriteLayout(str(cell_directory(options, cell.id)))


def cell_directory(options: Options, cell: CellId) -> Path:
    """The folder of one cell's layout, before the layouts of a service are joined."""
    return options.directory / ".cells" / cell.service / cell.platform.slug


def staging_tag(cell: CellId, key: str) -> str:
    """The tag that holds a cell's key, where the driver cannot push by digest."""
    return f"mabuild-{key.removeprefix('sha256:')[:_STAGED_KEY] or 'none'}-{cell.platform.slug}"
