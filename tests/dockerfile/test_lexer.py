"""Variables, quotes and escapes: own cases, and a real shell as the judge of patterns."""

import random
import shutil
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.dockerfile.lexer import ExpansionError, expand

VALUES = {"V": "linux/arm64/v8", "E": "", "N": "a.b.c", "PATH_1": "x", "Q": 'say "hi"'}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("$V", "linux/arm64/v8"),
        ("${V}", "linux/arm64/v8"),
        ("a${N}b", "aa.b.cb"),
        ("$N.x", "a.b.c.x"),
        ("$PATH_1/bin", "x/bin"),
        ("$X", ""),
        ("$", "$"),
        ("a$ b", "a$ b"),
        ("$1x", "x"),
        ("${X-d}${E-d}", "d"),
        ("${X:-d}${E:-d}", "dd"),
        ("${X:-$V}", "linux/arm64/v8"),
        ("${X:-${E:-'a b'}}", "a b"),
        ("${V+a}${E+b}${X+c}", "ab"),
        ("${V:+a}${E:+b}${X:+c}", "a"),
        ("${V?no}", "linux/arm64/v8"),
        ("${V#*/}", "arm64/v8"),
        ("${V##*/}", "v8"),
        ("${V%/*}", "linux/arm64"),
        ("${V%%/*}", "linux"),
        ("${V#linux?}", "arm64/v8"),
        ("${V#nothing}", "linux/arm64/v8"),
        (r"${V/\//-}", "linux-arm64/v8"),
        (r"${V//\//-}", "linux-arm64-v8"),
        ("${V/arm*/x}", "linux/x"),
        ("${V//?/x}", "x" * 14),
        ("${V/zzz/x}", "linux/arm64/v8"),
        ("'$V'", "$V"),
        ('"$N"', "a.b.c"),
        (r'"\$N \" \\ \x"', r'$N " \ \x'),
        (r"\$N\a", "$Na"),
        ('"it\'s"', "it's"),
        ("$Q", 'say "hi"'),
        ("<<EOF", "<<EOF"),
        ("trailing\\", "trailing"),
        ("é$N", "éa.b.c"),
    ],
)
def test_words_expand_as_in_buildkit(word: str, expected: str) -> None:
    assert expand(word, VALUES.get).text == expected


@pytest.mark.parametrize(
    "word",
    ["'open", '"open', "${V", "${}", "${:x}", "${{V}}", "${V@Q}", "${V:3}", "${X?}", "${E:?no}", "${V/a", "${V/a/b"],
)
def test_what_buildkit_refuses_is_refused(word: str) -> None:
    with pytest.raises(ExpansionError):
        expand(word, VALUES.get)


def test_the_escape_character_is_a_parameter() -> None:
    assert expand("`$N\\", VALUES.get, "`").text == "$N\\"


def test_names_are_told_apart_by_whether_they_have_a_value() -> None:
    result = expand("$V ${X:-$N} ${NOT}", VALUES.get)
    assert result.used == {"V", "N"}
    assert result.missing == {"X", "NOT"}


def _pattern_cases(count: int) -> list[tuple[str, str, str]]:
    chance = random.Random(7)
    pieces = ["a", "b", "ab", "*", "?", ".", "/", "+"]
    cases = []
    for _ in range(count):
        value = "".join(chance.choice("ab./+") for _ in range(chance.randint(0, 10)))
        pattern = "".join(chance.choice(pieces) for _ in range(chance.randint(1, 5))).replace("/", ".")
        cases.append((value, pattern, chance.choice(["#", "##", "%", "%%", "/", "//", ":-", "-", ":+", "+"])))
    return cases


def test_patterns_match_as_in_bash() -> None:
    bash = shutil.which("bash")
    assert bash, "the judge of this test is bash"
    cases = _pattern_cases(3000)
    words = [f"${{V{op}{pattern}/<r>}}" if op[0] == "/" else f"${{V{op}{pattern}}}" for _, pattern, op in cases]
    script = "".join(
        f"V='{value}'; printf '%s\\n' \"{word}\"\n" for (value, _, _), word in zip(cases, words, strict=True)
    )
    answer = subprocess.run([bash], input=script, capture_output=True, text=True, check=True).stdout.split("\n")
    for (value, _, _), word, expected in zip(cases, words, answer, strict=False):
        assert expand(word, {"V": value}.get).text == expected, (value, word)


@settings(deadline=None)
@given(st.text(alphabet="$ {}V:-+#%/'\"\\`<ab*?", max_size=40))
def test_any_word_ends_in_a_text_or_an_expansion_error(word: str) -> None:
    try:
        result = expand(word, VALUES.get)
    except ExpansionError:
        return
    assert result.used <= VALUES.keys()


@pytest.mark.parametrize(
    "word",
    [
        "${V" + "#a" * 20_000 + "}",
        "${L/a*a*a*a*a*a*a*b/}",
        "${L//a?a/x}",
        "${L%%*b*b*b*b}",
        "${V:-" * 5_000 + "}" * 5_000,
        "$L" * 10,
        "${L//a/xxxxxxxxxx}",
    ],
)
def test_hostile_words_end_quickly(word: str) -> None:
    begin = time.process_time()
    try:
        text = expand(word, {"V": "aaa", "L": "a" * 50_000}.get).text
    except ExpansionError:
        text = ""
    assert len(text) <= 65_536
    assert time.process_time() - begin < 1.0
