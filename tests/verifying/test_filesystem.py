"""The map of the root file system: against real directories on disk, and rule by rule."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.verifying.filesystem import FileMap, LowerLayerNeededError
from orchestrator.verifying.node import Node, NodeKind

Layer = list[tuple[str, Node]]
FILE, DIRECTORY, WHITEOUT, OPAQUE = (
    Node(NodeKind.FILE, 0o755, 1),
    Node(NodeKind.DIRECTORY, 0o755),
    Node(NodeKind.WHITEOUT),
    Node(NodeKind.OPAQUE),
)


def symlink(target: str) -> Node:
    return Node(NodeKind.SYMLINK, 0o777, target=target)


def hard_link(target: str) -> Node:
    return Node(NodeKind.HARDLINK, 0o755, target=target)


def made(*layers: Layer, partial: bool = False) -> FileMap:
    files = FileMap(is_partial=partial)
    for number, layer in enumerate(layers):
        files.put_layer(number, layer)
    return files


def paths(files: FileMap) -> set[str]:
    return {path for path in files.paths() if files.get(path) is not None and files.get(path) != DIRECTORY}


def test_upper_layers_win_and_say_where_they_come_from() -> None:
    files = made([("a/x", FILE), ("a/y", FILE)], [("a/x", Node(NodeKind.FILE, 0o644, 2))])
    shown = {(path, layer) for path, layer, node in files.items() if node.kind is NodeKind.FILE}
    assert shown == {("a/x", 1), ("a/y", 0)}


def test_whiteouts_hide_lower_layers_only() -> None:
    assert paths(made([("a", FILE), ("d/x", FILE), ("d/y", FILE)], [("d/x", WHITEOUT), ("a", WHITEOUT)])) == {"d/y"}
    assert paths(made([("d/x", FILE)], [("d/x", FILE), ("d/x", WHITEOUT)])) == {"d/x"}
    assert paths(made([("d/x", FILE), ("d/e/f", FILE)], [("d", WHITEOUT)])) == set()


def test_opaque_directories_wherever_they_stand_in_the_archive() -> None:
    lower: Layer = [("d/x", FILE), ("d/e/f", FILE), ("o", FILE)]
    assert paths(made(lower, [("d/new", FILE), ("d", OPAQUE)])) == {"d/new", "o"}
    assert paths(made(lower, [("d", OPAQUE), ("d/new", FILE)])) == {"d/new", "o"}
    assert paths(made(lower, [("", OPAQUE), ("n", FILE)])) == {"n"}


def test_a_file_replaces_a_directory_and_the_other_way_round() -> None:
    assert paths(made([("d/x", FILE), ("d/y/z", FILE)], [("d", FILE)])) == {"d"}
    assert paths(made([("d", FILE)], [("d/x", FILE)])) == {"d/x"}
    assert paths(made([("d", symlink("e")), ("e/x", FILE)], [("d", DIRECTORY), ("d/y", FILE)])) == {"d/y", "e/x"}


def test_parents_that_are_links_are_followed() -> None:
    files = made([("usr/bin", DIRECTORY), ("bin", symlink("usr/bin"))], [("bin/app", FILE)])
    assert files.find("/usr/bin/app").layer == 1
    assert files.find("/bin/app").path == "usr/bin/app"
    gone = made([("usr/bin/app", FILE), ("bin", symlink("/usr/bin"))], [("bin/app", WHITEOUT)])
    assert gone.find("/usr/bin/app").node is None


def test_hard_links_are_the_file_that_they_name() -> None:
    files = made([("a", FILE), ("b", hard_link("a"))], [("c", hard_link("/b"))])
    assert files.get("c") == FILE
    broken = made([("b", hard_link("nothing"))])
    assert broken.broken_links == ["b"]


def test_links_never_leave_the_root() -> None:
    files = made([("etc/passwd", FILE), ("a/b", symlink("../../../../etc/passwd")), ("c", symlink("/../etc"))])
    assert files.find("/a/b").path == "etc/passwd"
    assert files.find("/c/passwd").path == "etc/passwd"
    assert files.find("../../etc/passwd", "/a").path == "etc/passwd"


@pytest.mark.parametrize(
    ("path", "folder", "reason"),
    [
        ("/none", "", "/none does not exist"),
        ("/f/x", "", "/f is no directory"),
        ("/loop", "", "more than 40 links"),
        ("/dangling", "", "/gone does not exist"),
        ("none", "/d", "/d/none does not exist"),
    ],
)
def test_what_cannot_be_found(path: str, folder: str, reason: str) -> None:
    files = made([("f", FILE), ("d/x", FILE), ("loop", symlink("loop")), ("dangling", symlink("/gone"))])
    found = files.find(path, folder)
    assert found.node is None
    assert reason in found.reason


def test_paths_from_a_folder_that_is_a_link() -> None:
    files = made([("real/app", FILE), ("srv", symlink("/real"))])
    assert files.find("app", "/srv").path == "real/app"
    assert files.find("./app", "/srv/").path == "real/app"
    assert files.find("/").node is not None


def test_a_partial_map_says_when_lower_layers_decide() -> None:
    upper: Layer = [("app", FILE), ("d", OPAQUE), ("d/x", FILE), ("gone", WHITEOUT), ("h", hard_link("low"))]
    files = made(upper, partial=True)
    assert files.find("/app").node == FILE
    assert files.find("/d/none").node is None, "an opaque directory has nothing below"
    assert files.find("/gone").node is None
    for path in ("/bin/sh", "/h"):
        with pytest.raises(LowerLayerNeededError):
            files.find(path)


NAME = st.sampled_from(["a", "b", "c"])
PATH = st.lists(NAME, min_size=1, max_size=3).map("/".join)
TARGET = st.one_of(PATH, PATH.map(lambda path: f"/{path}"), PATH.map(lambda path: f"../{path}"))
NODE = st.one_of(
    st.integers(1, 9).map(lambda size: Node(NodeKind.FILE, 0o644, size)),
    st.just(DIRECTORY),
    st.just(WHITEOUT),
    st.just(OPAQUE),
)
ENTRIES = st.lists(st.tuples(PATH, NODE), max_size=6, unique_by=lambda pair: (pair[0], pair[1].kind))
LAYERS = st.lists(ENTRIES, max_size=4)
WILD = st.lists(st.tuples(PATH, st.one_of(NODE, TARGET.map(symlink), TARGET.map(hard_link))), max_size=8)


def conflicts(layer: Layer) -> bool:
    """Whether a layer has something below what it says is no directory, or two things at one place."""
    kinds: dict[str, NodeKind] = {}
    for path, node in layer:
        if node.kind is NodeKind.OPAQUE:
            continue
        if kinds.get(path, node.kind) is not node.kind:
            return True
        kinds[path] = node.kind
    return any(
        path.startswith(f"{other}/") and kind is not NodeKind.DIRECTORY
        for path in [path for path, _ in layer]
        for other, kind in kinds.items()
    )


def on_disk(root: Path, layers: list[Layer]) -> dict[str, int]:
    """The same layers put into a real directory, the plain way: what is hidden goes first."""
    for layer in layers:
        for path, node in layer:
            if node.kind is NodeKind.WHITEOUT:
                _remove(root / path)
            elif node.kind is NodeKind.OPAQUE and (root / path).is_dir():
                for below in list((root / path).iterdir()):
                    _remove(below)
        for path, node in sorted(layer, key=lambda pair: pair[0]):
            if node.kind in (NodeKind.FILE, NodeKind.DIRECTORY):
                _put(root, root / path, node)
    return {str(path.relative_to(root)): path.stat().st_size for path in root.rglob("*") if path.is_file()}


def _put(root: Path, place: Path, node: Node) -> None:
    _clear_parents(root, place)
    if node.kind is NodeKind.FILE:
        _remove(place)
        place.write_bytes(bytes(node.size))
    elif not place.is_dir():
        _remove(place)
        place.mkdir()


def _clear_parents(root: Path, place: Path) -> None:
    for above in reversed(place.relative_to(root).parents):
        if (root / above).exists() and not (root / above).is_dir():
            (root / above).unlink()
        (root / above).mkdir(exist_ok=True)


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    elif place.parent.is_dir():
        place.unlink(missing_ok=True)


@settings(max_examples=300, deadline=None)
@given(LAYERS)
def test_the_map_is_what_a_directory_becomes(tmp_path_factory: pytest.TempPathFactory, layers: list[Layer]) -> None:
    layers = [layer for layer in layers if not conflicts(layer)]
    expected = on_disk(tmp_path_factory.mktemp("root"), layers)
    files = made(*layers)
    assert {path: node.size for path, _, node in files.items() if node.kind is NodeKind.FILE} == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(WILD, max_size=3), PATH, PATH)
def test_any_layers_give_an_answer_inside_the_root(layers: list[Layer], path: str, folder: str) -> None:
    for partial in (False, True):
        files = made(*layers, partial=partial)
        try:
            found = files.find(path, folder)
        except LowerLayerNeededError:
            assert partial
            continue
        assert ".." not in found.path.split("/")
        assert (found.node is None) == bool(found.reason)
        for known in files.paths():
            above = known.rpartition("/")[0]
            assert not above or files.get(above) is not None


@settings(max_examples=200, deadline=None)
@given(LAYERS, PATH)
def test_a_partial_map_never_contradicts_the_whole(layers: list[Layer], path: str) -> None:
    layers = [layer for layer in layers if not conflicts(layer)]
    whole = made(*layers).find(path)
    for start in range(len(layers)):
        try:
            part = made(*layers[start:], partial=start > 0).find(path)
        except LowerLayerNeededError:
            continue
        if part.node != DIRECTORY:
            assert part.node == whole.node
