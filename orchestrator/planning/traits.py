"""What an AI team wants to know of a build: which accelerator it is tied to, and whether the builder's CPU decides.

Only words in image names and commands are looked at, in the stages that the target needs; the audit looks deeper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Place
from orchestrator.core.plan import Node
from orchestrator.core.platform import Platform
from orchestrator.planning.assign import SLOW_MODES, Demand, Offer, ability
from orchestrator.planning.recipe import Trait

TUNED = "tuned"
_TUNED = re.compile(
    r"-m(?:arch|cpu)=native\b|target-cpu=native\b|-D(?:GGML|LLAMA|WHISPER)_NATIVE=(?:ON|1|TRUE)\b|-xHost\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Accelerator:
    """How an accelerator is recognised in image names and in commands, and what it means on each architecture."""

    name: str
    images: re.Pattern[str]
    commands: re.Pattern[str]
    meaning: Mapping[str, str]
    elsewhere: str


ACCELERATORS = (
    Accelerator(
        "CUDA",
        re.compile(r"^nvcr\.io/nvidia/|(?<![a-z])cuda|(?<![a-z])cu1\d|-gpu\b|vllm/vllm-openai", re.IGNORECASE),
        re.compile(
            r"\+cu1\d\d\b|/whl/cu1\d\d\b|\bnvidia-[a-z-]+-cu1\d\b|\bcuda-(?:toolkit|libraries|runtime)\b|\bcudatoolkit\b"
            r"|\bcupy-cuda1\d|\bonnxruntime-gpu\b|tensorflow\[and-cuda\]|\bflash-attn\b"
        ),
        {
            "amd64": "CUDA for x86_64",
            "arm64": "CUDA for arm64 servers (sbsa: Grace, or a card in an arm64 machine), not for Jetson's L4T",
        },
        "no CUDA, only the CPU",
    ),
    Accelerator(
        "ROCm",
        re.compile(r"(?<![a-z])rocm", re.IGNORECASE),
        re.compile(r"/whl/rocm\d|\brocm-(?:dev|libs|hip)|\bhipcc\b|\+rocm\d"),
        {"amd64": "ROCm"},
        "no ROCm, which is for x86_64 only",
    ),
)


def image_traits(name: str, place: Place) -> Iterator[Trait]:
    """The accelerators in the name of an image."""
    for accelerator in ACCELERATORS:
        if accelerator.images.search(name):
            yield Trait(accelerator.name, name, place)


def command_traits(text: str, place: Place) -> Iterator[Trait]:
    """The accelerators in a command, and flags that compile for the CPU of the machine that builds."""
    patterns = ((accelerator.name, accelerator.commands) for accelerator in ACCELERATORS)
    for kind, pattern in (*patterns, (TUNED, _TUNED)):
        found = pattern.search(text)
        if found:
            yield Trait(kind, found.group(), place)


def trait_findings(cells: Iterable[tuple[Demand, Offer]]) -> tuple[Finding, ...]:
    """One note per service and accelerator, and one warning per service that is tuned to the machine that builds it."""
    by_service: dict[str, list[tuple[Demand, Offer]]] = {}
    for demand, offer in cells:
        by_service.setdefault(demand.service.name, []).append((demand, offer))
    return tuple(finding for group in by_service.values() for finding in _of_service(group))


def _of_service(group: list[tuple[Demand, Offer]]) -> Iterator[Finding]:
    traits: dict[str, Trait] = {}
    for _, offer in group:
        for trait in offer.recipe.traits:
            traits.setdefault(trait.kind, trait)
    platforms = [demand.platform for demand, _ in group]
    for accelerator in ACCELERATORS:
        if accelerator.name in traits:
            yield _accelerated(group[0][0].service.name, accelerator, traits[accelerator.name], platforms)
    if TUNED in traits:
        yield _tuned(group, traits[TUNED])


def _accelerated(service: str, accelerator: Accelerator, trait: Trait, platforms: list[Platform]) -> Finding:
    told = "; ".join(
        f"{platform}: {accelerator.meaning.get(platform.architecture, accelerator.elsewhere)}" for platform in platforms
    )
    message = f"{service} is tied to {accelerator.name} ({trait.words}). {told}"
    return _finding(("MP301", "accelerator", Severity.NOTE), message, trait.place)


def _tuned(group: list[tuple[Demand, Offer]], trait: Trait) -> Finding:
    told = "; ".join(f"{demand.platform} for that of {_processor(offer.node, demand)}" for demand, offer in group)
    message = f"{group[0][0].service.name} is compiled for the processor that builds it ({trait.words}): {told}"
    return _finding(("MP302", "tuned-to-the-node", Severity.WARNING), message, trait.place)


def _processor(node: Node, demand: Demand) -> str:
    entry = ability(node, demand.platform)
    if entry.mode in SLOW_MODES:
        return f"{node.name}'s emulator"
    model = entry.evidence.partition("processor ")[2]
    return f"{node.name} ({model})" if model else node.name


def _finding(kind: tuple[str, str, Severity], message: str, place: Place) -> Finding:
    rule, name, severity = kind
    return Finding(rule, name, severity, message, path=place.path, line=place.line, column=place.column)
