"""Broken, mutilated and mixed texts never raise, and fixes of them always apply."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.auditing.engine import Options, audit, audit_script
from orchestrator.auditing.fix import apply_fixes
from orchestrator.auditing.rules import RULES
from orchestrator.core.errors import DockerfileError
from orchestrator.dockerfile.parse import parse

_TRAPS = Path(__file__).parent / "traps" / "dockerfiles.txt"
SEEDS = tuple(
    "".join(f"{row[2:]}\n" for row in part.split("\n")[1:]) for part in f"\n{_TRAPS.read_text()}".split("\n--- ")[1:]
) + tuple(text for rule in RULES for text in (rule.info.bad, rule.info.good))
PIECES = (
    "amd64", "x86_64", "$(uname -m)", "${TARGETARCH:-amd64}", "case $A in", "esac", ";;", "&&", "||", "\\\n", '"', "'",
    "`", "$(", "${", "}", ")", "(", "[[", "]]", "[ ", "<<EOF\n", "EOF\n", "if ", "then ", "fi", "for a in", "do",
    "done", "f() {", "\n", "RUN ", "FROM ", "ARG ", "ENV ", "COPY --from=", "#", "|", ">", "sed s/a/b/", "é",
    "${M[", "\udcff", "\x00", "=(", "))", "$((", "\r\n", "--platform=", "linux/arm64",
    "\t", "!", ";", "curl https://", "declare -A M=([", "ONBUILD ", 'SHELL ["', "# mabuild: ignore[", "# escape=`\n",
)  # fmt: skip


def mutated(text: str, choice: random.Random) -> str:
    for _ in range(choice.randint(1, 6)):
        at = choice.randrange(len(text) + 1)
        match choice.randrange(4):
            case 0:
                text = text[:at] + choice.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[at + choice.randint(1, 30) :]
            case 2:
                end = min(len(text), at + choice.randint(1, 80))
                text = text[:at] + text[at:end] * choice.randint(2, 4) + text[end:]
            case _:
                other = choice.choice(SEEDS)
                start = choice.randrange(len(other) + 1)
                text = text[:at] + other[start : start + choice.randint(1, 60)] + text[at:]
    return text


def check(text: str) -> None:
    audit_script(text, "x.sh", Options())
    try:
        dockerfile = parse(text, "Dockerfile")
    except DockerfileError:
        return
    result = audit(dockerfile, Options())
    apply_fixes(text, result.findings, unsafe=True)
    assert all(finding.line >= 1 and finding.message for finding in result.findings)


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(SEEDS))
def test_mutated_texts(choice: random.Random, seed: str) -> None:
    check(mutated(seed, choice))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=40))
def test_mixed_pieces(pieces: list[str]) -> None:
    check("FROM a\nRUN " + "".join(pieces))
