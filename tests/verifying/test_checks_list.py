"""The checks of lists, storage, configurations and attestations, each on a healthy image and on a faulty one."""

from __future__ import annotations

from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Level
from orchestrator.core.image import DOCKER_LIST, DOCKER_MANIFEST
from orchestrator.core.platform import Platform
from orchestrator.core.verification import Verdict, Verification
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation, Limits, Means
from tests.verifying.images import (
    AMD64,
    ARM64,
    REFERENCE,
    SLSA02,
    SPDX,
    Json,
    Shelf,
    attestation,
    file,
    image,
    index,
    layer,
    tagged,
)


def look(shelf: Shelf, *platforms: str, level: Level = Level.EXIST) -> Verification:
    return verify(shelf, REFERENCE, Expectation(tuple(map(Platform.parse, platforms)), level))


def found(shelf: Shelf, *platforms: str, level: Level = Level.EXIST) -> list[Finding]:
    return list(look(shelf, *platforms, level=level).findings)


def rules(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings]


def errors(findings: list[Finding]) -> list[str]:
    return [finding.rule for finding in findings if finding.severity is Severity.ERROR]


def own(shelf: Shelf, platform: str, **changes: Json) -> Json:
    """An image whose layer belongs to its platform alone."""
    return image(shelf, platform, [layer(file("bin/app", platform.encode()))], **changes)


def entry(**changes: object) -> Json:
    return dict(changes)


def test_platform_missing_and_unexpected() -> None:
    shelf = Shelf()
    index(shelf, own(shelf, AMD64), own(shelf, "linux/s390x"))
    findings = found(shelf, AMD64, ARM64)
    assert rules(findings) == ["MV101", "MV102"]
    assert [finding.platform for finding in findings] == [ARM64, "linux/s390x"]
    assert [finding.severity for finding in findings] == [Severity.ERROR, Severity.WARNING]


def test_platforms_are_compared_in_normal_form() -> None:
    shelf = Shelf()
    index(shelf, own(shelf, "linux/amd64"), own(shelf, "linux/arm64/v8"), own(shelf, "linux/arm"))
    assert found(shelf, "linux/x86_64", "linux/arm64", "linux/arm/v7") == []


def test_a_missing_platform_names_the_nearest_one() -> None:
    shelf = Shelf()
    index(shelf, own(shelf, "linux/amd64/v3"))
    (missing,) = [finding for finding in found(shelf, AMD64) if finding.rule == "MV101"]
    assert missing.cause == "linux/amd64/v3 is there, which a linux/amd64 node does not take"


def test_platform_duplicate() -> None:
    shelf = Shelf()
    first = own(shelf, ARM64)
    second = image(shelf, "linux/arm64/v8", [layer(file("bin/app", b"other"))])
    index(shelf, first, second)
    assert errors(found(shelf)) == ["MV103"]
    index(shelf, first, first)
    assert [(one.rule, one.severity) for one in found(shelf)] == [("MV103", Severity.WARNING)]


def test_zstd_twins_and_windows_versions_are_no_duplicates() -> None:
    shelf = Shelf()
    twin = entry(annotations={"io.github.containers.compression.zstd": "true"})
    index(shelf, own(shelf, ARM64), image(shelf, ARM64, [layer(file("a"))], entry=twin))
    assert found(shelf) == []
    windows = [
        own(shelf, "windows/amd64", entry={"platform": {"os": "windows", "architecture": "amd64", "os.version": one}})
        for one in ("10.0.17763.1", "10.0.20348.1")
    ]
    index(shelf, *windows)
    assert found(shelf) == []


def test_entry_without_platform() -> None:
    shelf = Shelf()
    index(shelf, own(shelf, AMD64), own(shelf, ARM64, entry=entry(platform=None)))
    findings = found(shelf, AMD64, ARM64)
    assert rules(findings) == ["MV104"]
    assert "linux/arm64" in findings[0].message


def test_not_a_list() -> None:
    shelf = Shelf()
    tagged(shelf, own(shelf, AMD64))
    assert errors(found(shelf, AMD64, ARM64)) == ["MV101", "MV105"]
    assert [one.severity for one in found(shelf)] == [Severity.WARNING]
    assert [one.severity for one in found(shelf, AMD64)] == [Severity.NOTE]


def test_what_is_no_image_at_all() -> None:
    shelf = Shelf()
    chart = {"config": shelf.add(b"{}", "application/vnd.cncf.helm.config.v1+json")}
    tagged(shelf, own(shelf, AMD64, manifest=chart))
    (finding,) = found(shelf)
    assert (finding.rule, finding.severity) == ("MV105", Severity.ERROR)
    assert "an artifact of type application/vnd.cncf.helm.config.v1+json" in finding.message


def test_platform_name() -> None:
    shelf = Shelf()
    named = {"platform": {"os": "linux", "architecture": "aarch64"}}
    index(shelf, own(shelf, ARM64, entry=named), own(shelf, AMD64))
    findings = found(shelf, AMD64, ARM64)
    assert errors(findings) == ["MV106"]
    assert "write linux/arm64" in findings[0].message


def test_unknown_platform_without_annotation_is_a_warning() -> None:
    shelf = Shelf()
    named = {"platform": {"os": "unknown", "architecture": "unknown"}}
    index(shelf, own(shelf, AMD64), own(shelf, ARM64, entry=named))
    assert [(one.rule, one.severity) for one in found(shelf, AMD64)] == [("MV106", Severity.WARNING)]


def test_nested_list_is_walked_and_noted() -> None:
    shelf = Shelf()
    inner = index(shelf, own(shelf, ARM64), tag="inner")
    nested = {"mediaType": shelf.types[inner], "digest": inner, "size": len(shelf.content[inner])}
    index(shelf, own(shelf, AMD64), nested)
    findings = found(shelf, AMD64, ARM64)
    assert [(one.rule, one.severity) for one in findings] == [("MV107", Severity.NOTE)]


def test_lists_nested_too_deep_and_too_long_are_bounded() -> None:
    shelf = Shelf()
    digest = index(shelf, own(shelf, AMD64))
    for _ in range(10):
        digest = index(shelf, {"mediaType": shelf.types[digest], "digest": digest, "size": len(shelf.content[digest])})
    assert errors(found(shelf)) == ["MV107"]
    index(shelf, *[own(shelf, AMD64) for _ in range(30)])
    shelf.requests.clear()
    result = verify(shelf, REFERENCE, Expectation(), Means(limits=Limits(entries=5)))
    assert "MV107" in {one.rule for one in result.findings}
    assert len(shelf.requests) < 20


def test_manifest_missing_does_not_hide_other_faults() -> None:
    shelf = Shelf()
    gone = own(shelf, AMD64)
    index(shelf, gone, own(shelf, ARM64, config={"architecture": "amd64"}))
    shelf.remove(gone["digest"])
    findings = found(shelf, AMD64, ARM64)
    assert errors(findings) == ["MV201", "MV301"]
    assert findings[0].platform == AMD64


def test_manifest_that_is_no_manifest() -> None:
    shelf = Shelf()
    broken = shelf.add(b"[1, 2", "application/vnd.oci.image.manifest.v1+json")
    index(shelf, {**broken, "platform": {"os": "linux", "architecture": "amd64"}})
    assert errors(found(shelf)) == ["MV201"]


def test_digest_mismatch() -> None:
    shelf = Shelf()
    damaged = own(shelf, AMD64)
    index(shelf, damaged, own(shelf, ARM64))
    shelf.content[damaged["digest"]] += b" "
    assert errors(found(shelf)) == ["MV202"]


def test_size_mismatch() -> None:
    shelf = Shelf()
    index(shelf, own(shelf, AMD64, entry=entry(size=7)), own(shelf, ARM64))
    findings = found(shelf)
    assert errors(findings) == ["MV203"]
    assert findings[0].platform == AMD64


def test_media_type_mismatch() -> None:
    shelf = Shelf()
    index(shelf, own(shelf, AMD64, entry=entry(mediaType=DOCKER_MANIFEST)), own(shelf, ARM64))
    assert errors(found(shelf)) == ["MV204"]


def test_media_type_served_otherwise() -> None:
    shelf = Shelf()
    one = own(shelf, AMD64)
    digest = index(shelf, one, own(shelf, ARM64))
    shelf.types[one["digest"]] = DOCKER_MANIFEST
    (finding,) = found(shelf)
    assert (finding.rule, finding.platform) == ("MV204", AMD64)
    shelf.types[one["digest"]] = "application/vnd.oci.image.manifest.v1+json"
    shelf.types[digest] = DOCKER_LIST
    assert "MV204" in errors(found(shelf))


def test_blob_missing() -> None:
    shelf = Shelf()
    lost = layer(file("lost"))
    index(shelf, image(shelf, AMD64, [lost, layer(file("x"))]), image(shelf, ARM64, [lost, layer(file("y"))]))
    shelf.remove(shelf.add(lost.content)["digest"])
    findings = found(shelf)
    assert errors(findings) == ["MV205"]
    assert findings[0].platform == f"{AMD64}, {ARM64}"
    assert found(shelf, level=Level.META) == [], "level meta does not ask for layers"


def test_configuration_missing_or_broken() -> None:
    shelf = Shelf()
    gone = own(shelf, AMD64)
    index(shelf, gone, own(shelf, ARM64))
    config = next(digest for digest, content in shelf.content.items() if b'"architecture": "amd64"' in content)
    content = shelf.content.pop(config)
    assert errors(found(shelf, AMD64, ARM64)) == ["MV205"]
    shelf.content[config] = content[:-3]
    assert errors(found(shelf, AMD64, ARM64)) == ["MV202"]


def test_config_platform_mismatch() -> None:
    shelf = Shelf()
    index(shelf, own(shelf, AMD64), own(shelf, ARM64, config={"architecture": "amd64"}))
    findings = found(shelf)
    assert errors(findings) == ["MV301"]
    assert findings[0].message == "the list says linux/arm64, the image's configuration says linux/amd64"
    index(shelf, own(shelf, "linux/arm/v7", config={"variant": "v6"}))
    assert errors(found(shelf)) == ["MV301"]
    index(shelf, own(shelf, AMD64, config={"architecture": ""}))
    assert errors(found(shelf)) == ["MV301"]


def test_a_configuration_without_variant_is_a_note() -> None:
    shelf = Shelf()
    index(shelf, own(shelf, "linux/arm/v6", config={"variant": None}))
    assert [(one.rule, one.severity) for one in found(shelf)] == [("MV301", Severity.NOTE)]


def test_attestation_dangling() -> None:
    shelf = Shelf()
    other = own(shelf, AMD64, runtime={"Cmd": ["other"]})
    kept = own(shelf, ARM64)
    index(shelf, own(shelf, AMD64), attestation(shelf, other), kept, attestation(shelf, kept))
    findings = found(shelf)
    assert "MV501" in errors(findings)


def test_entries_annotated_as_something_else_are_left_alone() -> None:
    shelf = Shelf()
    one = own(shelf, AMD64)
    annotations = {"vnd.docker.reference.type": "builder", "vnd.docker.reference.digest": "sha256:" + "0" * 64}
    index(shelf, one, attestation(shelf, one, entry=entry(annotations=annotations)))
    assert found(shelf) == []


def test_attestation_subject_mismatch() -> None:
    shelf = Shelf()
    one, other = own(shelf, AMD64), own(shelf, ARM64)
    index(shelf, one, other, attestation(shelf, one), attestation(shelf, other, subject=one["digest"]))
    findings = found(shelf)
    assert errors(findings) == ["MV502"]
    assert findings[0].platform == ARM64


def test_attestation_parity() -> None:
    shelf = Shelf()
    one, other = own(shelf, AMD64), own(shelf, ARM64)
    both: dict[str, Json] = {SLSA02: {}, SPDX: {}}
    index(shelf, one, attestation(shelf, one, both), other, attestation(shelf, other))
    findings = found(shelf)
    assert [(one.rule, one.platform, one.severity) for one in findings] == [("MV503", ARM64, Severity.WARNING)]
    assert look(shelf).verdict is Verdict.PASS


def test_docker_media_types_are_fine() -> None:
    shelf = Shelf()
    manifest = {"mediaType": DOCKER_MANIFEST}
    entries = [own(shelf, platform, manifest=manifest) for platform in (AMD64, ARM64)]
    index(shelf, *entries, media_type=DOCKER_LIST)
    assert errors(found(shelf, AMD64, ARM64)) == []
