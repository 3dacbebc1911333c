"""The base images of both platforms: made of Debian's packages, or copied where they can be pulled."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.debian import ARCHITECTURES, foreign_architecture, machine_architecture
from lab.images import Repository
from lab.process import run, succeeds
from lab.rootfs import clean, debian_layer, root_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future, ThreadPoolExecutor
    from pathlib import Path

    from lab.debian import Apt
    from lab.images import Layer

RELEASE = "bookworm"
DEBIAN = ("library/debian", f"{RELEASE}-slim")
BUSYBOX = ("library/busybox", "stable")
AMD64_ONLY = ("lab/amd64-only", "1")
SINGLE_AMD64 = ("lab/single-amd64", "1")
SMALL = (BUSYBOX, AMD64_ONLY, SINGLE_AMD64)


def lacking(host: str, images: tuple[tuple[str, str], ...]) -> bool:
    """Whether the registry misses one of these (repository, tag)."""
    return not all(Repository(host, name).has(tag) for name, tag in images)


def push_small(host: str, layers: Mapping[str, Layer]) -> None:
    """The busybox list, a list that lacks arm64, and a plain manifest that is no list."""
    shell = ["sh"]
    name, tag = BUSYBOX
    busybox = Repository(host, name)
    busybox.push_index([busybox.push_image(each, layers[each], shell) for each in ARCHITECTURES], tag)
    name, tag = AMD64_ONLY
    partial = Repository(host, name)
    partial.push_index([partial.push_image("amd64", layers["amd64"], shell)], tag)
    name, tag = SINGLE_AMD64
    Repository(host, name).push_image("amd64", layers["amd64"], shell, tag)


def push_debian(host: str, layers: Mapping[str, Layer]) -> None:
    name, tag = DEBIAN
    debian = Repository(host, name)
    debian.push_index([debian.push_image(each, layers[each], ["bash"]) for each in ARCHITECTURES], tag)


@dataclass(frozen=True, slots=True)
class Debians:
    """The Debian layers while they are being made, both architectures side by side."""

    native: Future[Layer]
    foreign: Future[Layer]

    @classmethod
    def begin(cls, pool: ThreadPoolExecutor, apt: Apt, folder: Path) -> Debians:
        own, other = machine_architecture(), foreign_architecture()
        native = pool.submit(debian_layer, apt, own, folder)

        def certificates() -> Path:
            native.result()
            return root_folder(folder, own)

        return cls(native, pool.submit(debian_layer, apt, other, folder, certificates_of=certificates))

    def layers(self, folder: Path) -> dict[str, Layer]:
        made = {machine_architecture(): self.native.result(), foreign_architecture(): self.foreign.result()}
        clean(folder)
        return made


def can_pull(environment: Mapping[str, str]) -> bool:
    """Whether the usual base images are where they always are, seen from here."""
    name = f"debian:{RELEASE}-slim"
    return succeeds(["docker", "buildx", "imagetools", "inspect", name], environment=environment, timeout=25)


def copy_small(host: str, environment: Mapping[str, str], source: str = "docker.io") -> None:
    """The small images out of another registry's busybox, all its platforms."""
    name, tag = BUSYBOX
    _copy(f"{host}/{name}:{tag}", [f"{source}/{name}:{tag}"], environment)
    shown = run(["docker", "buildx", "imagetools", "inspect", "--raw", f"{host}/{name}:{tag}"], environment=environment)
    digest = amd64_digest(json.loads(shown)["manifests"])
    repository, tag = SINGLE_AMD64
    _copy(f"{host}/{repository}:{tag}", ["--prefer-index=false", f"{host}/{name}@{digest}"], environment)
    repository, tag = AMD64_ONLY
    _copy(f"{host}/{repository}:{tag}", [f"{host}/{name}@{digest}"], environment)


def _copy(target: str, source: list[str], environment: Mapping[str, str]) -> None:
    run(["docker", "buildx", "imagetools", "create", "--tag", target, *source], environment=environment)


def amd64_digest(manifests: list[dict[str, dict[str, str]]]) -> str:
    """The digest of the linux/amd64 entry of a list."""
    platforms = [(each["platform"]["os"], each["platform"]["architecture"]) for each in manifests]
    return str(manifests[platforms.index(("linux", "amd64"))]["digest"])


def load_where_from_finds_them(host: str, environment: Mapping[str, str]) -> None:
    """For an engine that is not ours and reaches no public registry: under their usual names in its own store."""
    for name, tag in (DEBIAN, BUSYBOX):
        source = f"{host}/{name}:{tag}"
        for architecture in (foreign_architecture(), machine_architecture()):
            run(["docker", "pull", "--quiet", "--platform", f"linux/{architecture}", source], environment=environment)
        run(["docker", "tag", source, f"{name.removeprefix('library/')}:{tag}"], environment=environment)
