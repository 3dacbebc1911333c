"""Root file systems for tests: small but whole, with a loader, a C library and programs of one architecture."""

from __future__ import annotations

from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Level
from orchestrator.core.platform import Platform
from orchestrator.core.verification import Verification
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation
from tests.verifying.binaries import LOADERS, MUSL, Elf, library
from tests.verifying.images import AMD64, REFERENCE, Json, Layer, Member, Shelf, file, image, index, layer, link

TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu", "arm": "arm-linux-gnueabihf"}


def glibc(architecture: str) -> tuple[Member, ...]:
    """Debian's layout in small: loader, libc, shell."""
    folder = f"usr/lib/{TRIPLETS[architecture]}"
    loader = LOADERS[architecture]
    shell = Elf(architecture, interpreter=loader, needed=("libc.so.6",)).build()
    return (
        link("lib", "usr/lib"),
        link("bin", "usr/bin"),
        *((link("lib64", "usr/lib64"),) if architecture == "amd64" else ()),
        file(f"usr{loader}", library(architecture, "ld.so")),
        file(f"{folder}/libc.so.6", library(architecture, "libc.so.6"), 0o644),
        file("usr/bin/sh", shell),
        link("usr/bin/bash", "sh"),
    )


def musl(architecture: str) -> tuple[Member, ...]:
    """Alpine's layout in small: musl's loader is the C library, busybox is every program."""
    busybox = Elf(architecture, interpreter=MUSL[architecture], needed=(f"libc.musl-{architecture}.so.1",)).build()
    return (
        file(MUSL[architecture][1:], library(architecture, "libc.so")),
        file("bin/busybox", busybox),
        link("bin/sh", "/bin/busybox"),
    )


def program_layer(architecture: str, path: str = "usr/bin/app") -> Layer:
    """A layer with one program that needs the C library."""
    content = Elf(architecture, interpreter=LOADERS[architecture], needed=("libc.so.6",)).build()
    return layer(file(path, content))


def healthy(shelf: Shelf, platform: str, *more: Layer, runtime: Json | None = None, **changes: Json) -> Json:
    """An image of a C library and a program that it executes."""
    architecture = platform.split("/")[1]
    layers = [layer(*glibc(architecture)), program_layer(architecture), *more]
    return image(shelf, platform, layers, runtime={"Entrypoint": ["/usr/bin/app"], **(runtime or {})}, **changes)


def look(shelf: Shelf, level: Level = Level.FULL, *platforms: str, ignore: tuple[str, ...] = ()) -> Verification:
    """The verification of the test image."""
    return verify(shelf, REFERENCE, Expectation(tuple(map(Platform.parse, platforms)), level, ignore=ignore))


def single(
    shelf: Shelf, *layers: Layer, platform: str = AMD64, level: Level = Level.FULL, **runtime: object
) -> Verification:
    """The verification of a list of one image."""
    index(shelf, image(shelf, platform, layers, runtime=dict(runtime)))
    return look(shelf, level)


def of(result: Verification, rule: str) -> list[Finding]:
    """The findings of one rule."""
    return [finding for finding in result.findings if finding.rule == rule]


def bad(result: Verification) -> list[str]:
    """The rules of all findings but notes."""
    return [finding.rule for finding in result.findings if finding.severity is not Severity.NOTE]
