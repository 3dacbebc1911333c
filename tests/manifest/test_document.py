"""YAML with places: values as YAML has them, and each found again in the text at its place."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.errors import ManifestError
from orchestrator.manifest.document import read_document
from orchestrator.manifest.node import MappingNode, Node, ScalarNode, SequenceNode

WORDS = st.text(alphabet="ab1 -:#'\"\n|{}[],&*!%@é", max_size=8)
VALUES = st.recursive(
    WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=8
)


def plain(node: Node) -> object:
    match node:
        case MappingNode():
            return {key: plain(entry.value) for key, entry in node.entries.items()}
        case SequenceNode():
            return [plain(item) for item in node.items]
        case ScalarNode():
            return node.text


@given(VALUES, st.booleans(), st.integers(1, 4), st.sampled_from([None, "'", '"', "|", ">"]))
def test_values_are_those_that_were_written(value: object, flow: bool, indent: int, style: str | None) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, indent=indent + 1, default_style=style, allow_unicode=True)
    if style is None:
        assert plain(read_document(text, "m").root) == value
    else:
        assert plain(read_document(text, "m").root) == yaml.load(text, Loader=yaml.BaseLoader)


@given(st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), min_size=1, max_size=6, unique=True), st.booleans())
def test_keys_and_values_are_found_at_their_places(words: list[str], flow: bool) -> None:
    value = {f"k{word}": [{f"i{word}": f"v{word}"}, f"w{word}"] for word in words}
    text = yaml.safe_dump(value, default_flow_style=flow, width=30)
    document = read_document(text, "m")
    lines = text.split("\n")
    for key in value:
        entry = document.key((key,))
        assert lines[entry.line - 1][entry.column - 1 :].startswith(key)
        for path, word in (((key, 0, f"i{key[1:]}"), f"v{key[1:]}"), ((key, 1), f"w{key[1:]}")):
            node = document.find(path)
            assert lines[node.line - 1][node.column - 1 :].startswith(word)


@given(st.text(alphabet="abé \n:-#$", min_size=1, max_size=30), st.sampled_from(["'", '"', "|", ""]), st.data())
def test_letters_inside_a_text_are_found(value: str, style: str, data: st.DataObject) -> None:
    text = yaml.safe_dump({"key": value}, default_style=style or None, allow_unicode=True, width=10_000)
    document = read_document(text, "m")
    node = document.find(("key",))
    assert isinstance(node, ScalarNode)
    assert node.text == value
    offset = data.draw(st.integers(0, len(value) - 1))
    place = document.position(node, offset)
    if (place.line, place.column) != (node.line, node.column) and value[offset] != "\n":
        assert text.split("\n")[place.line - 1][place.column - 1] == value[offset]


def test_places_inside_blocks_quotes_and_plain_texts() -> None:
    text = "a: x$\nb: 'x $'\nc: \"x$\"\nd: |\n\n  one\n    two $\ne: |2\n    three $\nf: 'it''s $'\n"
    document = read_document(text, "m")
    found = {}
    assert isinstance(document.root, MappingNode)
    for key, entry in document.root.entries.items():
        assert isinstance(entry.value, ScalarNode)
        place = document.position(entry.value, entry.value.text.index("$"))
        found[key] = (place.line, place.column)
    assert found == {"a": (1, 5), "b": (2, 7), "c": (3, 6), "d": (7, 9), "e": (9, 11), "f": (10, 4)}


def test_anchors_and_merges_point_at_the_anchored_line() -> None:
    text = "x: &x\n  a: 1\n  b: 2\ny:\n  <<: *x\n  b: 3\nz: [*x]\nm:\n  <<: [{a: 9}, *x]\n"
    document = read_document(text, "m")
    assert plain(document.root) == {
        "x": {"a": "1", "b": "2"},
        "y": {"b": "3", "a": "1"},
        "z": [{"a": "1", "b": "2"}],
        "m": {"a": "9", "b": "2"},
    }
    assert document.place(document.find(("y", "a"))).line == 2
    assert document.place(document.find(("y", "b"))).line == 6
    assert document.place(document.key(("z", 0, "b"))).line == 3


def test_only_a_plain_merge_key_merges() -> None:
    assert plain(read_document('"<<": {a: 1}\n', "m").root) == {"<<": {"a": "1"}}


def test_nulls_are_plain() -> None:
    document = read_document("[~, null, '', \"~\", !!str , x]", "m")
    assert isinstance(document.root, SequenceNode)
    assert [item.is_null for item in document.root.items if isinstance(item, ScalarNode)] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]


def refusal(text: str) -> str:
    with pytest.raises(ManifestError) as caught:
        read_document(text, "m")
    return caught.value.findings[0].rule


def test_aliases_cannot_nest_without_end() -> None:
    chain = "".join(f"a{n}: &a{n} {'[' * 20}{f'*a{n - 1}' if n else 'x'}{']' * 20}\n" for n in range(100))
    assert refusal(chain) == "manifest-too-deep"


def test_aliases_cannot_grow_without_end() -> None:
    assert refusal(f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 100)}]\n") == "manifest-too-large"
    assert refusal(f"a: &a x\nb: [{', '.join(['*a'] * 300_000)}]\n") == "manifest-too-large"


@given(st.text(alphabet="ab:-[]{}&*!|>'\"%@`#?,<~ \n\t\r\x00\x85é\u2028", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        document = read_document(text, "m")
        findings = document.findings
    except ManifestError as error:
        findings = error.findings
    assert all(finding.line >= 1 and finding.column >= 1 for finding in findings)
