"""What `--metadata-file` holds, in the shape of `docker buildx bake`: one object a service."""

from __future__ import annotations

from orchestrator.core.image import OCI_INDEX
from orchestrator.core.plan import Plan
from orchestrator.core.result import IndexResult, Results


def metadata_fields(plan: Plan, results: Results) -> dict[str, object]:
    """The services whose index is there, with its digest and names, as plain data for JSON."""
    return {index.service: _service(plan, index) for index in results.indexes if index.digest}


def _service(plan: Plan, index: IndexResult) -> dict[str, object]:
    service = plan.planned(index.service).service
    names = [move.reference for move in index.tags] or [image.name for image in service.images]
    return {
        "containerimage.descriptor": {"mediaType": OCI_INDEX, "digest": index.digest},
        "containerimage.digest": index.digest,
        "image.name": ",".join(names),
    }
