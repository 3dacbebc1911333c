"""What ties an image to hardware, and what that means on each platform."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Place
from orchestrator.core.plan import Mode, NodePlatform, Plan
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import Published
from orchestrator.planning.reading import DockerfileRecipes
from orchestrator.planning.select import Selection
from orchestrator.planning.traits import command_traits, image_traits
from tests.planning.fleets import AMD64_NODE, fleet, service

_PLACE = Place("Dockerfile", 1, 1)


def _kinds(text: str) -> list[str]:
    return [trait.kind for trait in command_traits(text, _PLACE)]


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("nvidia/cuda:12.4.1-runtime-ubuntu22.04", ["CUDA"]),
        ("nvcr.io/nvidia/pytorch:25.01-py3", ["CUDA"]),
        ("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime", ["CUDA"]),
        ("ghcr.io/acme/torch:cu128", ["CUDA"]),
        ("tensorflow/tensorflow:2.16.1-gpu", ["CUDA"]),
        ("rocm/pytorch:latest", ["ROCm"]),
        ("debian:bookworm-slim", []),
        ("acme/barracuda:1", []),
        ("python:3.12", []),
    ],
)
def test_accelerators_in_names_of_images(name: str, kinds: list[str]) -> None:
    assert [trait.kind for trait in image_traits(name, _PLACE)] == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("pip install torch==2.3.0+cu121", ["CUDA"]),
        ("pip install torch --index-url https://download.example.org/whl/cu128", ["CUDA"]),
        ("pip install onnxruntime-gpu", ["CUDA"]),
        ("pip install 'tensorflow[and-cuda]'", ["CUDA"]),
        ("apt-get install -y cuda-toolkit-12-4", ["CUDA"]),
        ("pip install torch --index-url https://download.example.org/whl/rocm6.2", ["ROCm"]),
        ("gcc -O3 -march=native -c x.c", ["tuned"]),
        ("RUSTFLAGS='-C target-cpu=native' cargo build", ["tuned"]),
        ("cmake -DGGML_NATIVE=ON -B build", ["tuned"]),
        ("cmake -DGGML_NATIVE=OFF -B build", []),
        ("pip install torch==2.3.0+cpu", []),
        ("gcc -march=armv8-a x.c", []),
    ],
)
def test_accelerators_and_tuning_in_commands(text: str, kinds: list[str]) -> None:
    assert _kinds(text) == kinds


def _plan(folder: Path, text: str) -> Plan:
    (folder / "Dockerfile").write_text(text)
    app = replace(service("app"), context=folder, dockerfile=folder / "Dockerfile")
    wanted = fleet(app)
    entries = (
        NodePlatform(LINUX_AMD64, Mode.NATIVE, "its kernel is x86_64, processor AMD EPYC", 1.0),
        NodePlatform(LINUX_ARM64, Mode.EMULATED, "its kernel is x86_64, qemu-aarch64 runs it", 8.0),
    )
    here = replace(AMD64_NODE, platforms=entries)
    doors = Doors(lambda: (here,), lambda _: Published("", (), True), DockerfileRecipes(wanted))
    return make_plan(wanted, Selection(), doors, Options())


def _found(plan: Plan, rule: str) -> list[tuple[str, int, Severity]]:
    return [(one.message, one.line, one.severity) for one in plan.findings if one.rule == rule]


def test_the_plan_says_for_each_platform_what_an_accelerator_means(tmp_path: Path) -> None:
    text = "FROM scratch AS unused\nRUN hipcc x\nFROM scratch\nRUN pip install onnxruntime-gpu\n"
    ((message, line, severity),) = _found(_plan(tmp_path, text), "MP301")
    assert (line, severity) == (4, Severity.NOTE)
    assert message.startswith("app is tied to CUDA (onnxruntime-gpu). linux/amd64: CUDA for x86_64; linux/arm64: CUDA")
    assert "sbsa" in message


def test_the_plan_says_whose_processor_decides_where_an_image_runs(tmp_path: Path) -> None:
    text = "FROM scratch\nRUN <<EOF\ngcc -march=native x.c\nEOF\n"
    ((message, line, severity),) = _found(_plan(tmp_path, text), "MP302")
    assert (line, severity) == (2, Severity.WARNING)
    assert message == (
        "app is compiled for the processor that builds it (-march=native): "
        "linux/amd64 for that of here (AMD EPYC); linux/arm64 for that of here's emulator"
    )


def test_words_in_comments_say_nothing(tmp_path: Path) -> None:
    text = "FROM scratch\n# -march=native\nRUN make \\\n  # not -march=native\n  all\n"
    assert _found(_plan(tmp_path, text), "MP302") == []
