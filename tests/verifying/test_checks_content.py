"""The checks that look inside, each on healthy images and on faulty ones."""

from __future__ import annotations

import gzip
import tarfile

import pytest

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.core.verification import Verdict
from tests.verifying.binaries import LOADERS, MUSL, Elf, library, program
from tests.verifying.images import (
    AMD64,
    ARM64,
    GZIP_LAYER,
    PLAIN_LAYER,
    ZSTD_LAYER,
    Layer,
    Member,
    Shelf,
    archive,
    directory,
    file,
    hard_link,
    image,
    index,
    layer,
    link,
    packed,
)
from tests.verifying.roots import bad, glibc, healthy, look, musl, of, program_layer, single

DEEP = [Level.ENTRYPOINT, Level.FULL]


@pytest.mark.parametrize("level", DEEP)
def test_a_healthy_image_passes(level: Level) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64), healthy(shelf, ARM64))
    result = look(shelf, level, AMD64, ARM64)
    assert result.findings == ()
    assert result.verdict is Verdict.PASS
    assert "linux/arm64 executes /usr/bin/app and the library that it loads, all for arm64" in result.proved


def test_each_distinct_layer_is_read_once() -> None:
    shelf = Shelf()
    shared = layer(file("etc/motd", b"hello"))
    index(shelf, healthy(shelf, AMD64, shared), healthy(shelf, ARM64, shared))
    look(shelf)
    layers = [request for request in shelf.requests if request.startswith("GET blob")]
    assert len(layers) == len(set(layers)) == 2 + 5
    assert not [request for request in shelf.requests if request.startswith("HEAD blob")]


def test_level_entrypoint_reads_no_more_layers_than_it_needs() -> None:
    shelf = Shelf()
    static = layer(file("app", program("amd64")))
    base = layer(*glibc("amd64"))
    index(shelf, image(shelf, AMD64, [base, static], runtime={"Entrypoint": ["/app"]}))
    assert look(shelf, Level.ENTRYPOINT).verdict is Verdict.PASS
    base_digest = shelf.add(base.content)["digest"]
    assert f"GET blob {base_digest}" not in shelf.requests
    assert f"HEAD blob {base_digest}" in shelf.requests, "but it asks whether the others are there"


def test_only_the_platforms_that_were_asked_for_are_looked_into() -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64), image(shelf, ARM64, [layer(file("bin/app", program("amd64")))]))
    result = look(shelf, Level.FULL, AMD64)
    assert bad(result) == ["MV102", "MV601"]
    assert result.verdict is Verdict.PASS
    assert result.not_checked == ("the inside of linux/arm64, which was not asked for",)
    assert sum(request.startswith("GET blob") for request in shelf.requests) == 2 + 2


# MV206, MV207


@pytest.mark.parametrize("level", DEEP)
def test_layer_with_other_bytes(level: Level) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64))
    digest = shelf.add(program_layer("amd64").content)["digest"]
    shelf.content[digest] = gzip.compress(archive([file("usr/bin/app", program("amd64"))]), mtime=1)
    (finding,) = of(look(shelf, level), "MV206")
    assert "other bytes" in finding.message
    assert finding.platform == AMD64


def test_layer_cut_off_and_layer_too_long() -> None:
    for start, end, more in ((0, 200, b""), (0, None, b"more")):
        shelf = Shelf()
        index(shelf, healthy(shelf, AMD64))
        digest = shelf.add(program_layer("amd64").content)["digest"]
        shelf.content[digest] = shelf.content[digest][start:end] + more
        result = look(shelf)
        assert "MV206" in bad(result)
        assert result.verdict is Verdict.FAIL


def test_what_is_behind_a_layer_that_cannot_be_read_is_not_said_to_be_checked() -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64), healthy(shelf, ARM64))
    digest = shelf.add(program_layer("amd64").content)["digest"]
    shelf.content[digest] = shelf.content[digest][:200]
    result = look(shelf)
    assert result.not_checked == (f"1 of the layers of linux/amd64 ({digest[:19]})",)
    assert not any("binaries of linux/amd64" in sentence for sentence in result.proved)
    assert of(result, "MV602") == []


def test_layer_that_does_not_unpack_although_its_digest_is_right() -> None:
    shelf = Shelf()
    broken = Layer(b"\x1f\x8b" + b"nonsense" * 40, GZIP_LAYER, "sha256:" + "0" * 64)
    result = single(shelf, broken, Entrypoint=["/app"])
    assert "does not unpack" in of(result, "MV206")[0].message


def test_diff_id_and_count() -> None:
    shelf = Shelf()
    one = layer(file("bin/app", program("amd64")))
    wrong = Layer(one.content, one.media_type, "sha256:" + "0" * 64)
    (finding,) = of(single(shelf, wrong), "MV207")
    assert finding.message.startswith("layer 1 unpacks to")
    index(shelf, image(shelf, AMD64, [one], config={"rootfs": {"type": "layers", "diff_ids": []}}))
    assert of(look(shelf, Level.META), "MV207")[0].message == "the manifest has 1 layers, the configuration 0"
    index(shelf, image(shelf, AMD64, [one], config={"rootfs": {"type": "other", "diff_ids": [one.diff_id]}}))
    assert "'other'" in of(look(shelf, Level.META), "MV207")[0].message


def test_hard_links_to_nothing_and_files_twice() -> None:
    shelf = Shelf()
    app = file("bin/app", program("amd64"))
    result = single(shelf, layer(app, hard_link("bin/other", "bin/gone")))
    assert of(result, "MV207")[0].file == "/bin/other"
    result = single(shelf, layer(app, app))
    assert [finding.severity for finding in of(result, "MV207")] == [Severity.WARNING]
    result = single(shelf, layer(directory("bin"), directory("bin"), app))
    assert of(result, "MV207") == []


@pytest.mark.parametrize("media_type", [GZIP_LAYER, ZSTD_LAYER, PLAIN_LAYER])
@pytest.mark.parametrize("kind", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_every_packing_and_every_format_of_archives(media_type: str, kind: int) -> None:
    shelf = Shelf()
    name = "usr/" + "n" * 60 + "/" + "m" * 60
    tar = archive([file(name, program("amd64")), file("bin/app", program("amd64"))], kind)
    result = single(shelf, packed(tar, media_type))
    assert bad(result) == []
    assert result.verdict is Verdict.PASS


# MV302


def test_same_content_on_two_platforms() -> None:
    shelf = Shelf()
    layers = [layer(*glibc("amd64")), program_layer("amd64")]
    entries = [image(shelf, platform, layers, runtime={"Entrypoint": ["/usr/bin/app"]}) for platform in (AMD64, ARM64)]
    index(shelf, *entries)
    for level in Level:
        assert of(look(shelf, level), "MV302")[0].platform == ARM64
    result = look(shelf)
    assert {"MV302", "MV401", "MV402"} <= set(bad(result))
    assert all(finding.platform == ARM64 for finding in result.findings)


def test_images_without_binaries_may_be_the_same() -> None:
    shelf = Shelf()
    data = layer(file("data/model.json", b"{}", 0o644))
    index(shelf, *(image(shelf, platform, [data], runtime={"Entrypoint": None}) for platform in (AMD64, ARM64)))
    assert of(look(shelf, Level.META), "MV302")
    assert of(look(shelf), "MV302") == []


def test_one_image_under_two_platforms() -> None:
    shelf = Shelf()
    one = healthy(shelf, AMD64)
    index(shelf, one, {**one, "platform": {"os": "linux", "architecture": "arm64"}})
    assert of(look(shelf, Level.META), "MV302")[0].severity is Severity.ERROR


# MV401


@pytest.mark.parametrize("level", DEEP)
def test_entrypoint_of_the_other_architecture(level: Level) -> None:
    shelf = Shelf()
    wrong = image(
        shelf, ARM64, [layer(*glibc("arm64")), layer(file("app", program("amd64")))], runtime={"Entrypoint": ["/app"]}
    )
    index(shelf, healthy(shelf, AMD64), wrong)
    result = look(shelf, level)
    assert bad(result)[0] == "MV401"
    (finding,) = of(result, "MV401")
    assert (finding.platform, finding.file) == (ARM64, "/app")
    assert finding.message == "/app is a program for amd64, not for arm64 (the entry point)"
    assert of(result, "MV402") == [], "one wrong file is one finding"


def test_the_cause_names_layer_instruction_and_who_shares_it() -> None:
    shelf = Shelf()
    tool = layer(file("usr/bin/tool", program("amd64")))
    history = [{"created_by": "ADD rootfs.tar / # buildkit"}, {"created_by": "CMD [x]", "empty_layer": True}]
    steps = [
        *history,
        {"created_by": "COPY /out/app /usr/bin/app # buildkit"},
        {"created_by": "RUN /bin/sh -c curl -L https://x/tool-linux-amd64 # buildkit"},
    ]
    entries = [healthy(shelf, platform, tool, config={"history": steps}) for platform in (AMD64, ARM64)]
    index(shelf, *entries)
    (finding,) = of(look(shelf), "MV402")
    assert finding.cause == ("layer 3 of 3 (RUN curl -L https://x/tool-linux-amd64); linux/amd64 has the same")


def test_what_is_no_program_at_all() -> None:
    shelf = Shelf()
    assert "neither an ELF" in of(single(shelf, layer(file("bin/app", b"echo hello\n"))), "MV401")[0].message
    assert "is empty" in of(single(shelf, layer(file("bin/app", b""))), "MV401")[0].message


def test_script_with_an_interpreter_of_the_other_architecture() -> None:
    shelf = Shelf()
    script = layer(file("bin/app", b"#!/bin/sh\nexec sleep 1\n"), file("bin/sh", program("arm64")))
    (finding,) = of(single(shelf, script), "MV401")
    assert finding.file == "/bin/sh"
    assert "the interpreter of /bin/app" in finding.message


# MV402


def test_a_shared_object_of_the_other_architecture_is_an_error() -> None:
    shelf = Shelf()
    wheel = "usr/lib/python3/site-packages/numpy/core.cpython-311-x86_64-linux-gnu.so"
    index(shelf, healthy(shelf, ARM64, layer(file(wheel, library("amd64"), 0o644))))
    (finding,) = of(look(shelf), "MV402")
    assert finding.severity is Severity.ERROR
    assert finding.file == f"/{wheel}"
    assert bad(look(shelf, Level.ENTRYPOINT)) == []


def test_wheels_for_another_platform_are_named() -> None:
    shelf = Shelf()
    site = "usr/lib/python3.11/site-packages"
    tag = b"Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_17_x86_64\nTag: cp311-cp311-manylinux2014_x86_64\n"
    pure = b"Wheel-Version: 1.0\nTag: py3-none-any\n"
    members = (
        file(f"{site}/numpy/core.so", library("amd64")),
        file(f"{site}/numpy-1.26.0.dist-info/WHEEL", tag, 0o644),
        file(f"{site}/six-1.0.dist-info/WHEEL", pure, 0o644),
    )
    index(shelf, healthy(shelf, ARM64, layer(*members)))
    (finding,) = of(look(shelf), "MV402")
    assert finding.cause.endswith(
        "Python wheels for another platform: numpy 1.26.0 (cp311-cp311-manylinux_2_17_x86_64)"
    )


@pytest.mark.parametrize("path", ["opt/android-sdk/tool", "home/freebsd/bin/x", "usr/bin/qemu-system-x86_64"])
def test_look_alikes_of_exemptions_are_not_exempt(path: str) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, ARM64, layer(file(path, program("amd64")))))
    assert bad(look(shelf)) == ["MV402"]


def test_a_thousand_wrong_files_of_one_cause_are_one_finding() -> None:
    shelf = Shelf()
    userland = [file(f"usr/bin/tool{number}", program("amd64")) for number in range(1000)]
    base = [layer(*glibc("amd64")), layer(*userland)]
    entries = [
        image(shelf, platform, [*base, program_layer(platform[6:])], runtime={"Entrypoint": ["/usr/bin/app"]})
        for platform in (AMD64, ARM64)
    ]
    index(shelf, *entries)
    (finding,) = of(look(shelf), "MV402")
    assert finding.message.startswith("1003 files are for amd64, not for arm64 (of 1003 binaries there)")
    assert finding.cause == "the base: layers 1 to 2 of 3; linux/amd64 has the same"


def test_two_causes_are_two_findings() -> None:
    shelf = Shelf()
    first, second = layer(file("opt/a", program("amd64"))), layer(file("opt/b", program("386")))
    index(shelf, healthy(shelf, ARM64, first, second))
    assert [finding.file for finding in of(look(shelf), "MV402")] == ["/opt/b", "/opt/a"]


@pytest.mark.parametrize(
    "path",
    [
        "usr/bin/qemu-x86_64-static",
        "lib/firmware/x.fw",
        "usr/lib/firmware/a/b",
        "usr/lib/debug/.build-id/aa/bb.debug",
        "go/src/debug/elf/testdata/gcc-amd64-linux-exec",
        "app/site-packages/pkg/tests/data.so",
        "usr/x86_64-linux-gnu/lib/libc.so.6",
        "app/node_modules/@esbuild/freebsd-x64/bin/esbuild",
    ],
)
def test_files_that_are_meant_to_be_there(path: str) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, ARM64, layer(file(path, program("amd64")))))
    result = look(shelf)
    assert bad(result) == []
    assert any("exempt" in sentence and path in sentence for sentence in result.proved)


@pytest.mark.parametrize("architecture", ["bpf", "amdgpu", "sparc"])
def test_code_for_other_processors_is_exempt(architecture: str) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, ARM64, layer(file("opt/code.o", program(architecture)))))
    assert bad(look(shelf)) == []


def test_object_files_and_386_on_amd64_are_exempt() -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, ARM64, layer(file("opt/x.o", program("amd64", type=1)))))
    assert bad(look(shelf)) == []
    index(shelf, healthy(shelf, AMD64, layer(file("opt/steam", program("386")))))
    assert bad(look(shelf)) == []


@pytest.mark.parametrize(
    ("other", "own"),
    [
        ("app/node_modules/@esbuild/linux-x64/bin/esbuild", "app/node_modules/@esbuild/linux-arm64/bin/esbuild"),
        ("app/prebuilds/linux-x64/node.node", "app/prebuilds/linux-arm64/node.napi.armv8.node"),
        ("opt/tool-amd64", "opt/tool-arm64"),
        ("opt/tool_x86_64", "opt/tool_aarch64"),
    ],
)
def test_a_file_for_another_platform_needs_the_right_one_beside_it(other: str, own: str) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, ARM64, layer(file(other, program("amd64")), file(own, program("arm64")))))
    assert bad(look(shelf)) == []
    index(shelf, healthy(shelf, ARM64, layer(file(other, program("amd64")))))
    expected = Severity.WARNING if "prebuilds" in other else Severity.ERROR
    assert [finding.severity for finding in of(look(shelf), "MV402")] == [expected]


def test_a_wrong_file_under_its_right_name_is_not_exempt() -> None:
    shelf = Shelf()
    both = layer(file("opt/linux-x64/a", program("amd64")), file("opt/linux-arm64/a", program("amd64")))
    index(shelf, healthy(shelf, ARM64, both))
    assert [finding.file for finding in of(look(shelf), "MV402")] == ["/opt/linux-arm64/a"]


def test_the_manifest_adds_exemptions() -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, ARM64, layer(file("opt/dsp/blob.elf", program("amd64")))))
    assert bad(look(shelf)) == ["MV402"]
    assert bad(look(shelf, ignore=("opt/dsp/**",))) == []
    assert bad(look(shelf, ignore=("/opt/**/*.elf",))) == []


def test_files_that_an_upper_layer_hides_do_not_count() -> None:
    shelf = Shelf()
    wrong = layer(file("opt/tool", program("amd64")))
    index(shelf, healthy(shelf, ARM64, wrong, layer(file("opt/.wh.tool"))))
    assert bad(look(shelf)) == []
    index(shelf, healthy(shelf, ARM64, wrong, layer(file("opt/.wh..wh..opq"))))
    assert bad(look(shelf)) == []
    index(shelf, healthy(shelf, ARM64, wrong, layer(file("opt/tool", program("arm64")))))
    assert bad(look(shelf)) == []


# MV403


@pytest.mark.parametrize("level", DEEP)
def test_loader_of_another_c_library(level: Level) -> None:
    shelf = Shelf()
    app = Elf("arm64", interpreter=MUSL["arm64"], needed=("libc.musl-aarch64.so.1",)).build()
    wrong = image(shelf, ARM64, [layer(*glibc("arm64")), layer(file("app", app))], runtime={"Entrypoint": ["/app"]})
    index(shelf, healthy(shelf, AMD64), wrong)
    (finding,) = of(look(shelf, level), "MV403")
    assert finding.severity is Severity.ERROR
    assert finding.cause == "it was built for musl, and the image has glibc"


def test_glibc_program_on_alpine() -> None:
    shelf = Shelf()
    app = Elf("amd64", interpreter=LOADERS["amd64"], needed=("libc.so.6",)).build()
    result = single(shelf, layer(*musl("amd64")), layer(file("bin/app", app)))
    assert of(result, "MV403")[0].cause == "it was built for glibc, and the image has musl"
    assert bad(result) == ["MV403"]


def test_musl_program_on_alpine_is_fine() -> None:
    shelf = Shelf()
    app = Elf("amd64", interpreter=MUSL["amd64"], needed=("libc.musl-x86_64.so.1",)).build()
    assert bad(single(shelf, layer(*musl("amd64")), layer(file("bin/app", app)))) == []


def test_interpreter_of_a_script_missing() -> None:
    shelf = Shelf()
    result = single(shelf, layer(file("bin/app", b"#!/usr/bin/python3\nprint()\n")))
    (finding,) = of(result, "MV403")
    assert finding.message == "the interpreter of /bin/app cannot be executed: /usr does not exist"
    members = (file("app", b"#!/usr/bin/env node\n"), file("usr/bin/env", program("amd64")))
    result = single(shelf, layer(*glibc("amd64")), layer(*members), Entrypoint=["/app"])
    assert "node is not in PATH" in of(result, "MV403")[0].message


def test_other_programs_without_loader_are_a_warning() -> None:
    shelf = Shelf()
    stray = Elf("amd64", interpreter="/lib/ld-musl-x86_64.so.1").build()
    strays = [file(f"opt/s{number}", stray) for number in range(9)]
    index(shelf, healthy(shelf, AMD64, layer(*strays)))
    (finding,) = of(look(shelf), "MV403")
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("9 programs, such as /opt/s0, need the loader")


# MV404


@pytest.mark.parametrize(
    ("members", "entrypoint", "words"),
    [
        ((), ["/bin/app"], "/bin does not exist"),
        ((file("bin/app", program("amd64"), 0o644),), ["/bin/app"], "may not be executed (mode 644)"),
        ((directory("bin/app"),), ["/bin/app"], "is no file"),
        ((link("bin/app", "/opt/app"),), ["/bin/app"], "/opt does not exist"),
        ((link("bin/app", "app"),), ["/bin/app"], "more than 40 links"),
        ((link("bin/a", "b"), link("bin/b", "a")), ["/bin/a"], "more than 40 links"),
        ((file("bin/other", program("amd64")),), ["app"], "app is not in PATH (/usr/local/bin:/usr/bin:/bin)"),
        ((file("bin/app", program("amd64")),), ["bin/app/x"], "/bin/app is no directory"),
    ],
)
def test_entrypoint_missing(members: tuple[Member, ...], entrypoint: list[str], words: str) -> None:
    shelf = Shelf()
    result = single(shelf, layer(file("etc/x", b"x", 0o644), *members), Entrypoint=entrypoint)
    (finding,) = of(result, "MV404")
    assert words in finding.message
    assert finding.severity is Severity.ERROR


def test_an_image_that_names_nothing_to_execute_is_a_note() -> None:
    shelf = Shelf()
    result = single(shelf, layer(file("etc/x", b"data", 0o644)), Entrypoint=None)
    assert [(finding.rule, finding.severity) for finding in result.findings] == [("MV404", Severity.NOTE)]
    assert result.verdict is Verdict.PASS


def test_health_check_that_cannot_run_is_a_warning() -> None:
    shelf = Shelf()
    health = {"Healthcheck": {"Test": ["CMD", "curl", "-f", "http://localhost"]}}
    index(shelf, healthy(shelf, AMD64, runtime=health))
    (finding,) = of(look(shelf), "MV404")
    assert finding.severity is Severity.WARNING
    shell = {"Healthcheck": {"Test": ["CMD-SHELL", "curl -f http://localhost || exit 1"]}}
    index(shelf, healthy(shelf, AMD64, runtime=shell))
    assert [one.severity for one in of(look(shelf), "MV404")] == [Severity.WARNING]


# MV405


@pytest.mark.parametrize(
    ("platform", "content", "words"),
    [
        (AMD64, Elf("amd64", go=(("GOAMD64", "v3"),)), "x86-64-v3"),
        (AMD64, Elf("amd64", level=2), "x86-64-v2"),
        ("linux/amd64/v2", Elf("amd64", level=3), "x86-64-v3"),
        ("linux/arm/v6", Elf("arm", go=(("GOARM", "7"),)), "ARMv7"),
        ("linux/arm/v6", Elf("arm", arm=7), "ARMv7"),
        (ARM64, Elf("arm64", go=(("GOARM64", "v9.0"),)), "ARMv9"),
    ],
)
def test_program_for_a_newer_cpu(platform: str, content: Elf, words: str) -> None:
    shelf = Shelf()
    result = single(shelf, layer(file("bin/app", content.build())), platform=platform)
    (finding,) = of(result, "MV405")
    assert finding.severity is Severity.ERROR
    assert words in finding.message


@pytest.mark.parametrize(
    ("platform", "content"),
    [
        (AMD64, Elf("amd64", go=(("GOAMD64", "v1"),), level=1)),
        ("linux/amd64/v3", Elf("amd64", go=(("GOAMD64", "v3"),), level=3)),
        ("linux/arm/v7", Elf("arm", go=(("GOARM", "7"),), arm=7)),
        ("linux/arm/v6", Elf("arm", go=(("GOARM", "6"),), arm=6)),
        (ARM64, Elf("arm64", go=(("GOARM64", "v8.0"),))),
    ],
)
def test_program_for_the_cpu_that_is_promised(platform: str, content: Elf) -> None:
    assert bad(single(Shelf(), layer(file("bin/app", content.build())), platform=platform)) == []


def test_libraries_of_a_newer_base_are_a_warning() -> None:
    shelf = Shelf()
    libc = layer(file("usr/lib/x86_64-linux-gnu/libc.so.6", library("amd64", "libc.so.6", level=3), 0o644))
    index(shelf, healthy(shelf, AMD64, libc))
    assert [(one.rule, one.severity) for one in look(shelf).findings] == [("MV405", Severity.WARNING)]
    hwcaps = layer(file("usr/lib/glibc-hwcaps/x86-64-v3/libc.so.6", library("amd64", "libc.so.6", level=3), 0o644))
    index(shelf, healthy(shelf, AMD64, hwcaps))
    assert bad(look(shelf)) == []


# MV406


def dpkg(*architectures: str) -> bytes:
    return b"".join(f"Package: p{n}\nArchitecture: {a}\nVersion: 1\n\n".encode() for n, a in enumerate(architectures))


def apk(*architectures: str) -> bytes:
    return b"".join(f"C:Q1x\nP:p{n}\nV:1\nA:{a}\nS:1\n\n".encode() for n, a in enumerate(architectures))


def rpm(*architectures: str) -> bytes:
    return b"".join(b"\x8e\xad\xe8name\x001.0\0linux\0" + a.encode() + b"\0more" + bytes(90) for a in architectures)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("var/lib/dpkg/status", dpkg("amd64", "all", "amd64")),
        ("var/lib/dpkg/status.d/libc6", dpkg("amd64")),
        ("lib/apk/db/installed", apk("x86_64", "noarch")),
        ("usr/lib/apk/db/installed", apk("x86_64")),
        ("var/lib/rpm/rpmdb.sqlite", rpm("x86_64", "noarch", "x86_64")),
        ("usr/lib/sysimage/rpm/Packages.db", rpm("x86_64")),
    ],
)
def test_package_database_of_the_other_architecture(path: str, content: bytes) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, ARM64, layer(file(path, content, 0o644))))
    (finding,) = of(look(shelf), "MV406")
    assert finding.file.endswith(path)
    assert finding.severity is Severity.ERROR
    index(shelf, healthy(shelf, AMD64, layer(file(path, content, 0o644))))
    assert of(look(shelf), "MV406") == []


def test_a_few_packages_of_another_architecture_are_a_note() -> None:
    shelf = Shelf()
    status = layer(file("var/lib/dpkg/status", dpkg("amd64", "amd64", "i386"), 0o644))
    index(shelf, healthy(shelf, AMD64, status))
    assert [finding.severity for finding in of(look(shelf), "MV406")] == [Severity.NOTE]


# MV407


@pytest.mark.parametrize("level", DEEP)
def test_library_missing(level: Level) -> None:
    shelf = Shelf()
    app = Elf("amd64", interpreter=LOADERS["amd64"], needed=("libc.so.6", "libssl.so.3")).build()
    layers = [layer(*glibc("amd64")), layer(file("app", app))]
    (finding,) = of(single(shelf, *layers, level=level, Entrypoint=["/app"]), "MV407")
    assert finding.message == "/app needs libssl.so.3, which its loader does not find (the entry point)"


def test_library_of_the_other_architecture_only() -> None:
    shelf = Shelf()
    app = Elf("amd64", interpreter=LOADERS["amd64"], needed=("libx.so.1",)).build()
    layers = [layer(*glibc("amd64")), layer(file("app", app), file("usr/lib/libx.so.1", library("arm64")))]
    result = single(shelf, *layers, Entrypoint=["/app"])
    assert of(result, "MV407")[0].cause == "/usr/lib/libx.so.1 is for arm64"
    assert of(result, "MV402")


def test_libraries_that_only_libraries_need() -> None:
    shelf = Shelf()
    app = Elf("amd64", interpreter=LOADERS["amd64"], needed=("liba.so",)).build()
    first = file("usr/lib/liba.so", library("amd64", "liba.so", needed=("libb.so",)))
    assert of(single(shelf, layer(*glibc("amd64")), layer(file("app", app), first), Entrypoint=["/app"]), "MV407")
    second = file("usr/lib/libb.so", library("amd64", "libb.so"))
    result = single(shelf, layer(*glibc("amd64")), layer(file("app", app), first, second), Entrypoint=["/app"])
    assert bad(result) == []


# MV602


def test_files_on_one_platform_only() -> None:
    shelf = Shelf()
    extra = layer(file("usr/local/bin/tool", program("amd64")), file("opt/notes.txt", b"text", 0o644))
    index(shelf, healthy(shelf, AMD64, extra), healthy(shelf, ARM64))
    findings = of(look(shelf), "MV602")
    assert [(one.severity, one.file, one.platform) for one in findings] == [
        (Severity.WARNING, "/usr/local/bin/tool", ARM64),
        (Severity.NOTE, "/opt/notes.txt", ARM64),
    ]


def test_paths_that_differ_by_their_architecture_only_are_the_same() -> None:
    shelf = Shelf()
    one = layer(file("opt/jvm/java-17-openjdk-amd64/bin/java", program("amd64")))
    two = layer(file("opt/jvm/java-17-openjdk-arm64/bin/java", program("arm64")))
    index(shelf, healthy(shelf, AMD64, one), healthy(shelf, ARM64, two))
    assert of(look(shelf), "MV602") == []
