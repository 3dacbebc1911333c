"""Loader and libraries as glibc's and musl's linkers find them."""

from __future__ import annotations

import io

from orchestrator.verifying.binary import Binary
from orchestrator.verifying.expectation import Limits
from orchestrator.verifying.filesystem import FileMap
from orchestrator.verifying.libraries import Linker, Linking
from orchestrator.verifying.scan import scan_layer
from tests.verifying.binaries import LOADERS, MUSL, Elf, library
from tests.verifying.images import PLAIN_LAYER, Member, file, layer, link
from tests.verifying.roots import glibc, musl


def linked(app: Elf, *members: Member, path: str = "opt/app/bin/app", **environment: str) -> Linking:
    made = layer(*members, file(path, app.build()), media_type=PLAIN_LAYER)
    files = FileMap()
    files.put_layer(0, scan_layer(io.BytesIO(made.content).read, "sha256:x", len(made.content), Limits()).entries)
    node = files.get(path)
    assert node is not None
    assert isinstance(node.detail, Binary)
    return Linker(files, environment).link(path, node.detail)


def app(*needed: str, **fields: str) -> Elf:
    return Elf("amd64", interpreter=LOADERS["amd64"], needed=needed, **fields)  # type: ignore[arg-type]


def at(path: str, architecture: str = "amd64", *needed: str, **fields: str) -> Member:
    return file(path, library(architecture, path.rpartition("/")[2], needed=needed, **fields), 0o644)


ROOT = glibc("amd64")


def test_the_loader_has_to_be_there() -> None:
    missing = linked(app("libc.so.6"))
    assert missing.loader is not None
    assert missing.loader.node is None
    assert linked(Elf("amd64")).loader is None, "a static program has none"


def test_system_folders() -> None:
    for folder in ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "usr/lib64", "usr/lib", "lib64"):
        assert linked(app("libx.so"), *ROOT, at(f"{folder}/libx.so")).missing == ()
    assert linked(app("libx.so"), *ROOT, at("opt/lib/libx.so")).missing == ("libx.so",)


def test_runpath_and_origin() -> None:
    assert linked(app("libx.so", runpath="$ORIGIN/../lib"), *ROOT, at("opt/app/lib/libx.so")).missing == ()
    assert linked(app("libx.so", runpath="${ORIGIN}"), *ROOT, at("opt/app/bin/libx.so")).missing == ()
    assert linked(app("libx.so", rpath="/opt/x"), *ROOT, at("opt/x/libx.so")).missing == ()


def test_library_path_of_the_environment() -> None:
    assert linked(app("libx.so"), *ROOT, at("opt/x/libx.so"), LD_LIBRARY_PATH="/none:/opt/x").missing == ()


def test_configuration_of_the_linker() -> None:
    conf = file("etc/ld.so.conf.d/x.conf", b"# comment\n/opt/x\n", 0o644)
    assert linked(app("libx.so"), *ROOT, at("opt/x/libx.so"), conf).missing == ()


def test_names_with_a_slash_are_paths() -> None:
    assert linked(app("/opt/libx.so"), *ROOT, at("opt/libx.so")).missing == ()


def test_what_libraries_need_with_their_own_search_path() -> None:
    first = at("usr/lib/liba.so", "amd64", "libb.so", runpath="/opt/b")
    result = linked(app("liba.so"), *ROOT, first, at("opt/b/libb.so", "amd64", "libc.so.6"))
    assert [one.name for one in result.libraries] == ["liba.so", "libb.so", "libc.so.6"]
    assert result.missing == ()


def test_libraries_in_a_circle() -> None:
    circle = (at("usr/lib/liba.so", "amd64", "libb.so"), at("usr/lib/libb.so", "amd64", "liba.so"))
    assert len(linked(app("liba.so"), *ROOT, *circle).libraries) == 2


def test_other_architectures_are_passed_over() -> None:
    wrong = at("usr/lib/x86_64-linux-gnu/libx.so", "arm64")
    assert linked(app("libx.so"), *ROOT, wrong, at("usr/lib/libx.so")).missing == ()
    result = linked(app("libx.so"), *ROOT, wrong)
    assert result.missing == ("libx.so",)
    assert [one.binary.architecture for one in result.foreign] == ["arm64"]


def test_musl_stands_for_the_c_library() -> None:
    needed = Elf("amd64", interpreter=MUSL["amd64"], needed=("libc.musl-x86_64.so.1", "libpthread.so.0", "libz.so.1"))
    assert linked(needed, *musl("amd64")).missing == ("libz.so.1",)
    assert linked(needed, *musl("amd64"), at("usr/local/lib/libz.so.1")).missing == ()


def test_glibc_programs_on_musl_through_gcompat_and_libc6_compat() -> None:
    compat = (*musl("amd64"), link("lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"))
    assert linked(app("libc.so.6"), *compat).missing == ()
    gcompat = (*musl("amd64"), at("lib64/ld-linux-x86-64.so.2"), at("lib64/libgcompat.so.0"))
    assert linked(app("libc.so.6"), *gcompat).missing == ()
