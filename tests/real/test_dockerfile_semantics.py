"""Values of variables as a real BuildKit has them, against those that the reader works out.

Each case is built for linux/arm64; its last stage writes the values into a file, by variables that BuildKit expands.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.dockerfile.lexer import expand
from orchestrator.dockerfile.parse import parse
from orchestrator.dockerfile.resolve import resolve
from orchestrator.dockerfile.scope import Origin
from tests.real.lab import LIMIT

pytestmark = pytest.mark.real

SHOWN = ("TARGETPLATFORM", "TARGETARCH", "TARGETOS", "TARGETVARIANT", "A", "B", "C")
DUMP = "COPY <<EOF /values\n" + "".join(f"{name}=${{{name}}};${{{name}-unset}}\n" for name in SHOWN) + "EOF\n"

CASES = {
    "undeclared": "FROM scratch\n",
    "declared": "FROM scratch\nARG TARGETPLATFORM TARGETARCH TARGETOS TARGETVARIANT\n",
    "a default in the stage": "FROM scratch\nARG TARGETARCH=amd64\n",
    "a default before the first FROM": "ARG TARGETARCH=amd64\nFROM scratch\nARG TARGETARCH\n",
    "an empty default": "FROM scratch\nARG TARGETARCH=\n",
    "a fallback in the stage": "FROM scratch\nARG TARGETARCH=${TARGETARCH:-amd64}\n",
    "a fallback before the first FROM": "ARG TARGETARCH=${TARGETARCH:-amd64}\nFROM scratch\nARG TARGETARCH\n",
    "a fallback below a bare one": "FROM scratch\nARG TARGETARCH\nARG TARGETARCH=${TARGETARCH:-amd64}\n",
    "ENV over ARG": "FROM scratch\nARG TARGETARCH\nENV TARGETARCH=amd64\n",
    "several in one instruction": "FROM scratch\nARG TARGETPLATFORM TARGETARCH A=dev\n",
    "global and stage": "ARG A=1 B=${A}2\nFROM scratch\nARG B\nARG A=3\nARG C=$A$B\n",
    "global, not taken in": "ARG A=1\nFROM scratch\nENV B=$A\n",
    "global without a default": "ARG A\nFROM scratch\nARG A\nARG B\n",
    "inherited": "FROM scratch AS base\nARG TARGETARCH\nARG A=1\nENV B=$A$TARGETARCH\nFROM base\nENV C=$A-$B\n",
    "inherited through two": "FROM scratch AS x\nENV A=1\nFROM x AS y\nARG B=$A\nFROM y\nARG A=2\n",
    "one ENV sees what was before it": "FROM scratch\nENV A=1\nENV A=2 B=$A\nENV C=$A$B\n",
    "the old form of ENV": "FROM scratch\nENV A one  two\nENV B $A three\n",
    "quotes": "FROM scratch\nENV A='$B x' B=\"a b\" C=a\\ b\n",
    "escapes": 'FROM scratch\nENV A=\\$B B="\\$x \\\\ \\"" C=a\\\\b\n',
    "operators": "FROM scratch\nARG X=x\nENV A=${X:-1}${Y:-2}${Y-3} B=${X:+4}${Y+5} C=${X?no}\n",
    "nested operators": "FROM scratch\nARG X=x\nENV A=${Y:-${Z:-$X}} B=${X:+${Y:-7}}\n",
    "patterns": "FROM scratch\nARG X=a.b.c\nENV A=${X#*.}-${X##*.} B=${X%.*}-${X%%.*} C=${X/./_}-${X//./_}\n",
    "a build argument": "ARG A=1\nFROM scratch\nARG A\nARG B=2\nENV C=$B\n",
    "escape by a directive": "# escape=`\nFROM scratch\nENV A=a`$b `\n    B=\\x\n",
}
ARGUMENTS = {"a build argument": {"A": "passed", "B": "too", "C": "not declared"}}


TOGETHER = [name for name, text in CASES.items() if text.startswith("FROM") and name not in ARGUMENTS]
ALONE = [name for name in CASES if name not in TOGETHER]


def test_variables_have_the_values_of_a_real_build(tmp_path: Path) -> None:
    """All cases that have nothing before their first FROM are stages of one build."""
    stages = [named(CASES[name], f"case{number}") + DUMP for number, name in enumerate(TOGETHER)]
    copies = "".join(f"COPY --from=case{number} /values /{number}\n" for number in range(len(stages)))
    out = build("".join(stages) + f"FROM scratch\n{copies}", "linux/arm64", {}, tmp_path)
    for number, name in enumerate(TOGETHER):
        assert (out / str(number)).read_text() == worked_out(CASES[name] + DUMP, LINUX_ARM64, {}), name


def named(text: str, stage: str) -> str:
    """The text with a name for its last stage."""
    before, origin, after = text.rpartition("FROM ")
    base, end, rest = after.partition("\n")
    return f"{before}{origin}{base} AS {stage}{end}{rest}"


@pytest.mark.parametrize("name", ALONE)
def test_global_arguments_have_the_values_of_a_real_build(name: str, tmp_path: Path) -> None:
    text, arguments = CASES[name] + DUMP, ARGUMENTS.get(name, {})
    out = build(text, "linux/arm64", arguments, tmp_path)
    assert (out / "values").read_text() == worked_out(text, LINUX_ARM64, arguments)


def test_variants_have_the_values_of_a_real_build(tmp_path: Path) -> None:
    text = "FROM scratch\nARG TARGETPLATFORM TARGETARCH TARGETVARIANT\n" + DUMP
    out = build(text, "linux/arm/v7", {}, tmp_path)
    assert (out / "values").read_text() == worked_out(text, Platform.parse("linux/arm/v7"), {})


def worked_out(text: str, platform: Platform, arguments: dict[str, str]) -> str:
    dockerfile = parse(text, "Dockerfile")
    stage = resolve(dockerfile, target="", args=arguments, platform=platform, build_platform=LINUX_AMD64).target
    position = next(number for number, one in enumerate(stage.executed) if one.keyword == "COPY")

    def value_of(name: str) -> str | None:
        variable = stage.scope.lookup(name, before=position)
        return None if variable.origin is Origin.UNDECLARED else variable.value

    lines = stage.executed[position].heredocs[0].body.text.split("\n")
    return "\n".join(expand(line, value_of).text for line in lines)


def build(text: str, platform: str, arguments: dict[str, str], folder: Path) -> Path:
    """Build with docker buildx, and give the folder with the files of the image."""
    (folder / "context").mkdir()
    (folder / "context" / "Dockerfile").write_text(text)
    passed = [word for name, value in arguments.items() for word in ("--build-arg", f"{name}={value}")]
    output = f"type=local,dest={folder / 'out'}"
    command = ["docker", "buildx", "build", "--platform", platform, "--output", output, *passed]
    done = subprocess.run(
        [*command, str(folder / "context")], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "out"
