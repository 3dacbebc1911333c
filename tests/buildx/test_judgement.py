"""What answers of probes mean: those in `recorded/probes` come from real parts, and the others are described."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.buildx.inspection import Inspected
from orchestrator.buildx.judgement import judge, node_platforms
from orchestrator.buildx.probe import Answer, read_answer
from orchestrator.core.plan import Mode
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform

_RECORDED = Path(__file__).parent / "recorded" / "probes"


def _recorded(name: str) -> Answer:
    return read_answer(_RECORDED / name, name.split("-", maxsplit=1)[0])


_EPYC = (("vendor_id", "AuthenticAMD"), ("model name", "AMD EPYC"))
_NATIVE = _recorded("amd64-native")
_QEMU = _recorded("arm64-qemu-user-7.2")
_BOTH = (LINUX_AMD64, LINUX_ARM64)
_NODE = Inspected("here", status="running", listed=(LINUX_AMD64, Platform("linux", "amd64", "v2"), LINUX_ARM64))


@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("amd64-native", Mode.NATIVE, "its kernel is x86_64, processor AMD EPYC"),
        ("386-native", Mode.COMPAT, "its kernel is x86_64, processor AMD EPYC"),
        ("386-qemu-user-7.2", Mode.EMULATED, "its kernel is x86_64, qemu-i386-static runs it"),
        ("arm64-qemu-user-7.2", Mode.EMULATED, "its kernel is x86_64, qemu-aarch64-static runs it"),
        ("arm64-qemu-user-10.0", Mode.EMULATED, "its kernel is x86_64, qemu-aarch64 runs it"),
        ("arm64-guest-without-acceleration", Mode.SYSTEM_EMULATED, "processor implementer 0x00 is qemu's own"),
        ("arm-guest-without-acceleration", Mode.SYSTEM_EMULATED, "processor implementer 0x00 is qemu's own"),
        ("amd64-guest-tcg-processor", Mode.SYSTEM_EMULATED, "processor QEMU TCG CPU version 2.5+"),
        # This name is given with and without acceleration, so that the loop has to settle it (see below).
        ("amd64-guest-virtual-processor", Mode.NATIVE, "processor QEMU Virtual CPU version 2.5+"),
    ],
)
def test_what_was_recorded_on_real_parts(name: str, mode: Mode, words: str) -> None:
    judged = judge(_recorded(name))
    assert judged.mode is mode
    assert words in judged.evidence
    assert judged.seconds > 0


def test_the_loop_tells_native_from_every_kind_of_emulation() -> None:
    native = max(_recorded("amd64-native").seconds, _recorded("386-native").seconds)
    emulated = [path.name for path in _RECORDED.iterdir() if "native" not in path.name]
    assert len(emulated) == 7
    assert all(_recorded(name).seconds > 4 * native for name in emulated)


@pytest.mark.parametrize(
    ("answer", "mode", "words"),
    [
        # Not recorded: a Graviton processor, as the kernel's documentation and Arm's list of implementers have it.
        (
            Answer("arm64", "aarch64", "/probe", "linux/arm64", "", (("CPU implementer", "0x41"),), 0.02),
            Mode.NATIVE,
            "its kernel is aarch64, processor 0x41",
        ),
        # Not recorded: an arm64 processor that still runs programs of 32 bits.
        (Answer("arm", "aarch64", "/probe", "linux/arm64"), Mode.COMPAT, "aarch64"),
        # Not recorded: Rosetta in a Linux guest on Apple Silicon, as its processor information is described.
        (
            Answer("amd64", "aarch64", "/run/rosetta", "linux/arm64", "", (("vendor_id", "VirtualApple"),), 0.03),
            Mode.EMULATED,
            "Rosetta runs it",
        ),
        # A kernel before 6.1 does not say its architecture; BUILDPLATFORM and the program do.
        (Answer("arm64", "", "/usr/bin/qemu-aarch64-static", "linux/amd64"), Mode.EMULATED, "machine is linux/amd64"),
        (Answer("arm64", "", "/probe", "linux/amd64"), Mode.EMULATED, "machine is linux/amd64"),
        (Answer("amd64", "", "/probe", "linux/amd64", "", _EPYC), Mode.NATIVE, "BUILDPLATFORM is linux/amd64"),
        (Answer("arm64", error="exec format error"), Mode.IMPOSSIBLE, "no emulator is registered"),
        (Answer("arm64", error="no such file or directory"), Mode.IMPOSSIBLE, "without the flag F"),
        (Answer("arm64", error="context canceled"), Mode.IMPOSSIBLE, "the probe failed: context canceled"),
    ],
)
def test_an_answer_has_one_meaning(answer: Answer, mode: Mode, words: str) -> None:
    judged = judge(answer)
    assert judged.mode is mode
    assert words in judged.evidence


def test_platforms_have_their_slowdown_against_the_fastest_native_node() -> None:
    baseline = _NATIVE.seconds / 1.5
    found = node_platforms(_NODE, {"amd64": _NATIVE, "arm64": _QEMU}, _BOTH, baseline)
    assert [(str(entry.platform), entry.mode, entry.slowdown) for entry in found] == [
        ("linux/amd64", Mode.NATIVE, 1.5),
        ("linux/amd64/v2", Mode.NATIVE, 1.5),
        ("linux/arm64", Mode.EMULATED, round(_QEMU.seconds / baseline, 1)),
    ]


def test_native_platforms_come_first_whatever_the_node_lists_first() -> None:
    node = Inspected("odd", status="running", listed=(LINUX_ARM64, LINUX_AMD64))
    found = node_platforms(node, {"amd64": _NATIVE, "arm64": _QEMU}, (), baseline=0.015)
    assert [entry.platform for entry in found] == [LINUX_AMD64, LINUX_ARM64]


def test_a_listed_platform_whose_emulator_has_gone_is_impossible() -> None:
    """BuildKit's list only grows (its worker never removes a platform), so it is not believed."""
    found = node_platforms(_NODE, {"amd64": _NATIVE, "arm64": Answer("arm64", error="exec format error")}, (), 0.015)
    assert {str(entry.platform): entry.mode for entry in found}["linux/arm64"] is Mode.IMPOSSIBLE


def test_a_platform_that_works_without_being_listed_is_found() -> None:
    wanted = Platform("linux", "386")
    answers = {"amd64": _NATIVE, "386": Answer("386", "x86_64", "/probe", "linux/amd64", "", _EPYC, 0.015)}
    found = node_platforms(_NODE, answers, (wanted,), 0.015)
    assert found[-1].platform == wanted
    assert found[-1].mode is Mode.COMPAT


def test_a_variant_that_the_processor_does_not_list_is_impossible() -> None:
    wanted = Platform("linux", "amd64", "v4")
    found = node_platforms(_NODE, {"amd64": _NATIVE}, (wanted,), 0.015)
    assert {entry.platform: entry.mode for entry in found}[wanted] is Mode.IMPOSSIBLE


def test_without_probe_the_first_platform_is_the_machines_own_and_the_others_are_not_believed() -> None:
    found = node_platforms(_NODE, {}, (Platform("linux", "s390x"),), 0.0)
    assert [(entry.mode, entry.evidence) for entry in found] == [
        (Mode.NATIVE, "BuildKit lists it first; not probed"),
        (Mode.NATIVE, "BuildKit lists it first; not probed"),
        (Mode.EMULATED, "listed, but the machine is amd64; not probed"),
        (Mode.IMPOSSIBLE, "it does not list this platform; not probed"),
    ]


def test_a_probe_that_went_wrong_proves_nothing() -> None:
    answers = {name: Answer(name, error="context canceled") for name in ("amd64", "arm64")}
    found = node_platforms(_NODE, answers, (), 0.0)
    assert [(entry.mode, entry.evidence) for entry in found][1:] == [
        (Mode.NATIVE, "BuildKit lists it first; the probe failed: context canceled"),
        (Mode.EMULATED, "listed, but the machine is amd64; the probe failed: context canceled"),
    ]


def test_a_declared_platform_proves_nothing() -> None:
    node = Inspected("boast", status="running", declared=(LINUX_ARM64,), listed=(LINUX_AMD64,))
    found = node_platforms(node, {}, (), 0.0)
    assert {entry.platform: entry.mode for entry in found} == {LINUX_AMD64: Mode.NATIVE, LINUX_ARM64: Mode.EMULATED}


def test_a_doubtful_processor_name_is_settled_by_the_loop() -> None:
    guest = _recorded("amd64-guest-virtual-processor")
    accelerated = replace(guest, seconds=_NATIVE.seconds * 1.1)
    assert node_platforms(_NODE, {"amd64": guest}, (), _NATIVE.seconds)[0].mode is Mode.SYSTEM_EMULATED
    assert node_platforms(_NODE, {"amd64": accelerated}, (), _NATIVE.seconds)[0].mode is Mode.NATIVE
