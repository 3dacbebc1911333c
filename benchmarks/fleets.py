"""Fleets of any size, for measurements: chains of three over one common root."""

from __future__ import annotations

from pathlib import Path


def write_fleet(folder: Path, services: int) -> Path:
    """Write Dockerfiles and one manifest with that many services, and give the manifest's path."""
    lines = ["version: 1", "registry: registry.example.com/bench", "services:"]
    for number in range(services):
        name = f"service{number}"
        parent = "debian:bookworm-slim" if number % 3 == 0 else f"registry.example.com/bench/service{number - 1}"
        context = folder / name
        context.mkdir(parents=True)
        (context / "Dockerfile").write_text(
            f"FROM {parent}\nARG TARGETARCH\nWORKDIR /app\nCOPY app.txt .\n"
            f'RUN echo {name} $TARGETARCH\nCMD ["cat", "app.txt"]\n'
        )
        (context / "app.txt").write_text(f"{name}\n")
        lines += [f"  {name}:", f"    image: {name}", f"    context: {name}"]
    manifest = folder / "mabuild.yaml"
    manifest.write_text("\n".join([*lines, ""]))
    return manifest
