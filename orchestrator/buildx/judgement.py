"""From what a node says and what the probe found on it to the mode of every platform, with the evidence in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from orchestrator.buildx.inspection import Inspected
from orchestrator.buildx.probe import NO_EMULATOR, NO_INTERPRETER, Answer
from orchestrator.core.plan import Mode, NodePlatform
from orchestrator.core.platform import Platform

_KERNEL_NAMES = {
    "x86_64": "amd64",
    "i386": "386",
    "i486": "386",
    "i586": "386",
    "i686": "386",
    "aarch64": "arm64",
    "armv6l": "arm",
    "armv7l": "arm",
    "armv8l": "arm",
    "ppc64le": "ppc64le",
    "riscv64": "riscv64",
    "s390x": "s390x",
    "loongarch64": "loong64",
}
_COMPAT = {("amd64", "386"), ("arm64", "arm")}
_NO_ACCELERATION = "QEMU TCG"
_DOUBTFUL = "QEMU Virtual CPU"
_SLOW_GUEST = 4.0
"""A loop that is so much slower than on the fastest native node settles a doubtful processor name (measured: qemu's
own translation runs it 5 to 12 times slower)."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The mode of one architecture on a node, the seconds of the loop, and the evidence."""

    mode: Mode
    evidence: str
    seconds: float = 0.0


def judge(answer: Answer) -> Judged:
    """What a probe's answer means."""
    if answer.error:
        return Judged(Mode.IMPOSSIBLE, _failed(answer))
    machine = _KERNEL_NAMES.get(answer.kernel) or _architecture(answer.builder)
    emulator = _emulator(answer)
    if emulator or (machine and machine != answer.architecture and (machine, answer.architecture) not in _COMPAT):
        return Judged(Mode.EMULATED, _emulated(answer, emulator), answer.seconds)
    if answer.processor_field("CPU implementer") == "0x00":
        return Judged(Mode.SYSTEM_EMULATED, "processor implementer 0x00 is qemu's own", answer.seconds)
    model = answer.processor_field("model name")
    if model.startswith(_NO_ACCELERATION):
        return Judged(Mode.SYSTEM_EMULATED, f"processor {model}", answer.seconds)
    mode = Mode.NATIVE if machine == answer.architecture else Mode.COMPAT
    return Judged(mode, _native(answer), answer.seconds)


def _failed(answer: Answer) -> str:
    if answer.error == NO_EMULATOR:
        return f"{answer.error}: no emulator is registered for it"
    if answer.error == NO_INTERPRETER:
        return f"{answer.error}: its emulator is registered without the flag F, and is not inside containers"
    return f"the probe failed: {answer.error}"


def _emulator(answer: Answer) -> str:
    name = answer.program.rsplit("/", 1)[-1]
    if "rosetta" in answer.program.lower() or answer.processor_field("vendor_id") == "VirtualApple":
        return "Rosetta"
    return name if name.startswith(("qemu-", ".buildkit_qemu")) else ""


def _emulated(answer: Answer, emulator: str) -> str:
    kernel = f"its kernel is {answer.kernel}" if answer.kernel else f"its machine is {answer.builder}"
    return f"{kernel}, {emulator} runs it" if emulator else kernel


def _native(answer: Answer) -> str:
    model = answer.processor_field("model name") or answer.processor_field("CPU implementer")
    kernel = f"its kernel is {answer.kernel}" if answer.kernel else f"BUILDPLATFORM is {answer.builder}"
    return f"{kernel}, processor {model}" if model else kernel


def _architecture(platform: str) -> str:
    return platform.split("/")[1] if platform.count("/") else ""


def node_platforms(
    inspected: Inspected, answers: Mapping[str, Answer], wanted: Iterable[Platform], baseline: float
) -> tuple[NodePlatform, ...]:
    """Every platform that a node lists or that somebody wants: native first, then as the node lists them.

    `baseline` is the loop's time on the fastest native node, 0.0 where there is none.
    """
    native = _own(inspected, answers)
    platforms = tuple(dict.fromkeys((*inspected.listed, *inspected.declared, *wanted)))
    found = [_platform(platform, inspected, answers, native, baseline) for platform in platforms]
    return tuple(sorted(found, key=lambda entry: entry.mode not in {Mode.NATIVE, Mode.SYSTEM_EMULATED}))


def _own(inspected: Inspected, answers: Mapping[str, Answer]) -> str:
    """The architecture of the machine: by the probe, else by what BuildKit lists first."""
    for answer in answers.values():
        if not answer.error:
            return _KERNEL_NAMES.get(answer.kernel) or _architecture(answer.builder)
    first = (*inspected.listed, *inspected.declared)
    return first[0].architecture if first else ""


def _platform(
    platform: Platform, inspected: Inspected, answers: Mapping[str, Answer], own: str, baseline: float
) -> NodePlatform:
    answer = answers.get(platform.architecture)
    if answer is None or not answer.is_decisive:
        why = f"the probe failed: {answer.error}" if answer is not None else "not probed"
        judged = _guess(platform, inspected, own, why)
    else:
        judged = _settled(judge(answer), answer, baseline)
    if judged.mode is Mode.NATIVE and platform.variant and platform not in inspected.listed:
        return NodePlatform(platform, Mode.IMPOSSIBLE, "its processor does not list this variant")
    slowdown = round(judged.seconds / baseline, 1) if judged.seconds and baseline else 0.0
    return NodePlatform(platform, judged.mode, judged.evidence, slowdown)


def _guess(platform: Platform, inspected: Inspected, own: str, why: str) -> Judged:
    if platform not in inspected.listed and platform not in inspected.declared:
        return Judged(Mode.IMPOSSIBLE, f"it does not list this platform; {why}")
    if platform.architecture == own:
        return Judged(Mode.NATIVE, f"BuildKit lists it first; {why}")
    if (own, platform.architecture) in _COMPAT:
        return Judged(Mode.COMPAT, f"BuildKit lists it; {why}")
    if platform not in inspected.listed:
        return Judged(Mode.EMULATED, f"only declared, the machine is {own or 'unknown'}; {why}")
    return Judged(Mode.EMULATED, f"listed, but the machine is {own}; {why}")


def _settled(judged: Judged, answer: Answer, baseline: float) -> Judged:
    """A guest whose processor name says neither yes nor no: the loop decides."""
    if judged.mode is not Mode.NATIVE or not baseline:
        return judged
    model = answer.processor_field("model name")
    if model.startswith(_DOUBTFUL) and judged.seconds > _SLOW_GUEST * baseline:
        return replace(judged, mode=Mode.SYSTEM_EMULATED, evidence=f"processor {model}, and slow")
    return judged
