"""A plan as a bake file: data that `docker buildx bake` accepts, with the graph as contexts."""

from __future__ import annotations

import os
import re

from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import Secret, Service
from orchestrator.core.plan import Plan, PlannedService
from orchestrator.core.reference import Reference

_NOT_IN_A_TARGET = re.compile(r"[^A-Za-z0-9_-]")
_SERVICE = ("service:", "target:")


def bake(plan: Plan) -> dict[str, object]:
    """Groups and targets. Order that comes from `depends_on` alone cannot be said in a bake file and is left out."""
    names = target_names([planned.service.name for planned in plan.services])
    targets = {names[planned.service.name]: _target(planned, plan, names) for planned in plan.services}
    return {"group": {"default": {"targets": list(targets)}}, "target": targets}


def target_names(services: list[str]) -> dict[str, str]:
    """A name that bake takes for each service: letters, digits, _ and -; all different."""
    names: dict[str, str] = {}
    for service in services:
        name = plain = _NOT_IN_A_TARGET.sub("-", service)
        number = 2
        while name in names.values():
            name = f"{plain}-{number}"
            number += 1
        names[service] = name
    return names


def _target(planned: PlannedService, plan: Plan, names: dict[str, str]) -> dict[str, object]:
    service = planned.service
    platforms = [str(cell.id.platform) for cell in plan.cells_of(service.name)]
    target: dict[str, object] = {
        "context": str(service.context),
        "dockerfile": _dockerfile(service),
        "target": service.target,
        "args": dict(service.args),
        "labels": dict(service.labels),
        "annotations": [f"{key}={value}" for key, value in service.annotations],
        "contexts": _contexts(planned, names),
        "tags": [str(image.with_tag(tag)) for image in service.images for tag in service.tags],
        "platforms": platforms,
        "secret": [_secret(secret) for secret in service.secrets],
        "ssh": list(service.ssh),
        "attest": _attest(service),
    }
    return {key: value for key, value in target.items() if value}


def _dockerfile(service: Service) -> str:
    return os.path.relpath(service.dockerfile, service.context)


def _contexts(planned: PlannedService, names: dict[str, str]) -> dict[str, str]:
    found = {name: value for name, value in planned.service.contexts if not value.startswith(_SERVICE)}
    links = {link.name: f"target:{names[link.service]}" for link in planned.links}
    return found | {context_name(name): value for name, value in links.items()}


def context_name(name: str) -> str:
    """The name under which BuildKit looks for a context that replaces an image: docker's short form, no `:latest`."""
    try:
        return Reference.parse(name).familiar.removesuffix(":latest")
    except UsageError:
        return name


def _secret(secret: Secret) -> str:
    source = f",env={secret.env}" if secret.env else f",src={secret.file}" if secret.file else ""
    return f"id={secret.id}{source}"


def _attest(service: Service) -> list[str]:
    provenance = service.attest.provenance
    wanted = ["type=provenance,disabled=true" if provenance == "false" else f"type=provenance,mode={provenance}"]
    return [*wanted, "type=sbom"] if service.attest.sbom else wanted
