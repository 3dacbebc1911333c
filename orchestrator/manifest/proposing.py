"""The first manifest of a repository, made of what was found in it: ready to run, with comments that say why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from orchestrator.core.platform import Platform
from orchestrator.core.reference import DOCKER_HUB, split_name
from orchestrator.manifest.draft import Draft, DraftService, manifest_text
from orchestrator.manifest.importing.imported import split_tag
from orchestrator.manifest.local import relative_between

_GENERIC = frozenset({"", ".", "docker", "dockerfiles", "build", "deploy", "images", "src", "services", "containers"})
_ODD = re.compile(r"[^a-z0-9._-]+")
_ARCHITECTURES = frozenset(
    {"amd64", "x86_64", "arm64", "aarch64", "armhf", "arm", "386", "ppc64le", "s390x", "riscv64"}
)
_LOCAL_REGISTRY = "localhost:5000"


@dataclass(frozen=True, slots=True)
class FoundDockerfile:
    """A Dockerfile, its path relative to the root, and what is known of it.

    `copied` are the paths that its `COPY` and `ADD` take from the context; `findings` counts what the audit found.
    """

    path: str
    copied: tuple[str, ...] = ()
    findings: int = 0


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found in a repository. `images` are image names from compose, bake, workflow and other build files.

    `drafts` are services that importing compose and bake files gave, their paths relative to the root;
    `read` are the files that they and the images come from; `exists` tells whether a path is in the repository.
    """

    name: str
    dockerfiles: tuple[FoundDockerfile, ...]
    exists: Callable[[str], bool]
    images: tuple[str, ...] = ()
    drafts: tuple[DraftService, ...] = ()
    read: tuple[str, ...] = ()
    registry: str = ""


def propose(survey: Survey, *, schema: str = "") -> str:
    """The text of a manifest that stands in the root of the repository, as `mabuild.yaml`."""
    services = [replace(draft, images=tuple(map(_with_host, draft.images))) for draft in survey.drafts]
    covered = {dockerfile_of(service) for service in services}
    names = {service.name for service in services}
    for found in survey.dockerfiles:
        if found.path not in covered:
            service = _service(found, survey, frozenset(names))
            names.add(service.name)
            services.append(service)
    registry = _registry(survey, services)
    comment = _comment(survey, registry)
    tags = () if all(service.tags for service in services) else ("${GIT_SHORT_SHA:-dev}", "latest")
    platforms = ("linux/amd64", "linux/arm64")
    return manifest_text(Draft(tuple(services), comment, registry, platforms, tags, schema))


def dockerfile_of(service: DraftService) -> str:
    """The path of a service's Dockerfile, relative to the root."""
    return _clean(f"{service.context}/{service.dockerfile or 'Dockerfile'}")


def _clean(path: str) -> str:
    return relative_between(Path(), Path(path))


def _service(found: FoundDockerfile, survey: Survey, taken: frozenset[str]) -> DraftService:
    name = _name(found.path, survey.name, taken)
    context = context_of(found, survey.exists)
    dockerfile = relative_between(Path(context), Path(found.path))
    platform = _only_platform(found.path)
    comment = []
    if platform:
        comment.append("This Dockerfile is for one architecture; with TARGETARCH in it, it could serve all of them.")
    if found.findings:
        things = "1 thing" if found.findings == 1 else f"{found.findings} things"
        comment.append(f"The audit found {things} that would go wrong on another platform: mabuild audit {found.path}")
    return DraftService(
        name=name,
        images=_images(name, survey),
        context=context,
        dockerfile="" if dockerfile == "Dockerfile" else dockerfile,
        platforms=(platform,) if platform else (),
        comment=tuple(comment),
    )


def _only_platform(path: str) -> str:
    """The platform that a name such as `Dockerfile.arm64` ends in."""
    word = re.split(r"[._-]", PurePosixPath(path).name.lower())[-1]
    return str(Platform.parse(word)) if word in _ARCHITECTURES else ""


def context_of(found: FoundDockerfile, exists: Callable[[str], bool]) -> str:
    """The nearest folder, from that of the Dockerfile upwards, that has everything that it copies."""
    own = PurePosixPath(found.path).parent
    wanted = [path for path in found.copied if "$" not in path and "*" not in path and path not in {".", "./"}]
    for folder in (own, *own.parents):
        if all(exists(_clean(f"{folder}/{path.lstrip('/')}")) for path in wanted):
            return str(folder)
    return str(own)


def _name(path: str, repository: str, taken: frozenset[str]) -> str:
    """A name from the file, its folder, or the repository: `api/Dockerfile` and `Dockerfile.api` are `api`."""
    file = PurePosixPath(path)
    stem = re.sub(r"^(dockerfile|containerfile)[._-]?|[._-]?(dockerfile|containerfile)$", "", file.name.lower())
    folders = [part for part in file.parent.parts if part.lower() not in _GENERIC]
    last = [part for part in folders[-1:] if part.lower() != stem]
    own = [stem] if stem else []
    candidates = ["-".join([*last, *own]), "-".join([*folders, *own]), repository]
    for candidate in map(_word, candidates):
        if candidate and candidate not in taken:
            return candidate
    start = _word(repository) or "image"
    return next(name for name in (f"{start}-{number}" for number in range(2, 100_000)) if name not in taken)


def _word(text: str) -> str:
    return _ODD.sub("-", text.lower()).strip("._-")


def _images(name: str, survey: Survey) -> tuple[str, ...]:
    """The image names in the repository that end in the name of the service, else the name itself."""
    repositories = dict.fromkeys(split_tag(image)[0] for image in survey.images if "$" not in split_tag(image)[0])
    found = tuple(_with_host(image) for image in repositories if image.rpartition("/")[2] == name)
    return found or (name,)


def _registry(survey: Survey, services: list[DraftService]) -> str:
    """The prefix for images without a host: what the images of the repository mostly have, or a guess."""
    if all(_has_host(image) for service in services for image in service.images):
        return ""
    if survey.registry:
        return survey.registry
    repositories = [split_tag(image)[0] for image in survey.images]
    prefixes = Counter(name.rpartition("/")[0] for name in repositories if _has_host(name))
    return prefixes.most_common(1)[0][0] if prefixes else _LOCAL_REGISTRY


def _has_host(image: str) -> bool:
    return "$" not in image and (split_name(image)[0] != DOCKER_HUB or image.startswith(f"{DOCKER_HUB}/"))


def _with_host(image: str) -> str:
    """`acme/api`, which docker takes from its own registry, with that registry's name, so that no prefix is added."""
    bare = "$" in image or "/" not in image or _has_host(image)
    return image if bare else f"{DOCKER_HUB}/{image}"


def _comment(survey: Survey, registry: str) -> tuple[str, ...]:
    lines = ["The images of this repository. Try: mabuild audit, mabuild plan, mabuild build"]
    if survey.read:
        lines.append(f"Made from the Dockerfiles and from {', '.join(survey.read)}.")
    if registry == _LOCAL_REGISTRY:
        lines.append("No registry was found: write yours below before `mabuild build --push`.")
    return tuple(lines)
