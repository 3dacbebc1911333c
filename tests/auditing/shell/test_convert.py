"""The tree of a shell text: words, quotes and places, also where the grammar errs."""

from __future__ import annotations

import pytest

from orchestrator.auditing.shell.convert import script
from orchestrator.auditing.shell.parser import encoded
from orchestrator.auditing.shell.places import Position, places
from orchestrator.auditing.shell.syntax import Broken, Case, Chain, Command, If, Literal, Loop, Pipeline, Variable


def only_command(text: str) -> Command:
    (node,) = script(text)
    assert isinstance(node, Command)
    return node


def words(text: str) -> list[str]:
    return [word.literal for word in only_command(text).words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b c", ["a", "b", "c"]),
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ('a "b $C  d"', ["a", "b \0  d"]),
        ("a x$B-$C-y", ["a", "x\0-\0-y"]),
        ("a https://x/$V/n-$V-l.tgz d", ["a", "https://x/\0/n-\0-l.tgz", "d"]),
        ("a $(b c)-d", ["a", "\0-d"]),
        ("a `b c`", ["a", "\0"]),
        ("a ${B:-c d}", ["a", "\0"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_the_places_of_names_are_offsets_of_the_text() -> None:
    text = "curl é \"x-amd64-$V\" 'y_arm64'"
    found = [(text[name.start : name.end], name.family) for word in only_command(text).words for name in word.names]
    assert found == [("amd64", "amd64"), ("arm64", "arm64")]


@pytest.mark.parametrize("text", ["case $A in a) b;; *)exit 1;; esac", "case $A in\n'a')b;;\n(c|d)e;; esac"])
def test_arms_without_a_space_behind_the_bracket(text: str) -> None:
    (node,) = script(text)
    assert isinstance(node, Case)
    assert len(node.arms) == 2
    assert all(arm.body for arm in node.arms)


def test_structure() -> None:
    kinds = [type(node) for node in script("a && b\nc | d\nif e; then f; fi\nfor g in h; do i; done")]
    assert kinds == [Chain, Pipeline, If, Loop]


def test_a_long_chain_is_flat() -> None:
    (node,) = script(" && ".join(["a"] * 20_000))
    assert isinstance(node, Chain)
    assert len(node.rest) == 19_999


def test_what_stands_behind_a_heredoc_belongs_to_it() -> None:
    first, second = script("cat <<EOF > /x && b\nline $C\nEOF\nd")
    assert isinstance(first, Chain)
    assert [type(one) for _, one in first.rest] == [Command]
    assert isinstance(second, Command)


def test_operators_of_expansions() -> None:
    part = only_command("a ${B/x86_64/amd64}").words[1].parts[0]
    assert isinstance(part, Variable)
    assert (part.name, part.operator, [word.literal for word in part.arguments]) == ("B", "/", ["x86_64", "amd64"])


def test_text_that_is_no_shell_is_words() -> None:
    nodes = script("case case ((( ; ;; fi done x-amd64 esac <<<")
    assert any(isinstance(node, Broken) for node in nodes)


def test_positions() -> None:
    text = "A=b c > d; for e in f; do g ${H:-i}; done; [ j = k ]"
    found = {(place.word.literal, place.position) for place in places(script(text)) if place.word.parts}
    assert {
        ("b", Position.ASSIGNED),
        ("d", Position.TARGET),
        ("f", Position.LISTED),
        ("i", Position.FALLBACK),
        ("j", Position.COMPARED),
    } <= found


def test_a_quoted_heredoc_is_one_literal() -> None:
    (redirect,) = only_command("cat <<'EOF'\ndeb [arch=amd64] $x\nEOF\n").redirects
    assert redirect.is_quoted
    assert [type(part) for part in redirect.word.parts] == [Literal]


def test_characters_beyond_ascii_never_reach_the_grammar() -> None:
    content, offsets = encoded("é\U000db850x\0", 0)
    assert content == b"xxxx"
    assert offsets == ()
    assert words("a \U000db8509>x é\U0010ffff") == ["a", "\U000db8509", "é\U0010ffff"]


def test_offsets_stay_those_of_the_text_where_a_space_is_put_in() -> None:
    text = "é; case $A in b)c-amd64;; d)e-arm64;; esac"
    names = [name for place in places(script(text)) for name in place.word.names]
    assert [text[name.start : name.end] for name in names] == ["amd64", "arm64"]


@pytest.mark.parametrize("text", ["a > /x b c", "a b c 2>&1 > /x", "a >/x b 2>/y c", "cat <<EOF > /x b c\nd\nEOF"])
def test_words_behind_a_redirect_belong_to_the_command(text: str) -> None:
    (command,) = script(text)
    assert isinstance(command, Command)
    assert [word.literal for word in command.words][1:] == ["b", "c"]
    assert "/x" in [redirect.word.literal for redirect in command.redirects]
