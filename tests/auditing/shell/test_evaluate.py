"""Shell texts as they run on amd64 and arm64: every way that people ask for the architecture."""

from __future__ import annotations

import pytest

from orchestrator.auditing.shell.convert import script
from orchestrator.auditing.shell.evaluate import MOST_STEPS, Evaluator
from orchestrator.auditing.shell.machine import UNKNOWN, machine
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform


def walk(text: str, platform: Platform) -> Evaluator:
    one = machine(platform)
    evaluator = Evaluator(text, one, one.variables().get, {})
    evaluator.run(script(text))
    evaluator.run_uncalled()
    return evaluator


def value(text: str, platform: Platform, name: str = "A") -> str | None:
    return walk(text, platform).state.get(name)


def commands(text: str, platform: Platform) -> list[tuple[str, ...]]:
    return [visit.values for visit in walk(text, platform).trace.visits]


MAPS = [
    'A=$(uname -m); case "$A" in x86_64) A=amd64 ;; aarch64) A=arm64 ;; esac',
    "A=`uname -m`; case $A in x86_64|amd64) A=amd64;; arm64|aarch64) A=arm64;; *)exit 1;; esac",
    'case "${TARGETPLATFORM}" in\n  linux/amd64)\n    A=amd64 ;;\n  "linux/arm64" | "x")\n    A=arm64 ;;\nesac',
    "A=$TARGETARCH",
    "A=${TARGETPLATFORM#linux/}",
    "A=${TARGETPLATFORM##*/}",
    "A=$(dpkg --print-architecture)",
    "A=$(uname -m | sed s/x86_64/amd64/ | sed s/aarch64/arm64/)",
    "A=$(uname -m | sed -e 's/x86_64/amd64/' -e 's/aarch64/arm64/')",
    "A=$(uname -m | sed 's/x86_64/amd64/;s/aarch64/arm64/')",
    "A=$(uname -m | sed -E 's/^(x86_64)$/amd64/; s|aarch64|arm64|')",
    "A=$(apk --print-arch); A=${A/x86_64/amd64}; A=${A/aarch64/arm64}",
    'A=$(rpm -E "%{_arch}"); [ "$A" = x86_64 ] && A=amd64 || A=arm64',
    'if [ "$(arch)" = x86_64 ]; then A=amd64; else A=arm64; fi',
    "if [[ $HOSTTYPE == x86* ]]; then A=amd64; elif [[ $HOSTTYPE == aarch64 ]]; then A=arm64; fi",
    'if [[ "$(uname -m)" =~ ^(x86_64|amd64)$ ]]; then A=amd64; else A=arm64; fi',
    "if uname -m | grep -q aarch64; then A=arm64; else A=amd64; fi",
    'if echo "$TARGETPLATFORM" | grep -qE "arm64|aarch64"; then A=arm64; else A=amd64; fi',
    'A=amd64; if test "$TARGETARCH" = arm64; then A=arm64; fi',
    '! [ "$TARGETARCH" != amd64 ] && A=amd64 || A=arm64',
    '[ "$TARGETARCH" = amd64 -a -n "$TARGETARCH" ] && A=amd64; [ "$TARGETARCH" != amd64 ] && A=arm64',
    "declare -A M=([x86_64]=amd64 [aarch64]=arm64); A=${M[$(uname -m)]}",
    'get() { case "$(uname -m)" in x86_64) echo amd64 ;; aarch64) echo arm64 ;; esac; }; A=$(get)',
    'get() { local k=$1; if [ "$k" = x86_64 ]; then echo amd64; else echo arm64; fi; }; A=$(get "$(uname -m)")',
    "A=$(node -p process.arch); [ $A = x64 ] && A=amd64",
    "A=$(python3 -c 'import platform; print(platform.machine())'); case $A in x86_64) A=amd64;; *) A=arm64;; esac",
    "A=$(go env GOARCH)",
    "A=$(echo $TARGETARCH | tr '[:lower:]' '[:upper:]' | tr A-Z a-z)",
    "A=$(printf '%s' \"$TARGETPLATFORM\" | cut -d/ -f2)",
    'case "$(uname -sm)" in "Linux x86_64") A=amd64 ;; "Linux aarch64") A=arm64 ;; esac',
    "export A=$TARGETARCH",
    'eval "A=$TARGETARCH"; A=${A:-$TARGETARCH}',
    "A=${TARGETARCH:-amd64}",
    'for a in amd64 arm64; do if [ "$a" = "$TARGETARCH" ]; then A=$a; fi; done; A=$TARGETARCH',
]


@pytest.mark.parametrize("text", MAPS)
def test_maps_are_followed(text: str) -> None:
    assert value(text, LINUX_AMD64) == "amd64"
    assert value(text, LINUX_ARM64) == "arm64"


@pytest.mark.parametrize(
    "text",
    [
        '[ "$TARGETARCH" = arm64 ] && exit 0; curl x',
        '[ "$TARGETARCH" = amd64 ] || exit 1; curl x',
        'if [ "$TARGETARCH" != amd64 ]; then exit 1; fi; curl x',
        "case $TARGETARCH in arm64) exit 0 ;; esac; curl x",
        'f() { exit 3; }; [ "$(uname -m)" = aarch64 ] && { f; exit 1; }; curl x',
        "bash -c 'if [ $(uname -m) = x86_64 ]; then curl x; fi'",
        "sh <<EOF\ncase $(arch) in x86_64) curl x ;; esac\nEOF\n",
    ],
)
def test_what_one_platform_does_not_reach(text: str) -> None:
    assert ("curl", "x") in commands(text, LINUX_AMD64)
    assert ("curl", "x") not in commands(text, LINUX_ARM64)


@pytest.mark.parametrize(
    "text",
    [
        'if [ -n "$SOMETHING" ]; then A=1; else A=2; fi',
        "which x && A=1 || A=2",
        "A=1; which x || A=2",
        "A=1; [ -f /x ] && exit 1; A=$(cat /etc/x)",
        "A=1; which x && echo there && exit 0; A=$(cat /etc/x)",
        "read A < /x",
        "A=$(some-tool)",
        "A=$((1 + 2))",
        "A=${TARGETARCH:0:3}",
    ],
)
def test_what_nobody_knows_is_unknown(text: str) -> None:
    assert UNKNOWN in (value(text, LINUX_AMD64) or "")


def test_changes_inside_a_subshell_stay_there() -> None:
    assert value("A=1; (A=2; exit 1); echo x | { A=3; }", LINUX_AMD64) == "1"


def test_a_missing_arm_and_an_empty_variable_are_noted() -> None:
    trace = walk("case $TARGETARCH in amd64) A=1 ;; esac; curl $A", LINUX_ARM64).trace
    assert len(trace.unserved) == 1
    assert [name for _, name in trace.missing.values()] == ["A"]
    assert not walk("case $TARGETARCH in amd64) A=1 ;; esac; curl $A", LINUX_AMD64).trace.unserved


def test_a_key_that_an_array_lacks_is_noted() -> None:
    trace = walk("declare -A M=([amd64]=1); curl ${M[$TARGETARCH]}", LINUX_ARM64).trace
    assert [part.name for part in trace.holes] == ["M"]


def test_a_pattern_that_never_matches_is_noted_and_taken_as_it_is_meant() -> None:
    evaluator = walk("case $(uname -m) in amd64) A=1 ;; arm64) A=2 ;; *) A=1 ;; esac", LINUX_ARM64)
    assert evaluator.state.get("A") == "2"
    assert [one.value for one in evaluator.trace.mismatches] == ["aarch64"]


def test_a_value_that_is_set_again_before_it_is_read_is_noted() -> None:
    text = 'A=x86_64; [ "$TARGETARCH" = arm64 ] && A=aarch64; curl $A'
    assert len(walk(text, LINUX_ARM64).trace.replaced) == 1
    assert not walk(text, LINUX_AMD64).trace.replaced


def test_functions_that_call_themselves_end() -> None:
    assert commands("f() { f; f; }; g() { f; g; }; g; curl x", LINUX_AMD64)[-1] == ("curl", "x")


def test_steps_are_bounded() -> None:
    evaluator = walk("echo x\n" * (MOST_STEPS + 100), LINUX_AMD64)
    assert len(evaluator.trace.visits) <= MOST_STEPS + 2


@pytest.mark.parametrize("depth", [100, 5_000])
def test_deep_nesting_ends_in_words(depth: int) -> None:
    for opening, closing in (("(", ")"), ("$(", ")"), ("if true; then ", "; fi"), ("{ ", "; }"), ("[ ! ", " ]")):
        walk(f"{opening * depth}echo x{closing * depth}", LINUX_AMD64)
