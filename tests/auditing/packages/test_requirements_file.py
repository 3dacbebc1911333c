"""Requirements files as pip reads them."""

from __future__ import annotations

import pytest

from orchestrator.auditing.packages.requirements_file import Requirements, options_in, read_requirements
from orchestrator.core.packages import Pin, Place

SUM = "a" * 64


def read(text: str, **others: str) -> Requirements:
    files = {"app/requirements.txt": text, **{f"app/{name}": content for name, content in others.items()}}
    return read_requirements("app/requirements.txt", files.get)


def test_pins_with_their_places() -> None:
    found = read(
        "# tools\n\n  Py_YAML [x] == 6.0.2  # why\nnumpy==2.3.2 ; python_version >= '3.9'\nrich>=13,<15\n"
    ).requirements
    assert [one.name for one in found] == ["py-yaml", "numpy", "rich"]
    assert [one.pin for one in found] == [Pin("py-yaml", "6.0.2"), Pin("numpy", "2.3.2"), None]
    assert found[0].place == Place("app/requirements.txt", 3, 3, 3, 23)
    assert found[0].extras == ("x",)
    assert found[1].marker == 'python_version >= "3.9"'
    assert found[1].version_place == Place("app/requirements.txt", 4, 8, 4, 13)


def test_hashes_on_continued_lines() -> None:
    found = read(f"tool==1.0 \\\n    --hash=sha256:{SUM} \\\n    --hash=md5:0\n    # via x\nmore==2\n").requirements
    assert [(one.name, one.hashes) for one in found] == [("tool", frozenset({SUM})), ("more", frozenset())]
    assert found[0].version_place.line == 0, "a version with hashes cannot be changed alone"


def test_options() -> None:
    found = read(
        "-i https://main.example/simple\n--extra-index-url=https://a.example\n--find-links https://l.example\n"
        "--only-binary=:all:\n--no-binary tool\n--pre\n"
    )
    assert found.options.index == "https://main.example/simple"
    assert found.options.extra == ("https://a.example",)
    assert found.options.links == ("https://l.example",)
    assert (found.only_binary, found.no_binary) == ((":all:",), ("tool",))


def test_included_files_and_constraints() -> None:
    found = read(
        "-r more.txt\n-c limits.txt\ntool\n", **{"more.txt": "more==1\n", "limits.txt": "tool==3.1\nunused==9\n"}
    )
    assert [(one.name, one.specifier) for one in found.limited] == [("more", "==1"), ("tool", "==3.1")]
    assert found.limited[0].place.path == "app/more.txt"


def test_missing_files_are_told_and_circles_end() -> None:
    assert read("-r nothing.txt\n").missing == ("app/nothing.txt",)
    assert read("-r requirements.txt\ntool==1\n").requirements


@pytest.mark.parametrize(
    "line", ["./local", "../x[y]", "git+https://x.example/y.git", "file.whl", "-e .", "===", "\x00"]
)
def test_what_names_no_release(line: str) -> None:
    assert not read(f"{line}\n").requirements


def test_wheels_by_path_and_address() -> None:
    wheel = "tool-1.0+cpu-cp312-cp312-manylinux2014_x86_64.whl"
    address = "https://x.example/" + wheel.replace("+", "%2B") + "#sha256=0"
    for text in (f"./wheels/{wheel}", address, f"tool @ {address}"):
        found = read(f"{text}\n").requirements[0]
        assert ([one.name for one in found.files], found.pin) == ([wheel], Pin("tool", "1.0+cpu"))


def test_direct_references() -> None:
    found = read("tool @ https://x.example/tool-1.0.tar.gz\n").requirements[0]
    assert (found.name, found.address) == ("tool", "https://x.example/tool-1.0.tar.gz")


def test_a_byte_order_mark_and_windows_line_ends() -> None:
    assert [one.name for one in read("\ufefftool==1\r\nmore==2\r\n").requirements] == ["tool", "more"]


def test_forms_of_options() -> None:
    words = ["-rfile", "-r", "file", "--requirement=file", "--requirement", "file", "--no-index"]
    assert list(options_in(words)) == [("requirement", "file")] * 4 + [("no-index", "")]
