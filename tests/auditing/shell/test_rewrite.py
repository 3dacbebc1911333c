"""What sed, tr, cut and expansions make of a text."""

from __future__ import annotations

import pytest

from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.patterns import expression, glob
from orchestrator.auditing.shell.rewrite import cut, expanded, sed, tr


@pytest.mark.parametrize(
    ("arguments", "text", "expected"),
    [
        (("s/a/b/",), "aa", "ba"),
        (("s/a/b/g",), "aa", "bb"),
        (("-e", "s/x86_64/amd64/", "-e", "s/aarch64/arm64/"), "aarch64", "arm64"),
        (("s#/#-#g",), "linux/arm64", "linux-arm64"),
        (("-E", "s/(x86)_(64)/\\2-\\1/"), "x86_64", "64-x86"),
        (("s/\\(x86\\)_64/\\1/",), "x86_64", "x86"),
        (("s/^v//",), "v1.2", "1.2"),
        (("s/.*/[&]/",), "x", "[x]"),
        (("y/abc/xyz/",), "cab", "zxy"),
        (("/arm/s/64//",), "arm64", "arm"),
        (("/arm/!s/64//",), "amd64", "amd"),
        (("-n", "s/a/b/p"), "a", UNKNOWN),
        (("1d",), "a", UNKNOWN),
        (("s/a/b",), "a", UNKNOWN),
        (("s/a/b/",), UNKNOWN, UNKNOWN),
        ((), "a", UNKNOWN),
    ],
)
def test_sed(arguments: tuple[str, ...], text: str, expected: str) -> None:
    assert sed(arguments, text) == expected


def test_tr_and_cut() -> None:
    assert tr(("[:upper:]", "[:lower:]"), "ARM64") == "arm64"
    assert tr(("-d", "v"), "v8") == "8"
    assert tr(("-s", " "), "a") == UNKNOWN
    assert cut(("-d/", "-f2"), "linux/arm64/v8") == "arm64"
    assert cut(("-d", "/", "-f", "2-"), "linux/arm64/v8") == "arm64/v8"
    assert cut(("-c1",), "x") == UNKNOWN


@pytest.mark.parametrize(
    ("value", "operator", "arguments", "expected"),
    [
        ("linux/arm64", "#", ("*/",), "arm64"),
        ("a-b-c", "##", ("*-",), "c"),
        ("a-b-c", "%", ("-*",), "a-b"),
        ("a-b-c", "%%", ("-*",), "a"),
        ("aa", "/", ("a", "b"), "ba"),
        ("aa", "//", ("a", "b"), "bb"),
        ("arm", "^^", (), "ARM"),
        ("ARM", ",,", (), "arm"),
        ("arm", "^", (), "Arm"),
        ("arm", "@", ("Q",), UNKNOWN),
        (UNKNOWN, "#", ("x",), UNKNOWN),
    ],
)
def test_expansions(value: str, operator: str, arguments: tuple[str, ...], expected: str) -> None:
    assert expanded(value, operator, arguments) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [("arm*", "arm64", True), ("[Aa]rm", "Arm", True), ("[!a]", "a", False), ("a?c", "abc", True), ("[", "[", True)],
)
def test_patterns(pattern: str, text: str, matches: bool) -> None:
    assert bool(glob(pattern).fullmatch(text)) is matches


@pytest.mark.parametrize("pattern", ["(a*)*b", "(a+)+$", "((a{1,9})*)*", "a" * 500, "(", "*a", "[[:nope:]"])
def test_expressions_that_are_slow_or_wrong_match_nothing_and_return(pattern: str) -> None:
    assert expression(pattern, extended=True).search("a" * 40 + "!") is None
