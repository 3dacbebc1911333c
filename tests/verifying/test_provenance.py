"""Provenance in both versions, and the checks that need it."""

from __future__ import annotations

import json

import pytest

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.core.platform import Platform
from orchestrator.verifying.documents import ContentError
from orchestrator.verifying.evidence import Base
from orchestrator.verifying.provenance import build_mode, read_statement
from tests.verifying.images import AMD64, ARM64, SLSA02, SLSA1, Json, Shelf, attestation, file, image, index, layer
from tests.verifying.roots import bad, healthy, look, of

GO = "pkg:docker/golang@1.22?platform=linux%2Famd64"
DEBIAN = "pkg:docker/debian@bookworm?digest=sha256:1&platform=linux%2Famd64"
DEBIAN_ARM = "pkg:docker/debian@bookworm?platform=linux%2Farm64"
FRONTEND = "pkg:docker/docker/dockerfile@1?platform=linux%2Famd64"


def exec_step(architecture: str) -> Json:
    return {
        "id": "step1",
        "op": {"Op": {"exec": {"meta": {}}}, "platform": {"Architecture": architecture, "OS": "linux"}},
    }


def old(*materials: str, builder: str = AMD64, steps: list[Json] | None = None) -> Json:
    predicate: Json = {
        "invocation": {"environment": {"platform": builder}},
        "materials": [{"uri": uri, "digest": {"sha256": "0"}} for uri in materials],
    }
    return {**predicate, "buildConfig": {"llbDefinition": steps}} if steps else predicate


def new(*materials: str, builder: str = AMD64, steps: list[Json] | None = None) -> Json:
    internal: Json = {"builderPlatform": builder}
    if steps:
        internal["buildConfig"] = {"llbDefinition": steps}
    return {
        "buildDefinition": {"internalParameters": internal, "resolvedDependencies": [{"uri": uri} for uri in materials]}
    }


def statement(predicate: Json) -> bytes:
    subject = [{"name": "x", "digest": {"sha256": "1" * 64}}]
    return json.dumps({"predicateType": SLSA02, "subject": subject, "predicate": predicate}).encode()


@pytest.mark.parametrize("make", [old, new])
def test_both_versions_tell_the_same(make: object) -> None:
    read = read_statement(statement(make(DEBIAN, FRONTEND, "https://x/y.git", steps=[exec_step("amd64")])), SLSA02)  # type: ignore[operator]
    assert read.builder == AMD64
    assert read.bases == (Base("debian:bookworm", AMD64),)
    assert read.executed == {"amd64"}
    assert read.subjects == ("sha256:" + "1" * 64,)


def test_the_earlier_form_of_version_1() -> None:
    predicate = {"buildDefinition": {"internalParameters": {"environment": {"platform": ARM64}}}}
    assert read_statement(statement(predicate), SLSA1).builder == ARM64


@pytest.mark.parametrize(
    ("predicate", "target", "mode"),
    [
        (old(builder=ARM64), ARM64, "native"),
        (old(builder="linux/arm64/v8"), ARM64, "native"),
        (old(builder=ARM64), "linux/arm/v7", "compat"),
        (old(builder=AMD64), "linux/386", "compat"),
        (old(builder=AMD64), ARM64, ""),
        (old(builder=AMD64, steps=[exec_step("arm64")]), ARM64, "emulated"),
        (old(builder=AMD64, steps=[exec_step("amd64")]), ARM64, "cross"),
        (old(builder=AMD64, steps=[{"op": {"Op": {"file": {}}}}]), ARM64, "cross"),
        (old(builder="nonsense"), ARM64, ""),
        (old(builder=""), ARM64, ""),
    ],
)
def test_build_mode(predicate: Json, target: str, mode: str) -> None:
    assert build_mode(read_statement(statement(predicate), SLSA02), Platform.parse(target)) == mode


@pytest.mark.parametrize("content", [b"", b"[]", b"nonsense", b"[" * 100_000])
def test_bytes_that_are_no_statement(content: bytes) -> None:
    with pytest.raises(ContentError):
        read_statement(content, "")


@pytest.mark.parametrize(
    "predicate", [{}, {"materials": 5, "invocation": []}, {"buildConfig": {"llbDefinition": [1, {"op": 3}]}}]
)
def test_odd_predicates_say_nothing(predicate: Json) -> None:
    read = read_statement(statement(predicate), SLSA02)
    assert (read.builder, read.bases, read.executed) == ("", (), frozenset())


def attested(
    shelf: Shelf, predicates: dict[str, Json], level: Level = Level.EXIST, *, shared: bool = False
) -> list[tuple[str, Severity]]:
    entries = []
    for platform, predicate in predicates.items():
        base = layer(file("etc/base", b"one" if shared else platform.encode()))
        entry = image(shelf, platform, [base, layer(file("app", platform.encode()))])
        entries += [entry, attestation(shelf, entry, {SLSA02: predicate})]
    index(shelf, *entries)
    return [(finding.rule, finding.severity) for finding in look(shelf, level).findings]


def test_built_natively_says_nothing_and_shows_it() -> None:
    shelf = Shelf()
    assert attested(shelf, {AMD64: old(DEBIAN), ARM64: old(DEBIAN_ARM, builder=ARM64)}) == []
    assert [(row.built_on, row.mode) for row in look(shelf, Level.EXIST).platforms] == [
        (AMD64, "native"),
        (ARM64, "native"),
    ]


def test_built_under_emulation() -> None:
    assert attested(Shelf(), {ARM64: old(DEBIAN_ARM)}) == [("MV304", Severity.NOTE)]
    assert attested(Shelf(), {ARM64: old(DEBIAN_ARM, steps=[exec_step("arm64")])}) == [("MV304", Severity.NOTE)]
    assert attested(Shelf(), {ARM64: old(DEBIAN_ARM, steps=[exec_step("amd64")])}) == []


def test_base_of_another_platform() -> None:
    both = {AMD64: old(DEBIAN), ARM64: old(DEBIAN, builder=ARM64)}
    assert attested(Shelf(), both, shared=True) == [("MV303", Severity.ERROR)]
    assert attested(Shelf(), both) == [("MV303", Severity.NOTE)], "a last stage FROM scratch is fine"
    assert attested(Shelf(), both, Level.META) == [], "level meta reads no statements"


def test_a_base_of_the_right_platform_among_others() -> None:
    assert attested(Shelf(), {ARM64: old(GO, DEBIAN_ARM, builder=ARM64)}) == []
    assert attested(Shelf(), {ARM64: old(FRONTEND, builder=ARM64)}) == []


def test_large_sboms_are_asked_for_and_not_fetched() -> None:
    shelf = Shelf()
    entry = healthy(shelf, AMD64)
    large = {"packages": ["x" * 1000] * 2000}
    index(shelf, entry, attestation(shelf, entry, {"https://spdx.dev/Document": large, SLSA1: new(DEBIAN)}))
    result = look(shelf, Level.EXIST)
    assert bad(result) == []
    assert result.received_bytes < 100_000
    assert len([request for request in shelf.requests if request.startswith("HEAD blob")]) == 3


def test_a_statement_that_is_gone_or_about_another_image() -> None:
    shelf = Shelf()
    entry = healthy(shelf, AMD64)
    index(shelf, entry, attestation(shelf, entry, {SLSA02: old(DEBIAN)}, statement_subject="sha256:" + "9" * 64))
    assert [finding.rule for finding in look(shelf, Level.EXIST).findings] == ["MV502"]
    digest = next(digest for digest, content in shelf.content.items() if b"in-toto.io/Statement" in content)
    shelf.remove(digest)
    assert [finding.rule for finding in of(look(shelf, Level.EXIST), "MV205")] == ["MV205"]
