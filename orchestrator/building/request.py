"""From a cell of the plan to the builds that make it."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.building.annotations import manifest_annotations
from orchestrator.building.caches import caches_of
from orchestrator.building.layouts import Workshop
from orchestrator.building.options import Goal, Options
from orchestrator.building.parents import Parents
from orchestrator.building.profile import profile_of
from orchestrator.buildx.build import BuildRequest
from orchestrator.buildx.output import LoadImage, Output, PushByDigest, PushTag, WriteLayout
from orchestrator.core.fleet import Pairs, Service
from orchestrator.core.plan import Cell, CellId, Plan

_OF_THE_FLEET = ("service:", "target:")
_STAGED_KEY = 12


@dataclass(frozen=True, slots=True)
class Requests:
    """Makes the builds of cells; `workshop` holds layouts where nothing is pushed."""

    plan: Plan
    options: Options
    workshop: Workshop
    parents: Parents

    def of(self, cell: Cell, key: str) -> tuple[BuildRequest, ...]:
        """The builds of a cell, the one that gives its digest last."""
        service = self.plan.planned(cell.id.service).service
        return tuple(self._request(service, cell, output) for output in self._outputs(service, cell, key))

    def _request(self, service: Service, cell: Cell, output: Output) -> BuildRequest:
        caches = caches_of(service, cell.id.platform, self.options.branches)
        return BuildRequest(
            task=str(cell.id),
            builder=self.plan.node(cell.node).builder,
            context=str(service.context),
            dockerfile=str(service.dockerfile),
            platform=cell.id.platform,
            output=output,
            target=service.target,
            args=service.args,
            labels=service.labels,
            annotations=manifest_annotations(service),
            contexts=(*_own_contexts(service), *self.parents.contexts(cell)),
            secrets=service.secrets,
            ssh=service.ssh,
            cache_from=caches.sources,
            cache_to=caches.goals,
            attest=service.attest,
            no_cache=self.options.no_cache,
            pull=self.options.pull,
        )

    def _outputs(self, service: Service, cell: Cell, key: str) -> tuple[Output, ...]:
        """Where a cell goes. What is loaded into docker is a layout first, where other cells are built on it."""
        repositories = tuple(image.name for image in service.images)
        takes_artifacts = all(
            profile_of(image.registry, self.plan.fleet.registries).oci_artifact for image in service.images
        )
        match self.options.goal:
            case Goal.PUSH if self.plan.node(cell.node).driver == "docker":
                tag = staging_tag(cell.id, key)
                return (PushTag(tuple(f"{name}:{tag}" for name in repositories), takes_artifacts),)
            case Goal.PUSH:
                return (PushByDigest(repositories, takes_artifacts),)
            case Goal.LAYOUT:
                return (self._layout(cell.id),)
            case Goal.LOAD:
                names = tuple(f"{name}:{tag}" for name in repositories for tag in service.tags or ("latest",))
                is_parent = any(cell.id in other.needs for other in self.plan.cells)
                return (LoadImage(names), *([self._layout(cell.id)] if is_parent else []))

    def _layout(self, cell: CellId) -> WriteLayout:
        return WriteLayout(str(self.workshop.directory(cell)))


def _own_contexts(service: Service) -> Pairs:
    return tuple((name, value) for name, value in service.contexts if not value.startswith(_OF_THE_FLEET))


def staging_tag(cell: CellId, key: str) -> str:
    """The tag that holds a cell's key, where the driver cannot push by digest."""
    return f"mabuild-{key.removeprefix('sha256:')[:_STAGED_KEY] or 'none'}-{cell.platform.slug}"
