"""Which words name an architecture, where they stand, and which stand beside their siblings."""

from __future__ import annotations

import pytest

from orchestrator.auditing.architectures import is_for_other_system, names, schematic, word_name
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role, serves_all
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.dockerfile.parse import parse

BOTH = (LINUX_AMD64, LINUX_ARM64)


def mentions(text: str) -> tuple[Mention, ...]:
    return Context(parse(text, "Dockerfile"), BOTH).mentions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tool-linux-amd64.tgz", ["amd64"]),
        ("tool_Linux_X86_64", ["amd64"]),
        ("x86-64", ["amd64"]),
        ("node-v20-linux-x64.tar.xz", ["amd64"]),
        ("hugo_Linux-64bit", ["amd64"]),
        ("chromedriver_linux64.zip", ["amd64"]),
        ("micromamba/linux-64/latest", ["amd64"]),
        ("protoc-linux-aarch_64", ["arm64"]),
        ("arm64v8", ["arm64"]),
        ("linux-armv7l", ["arm"]),
        ("i386 i686", ["386", "386"]),
        ("lib64 base64 sha256 uint64 win64 charm64 amd640 xamd64", []),
        ("farm army alarm x860", []),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert [name.family for name in names(text)] == expected


@pytest.mark.parametrize(
    ("text", "family"),
    [("amd64", "amd64"), ("linux/arm64/v8", "arm64"), ("linux-musl-x64", "amd64"), ("tool-amd64", ""), ("", "")],
)
def test_a_text_that_is_nothing_but_a_name(text: str, family: str) -> None:
    assert word_name(text) == family


def test_other_systems() -> None:
    assert is_for_other_system("tool-darwin-amd64")
    assert is_for_other_system("x86_64-pc-windows-gnu")
    assert is_for_other_system("setup-x64.exe")
    assert is_for_other_system("rhel/9/x86_64/release.noarch.rpm")
    assert not is_for_other_system("tool-linux-amd64")


def test_siblings_have_the_same_scheme() -> None:
    assert schematic("/usr/lib/x86_64-linux-gnu") == schematic("/usr/lib/aarch64-linux-gnu")


def test_a_list_for_all_platforms() -> None:
    assert serves_all("[arch=amd64,arm64]", BOTH)
    assert serves_all("X86;AArch64", BOTH)
    assert not serves_all("gcc-arm-x86_64-aarch64-linux-gnu", BOTH)
    assert not serves_all("amd64,amd64", BOTH)


def test_a_word_stands_on_the_line_of_its_name_inside_continuations_and_heredocs() -> None:
    text = "FROM a\nRUN b && \\\n  # amd64\n\n  curl -O \\\n    https://x.example/t-amd64\nRUN <<E\nx\ncurl https://x.example/u-amd64\nE\n"
    assert [(one.line, one.word.column) for one in mentions(text)] == [(6, 25), (9, 26)]


def test_roles_and_values() -> None:
    text = "FROM a\nENV B=amd64\nARG D=u/x-amd64.tgz\nCOPY e-amd64 /f-amd64\nWORKDIR /g-amd64\n"
    text += "RUN H=amd64 i-amd64 > j-amd64\n"
    roles = {one.role for one in mentions(text)}
    assert {Role.ENV, Role.ARG, Role.SOURCE, Role.DESTINATION, Role.DIRECTORY, Role.VARIABLE, Role.TARGET} <= roles
    value = mentions("FROM a\nARG B=https://x.example\nRUN curl ${B}/t-amd64\n")[0].value
    assert value == "https://x.example/t-amd64"


def test_only_the_platforms_that_meet_a_word_count() -> None:
    text = 'FROM a\nARG TARGETARCH\nRUN if [ "$TARGETARCH" = arm64 ]; then curl https://x.example/t-amd64; fi\n'
    (mention,) = mentions(text)
    assert mention.is_guarded
    assert mention.live == (LINUX_ARM64,)


def test_exec_form_powershell_and_other_languages() -> None:
    assert len(mentions('FROM a\nRUN ["sh", "-c", "curl https://x.example/t-amd64"]\n')) == 1
    (mention,) = mentions('FROM a\nSHELL ["pwsh", "-c"]\nRUN iwr https://x.example/t-linux-amd64\n')
    assert mention.confidence == "low"
    (mention,) = mentions("FROM a\nRUN <<E\n#!/usr/bin/env python3\nget('https://x.example/t-amd64')\nE\n")
    assert mention.confidence == "low"


def test_windows_stages_are_built_for_no_linux() -> None:
    assert not mentions("FROM mcr.microsoft.com/windows/servercore:1\nRUN curl https://x.example/t-amd64.zip\n")


def test_a_stage_that_the_named_target_does_not_need_is_left_out() -> None:
    text = "FROM a AS one\nRUN curl https://x.example/t-amd64\nFROM a AS two\nRUN true\n"
    dockerfile = parse(text, "Dockerfile")
    assert Context(dockerfile, BOTH).mentions
    assert not Context(dockerfile, BOTH, target="two").mentions
