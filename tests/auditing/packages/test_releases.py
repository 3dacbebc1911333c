"""Which file of a release a platform gets: tags, libc, versions, yanked files, hashes and Requires-Python."""

from __future__ import annotations

import pytest

from orchestrator.auditing.packages.environment import Environment, marker_holds
from orchestrator.auditing.packages.releases import Policy, by_version, offer, version_of
from orchestrator.core.packages import Availability, ReleaseFile
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform

BOOKWORM = Environment("3.12", "glibc", (2, 36))
ALPINE = Environment("3.12", "musl", (1, 2))
ANY = Policy()


def verdict(name: str, environment: Environment = BOOKWORM, platform: Platform = LINUX_ARM64) -> str:
    return offer([ReleaseFile(name)], environment, platform, ANY).verdict.value


@pytest.mark.parametrize(
    ("tags", "glibc", "musl"),
    [
        ("py3-none-any", "built", "built"),
        ("py2.py3-none-any", "built", "built"),
        ("py2-none-any", "none", "none"),
        ("cp312-cp312-manylinux_2_17_aarch64.manylinux2014_aarch64", "built", "none"),
        ("cp312-cp312-manylinux2014_aarch64", "built", "none"),
        ("cp312-cp312-manylinux_2_36_aarch64", "built", "none"),
        ("cp312-cp312-manylinux_2_37_aarch64", "none", "none"),
        ("cp312-cp312-manylinux_2_28_x86_64", "none", "none"),
        ("cp312-cp312-musllinux_1_1_aarch64", "none", "built"),
        ("cp312-cp312-musllinux_1_3_aarch64", "none", "none"),
        ("cp312-cp312-linux_aarch64", "built", "built"),
        ("cp39-abi3-manylinux_2_17_aarch64", "built", "none"),
        ("cp313-abi3-manylinux_2_17_aarch64", "none", "none"),
        ("cp311-cp311-manylinux_2_17_aarch64", "none", "none"),
        ("cp312-none-manylinux_2_17_aarch64", "built", "none"),
        ("py3-none-manylinux_2_17_aarch64", "built", "none"),
        ("cp312-cp312t-manylinux_2_17_aarch64", "none", "none"),
        ("cp312-cp312-macosx_11_0_arm64", "none", "none"),
        ("cp312-cp312-win_arm64", "none", "none"),
        ("pp310-pypy310_pp73-manylinux_2_17_aarch64", "none", "none"),
    ],
)
def test_tags(tags: str, glibc: str, musl: str) -> None:
    assert verdict(f"tool-1.0-{tags}.whl") == glibc
    assert verdict(f"tool-1.0-1build-{tags}.whl") == glibc
    assert verdict(f"tool-1.0-{tags}.whl", ALPINE) == musl


@pytest.mark.parametrize(
    ("tag", "platform"),
    [
        ("manylinux1_x86_64", LINUX_AMD64),
        ("manylinux2010_x86_64", LINUX_AMD64),
        ("manylinux2014_armv7l", Platform("linux", "arm", "v7")),
        ("manylinux_2_31_riscv64", Platform("linux", "riscv64")),
        ("manylinux_2_17_s390x", Platform("linux", "s390x")),
        ("manylinux_2_17_ppc64le", Platform("linux", "ppc64le")),
    ],
)
def test_other_platforms(tag: str, platform: Platform) -> None:
    assert verdict(f"tool-1.0-cp312-cp312-{tag}.whl", platform=platform) == "built"
    assert verdict(f"tool-1.0-cp312-cp312-{tag}.whl", platform=LINUX_ARM64) == "none"


def test_a_source_distribution_is_the_second_choice_and_says_why() -> None:
    files = [ReleaseFile("tool-1.0.tar.gz"), ReleaseFile("tool-1.0-cp312-cp312-manylinux2014_x86_64.whl")]
    found = offer(files, BOOKWORM, LINUX_ARM64, ANY)
    assert (found.verdict, found.file) == (Availability.SOURCE, "tool-1.0.tar.gz")
    assert "manylinux2014_x86_64" in found.reason
    assert offer(files, BOOKWORM, LINUX_AMD64, ANY).verdict is Availability.BUILT
    assert offer(files, BOOKWORM, LINUX_ARM64, Policy(sources=False)).verdict is Availability.NONE
    assert offer(files, BOOKWORM, LINUX_AMD64, Policy(wheels=False)).file == "tool-1.0.tar.gz"
    assert offer(files[:1], BOOKWORM, LINUX_ARM64, ANY).reason == "it has no wheel at all"


def test_a_wheel_that_the_hashes_leave_out_is_not_installed() -> None:
    files = [ReleaseFile("tool-1.0-py3-none-any.whl", "a" * 64), ReleaseFile("tool-1.0.tar.gz", "b" * 64)]
    found = offer(files, BOOKWORM, LINUX_ARM64, Policy(frozenset({"b" * 64})))
    assert (found.verdict, found.reason) == (
        Availability.SOURCE,
        "tool-1.0-py3-none-any.whl is not among the listed hashes",
    )
    assert offer(files, BOOKWORM, LINUX_ARM64, Policy(frozenset({"c" * 64}))).verdict is Availability.NONE


def test_yanked_files_are_the_last_choice_among_wheels() -> None:
    files = [ReleaseFile("tool-1.0-py3-none-any.whl", is_yanked=True), ReleaseFile("tool-1.0-py2.py3-none-any.whl")]
    assert offer(files, BOOKWORM, LINUX_ARM64, ANY).file == "tool-1.0-py2.py3-none-any.whl"
    assert offer(files[:1], BOOKWORM, LINUX_ARM64, ANY).reason == "yanked"


def test_the_best_tag_then_the_latest_build() -> None:
    names = ["cp39-abi3-manylinux2014_aarch64", "py3-none-any", "cp312-cp312-manylinux2014_aarch64"]
    files = [ReleaseFile(f"tool-1.0-{tags}.whl") for tags in names]
    assert offer(files, BOOKWORM, LINUX_ARM64, ANY).file == files[2].name
    files = [ReleaseFile(f"tool-1.0{build}-py3-none-any.whl") for build in ("", "-2", "-10x", "-9")]
    assert offer(files, BOOKWORM, LINUX_ARM64, ANY).file == files[2].name


@pytest.mark.parametrize(
    ("requires", "fits"),
    [("", True), (">=3.9", True), (">=3.13", False), ("<3.12", False), (">=3.12.4", True), ("!=3.12.*", False),
     ("<3.12.5", True), (">=3.6, <4", True), ("nonsense", True)],
)  # fmt: skip
def test_requires_python(requires: str, fits: bool) -> None:
    found = offer([ReleaseFile("tool-1.0-py3-none-any.whl", "", requires)], BOOKWORM, LINUX_ARM64, ANY)
    assert (found.verdict is Availability.BUILT) is fits


@pytest.mark.parametrize(
    ("file", "name", "version"),
    [
        ("tool-1.0-py3-none-any.whl", "tool", "1.0"),
        ("My.Tool-1.0.tar.gz", "my-tool", "1.0"),
        ("my-tool-2-1.0.post1.zip", "my-tool-2", "1.0.post1"),
        ("torch-2.6.0+cu124-cp312-cp312-linux_x86_64.whl", "torch", "2.6.0+cu124"),
        ("other-1.0.tar.gz", "tool", ""),
        ("tool-1.0.exe", "tool", ""),
        ("tool-1.0-py3.10.egg", "tool", ""),
        ("tool-banana.tar.gz", "tool", ""),
    ],
)
def test_version_of_a_file(file: str, name: str, version: str) -> None:
    assert str(version_of(file, name) or "") == version


def test_versions_that_are_the_same() -> None:
    assert len(by_version([ReleaseFile("tool-1.0.tar.gz"), ReleaseFile("tool-1-py3-none-any.whl")], "tool")) == 1


@pytest.mark.parametrize(
    ("marker", "on_amd64", "on_arm64"),
    [
        ("", True, True),
        ('platform_machine == "x86_64"', True, False),
        ('platform_machine != "x86_64" and sys_platform == "linux"', False, True),
        ('python_version >= "3.13"', False, False),
        ('extra == "gpu"', False, False),
        ("nonsense ==", True, True),
    ],
)
def test_markers(marker: str, on_amd64: bool, on_arm64: bool) -> None:
    assert marker_holds(marker, BOOKWORM, LINUX_AMD64) is on_amd64
    assert marker_holds(marker, BOOKWORM, LINUX_ARM64) is on_arm64
