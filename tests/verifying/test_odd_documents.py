"""Documents with anything in them: a verification ends with a verdict, never with a traceback."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.fleet import Level
from orchestrator.core.image import OCI_CONFIG, OCI_INDEX, OCI_MANIFEST
from orchestrator.core.verification import Verdict
from orchestrator.verifying.engine import examine
from orchestrator.verifying.expectation import Expectation, Means
from orchestrator.verifying.runs_on import runs_on
from tests.verifying.images import AMD64, IN_TOTO, REFERENCE, SLSA02, Json, Shelf
from tests.verifying.roots import program_layer

ODD: list[Any] = [
    None,
    True,
    -1,
    2**70,
    1.5,
    "",
    "x",
    "\x00\x1b[2J",
    "../..",
    "\ud800",
    [],
    {},
    [[]],
    [{}],
    {"a": {}},
    "sha256:" + "0" * 64,
]


def twisted(value: Any, chance: random.Random, rate: float) -> Any:
    """A JSON value in which some parts are something else."""
    if chance.random() < rate:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: twisted(part, chance, rate) for key, part in value.items() if chance.random() > rate / 3}
    if isinstance(value, list):
        return [twisted(part, chance, rate) for part in value]
    return value


def digest_of(descriptor: Any) -> str:
    return descriptor["digest"] if isinstance(descriptor, dict) else ""


def built(chance: random.Random, rate: float) -> Shelf:
    shelf = Shelf()
    made = program_layer("amd64")
    layer = shelf.add(made.content, made.media_type)
    config: Json = {
        "os": "linux",
        "architecture": "amd64",
        "variant": "",
        "config": {
            "Env": ["PATH=/usr/bin"],
            "Entrypoint": ["/usr/bin/app"],
            "Cmd": ["x"],
            "User": "",
            "ExposedPorts": {"80/tcp": {}},
            "Labels": {"a": "b"},
            "Healthcheck": {"Test": ["CMD-SHELL", "true && [ -f x ]"]},
        },
        "rootfs": {"type": "layers", "diff_ids": [made.diff_id]},
        "history": [{"created_by": "COPY x", "empty_layer": False}],
    }
    manifest: Json = {
        "schemaVersion": 2,
        "mediaType": OCI_MANIFEST,
        "config": shelf.add_json(twisted(config, chance, rate), OCI_CONFIG),
        "layers": [layer],
        "annotations": {"a": "b"},
    }
    entry = {
        **shelf.add_json(twisted(manifest, chance, rate), OCI_MANIFEST),
        "platform": {"os": "linux", "architecture": "amd64"},
    }
    predicate: Json = {
        "invocation": {"environment": {"platform": AMD64}},
        "materials": [{"uri": "pkg:docker/x@1?platform=linux%2Farm64"}],
    }
    statement: Json = {
        "predicateType": SLSA02,
        "subject": [{"digest": {"sha256": digest_of(entry)[7:]}}],
        "predicate": predicate,
    }
    attested = {
        "schemaVersion": 2,
        "config": shelf.add(b"{}", "application/vnd.oci.empty.v1+json"),
        "layers": [
            {
                **shelf.add_json(twisted(statement, chance, rate), IN_TOTO),
                "annotations": {"in-toto.io/predicate-type": SLSA02},
            }
        ],
        "subject": {"digest": digest_of(entry)},
    }
    notes = {"vnd.docker.reference.type": "attestation-manifest", "vnd.docker.reference.digest": digest_of(entry)}
    attestation = {**shelf.add_json(twisted(attested, chance, rate), OCI_MANIFEST), "annotations": notes}
    root: Json = {"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [entry, attestation]}
    shelf.tags["v1"] = shelf.add_json(twisted(root, chance, rate), OCI_INDEX)["digest"]
    return shelf


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**40), st.sampled_from([0.01, 0.05, 0.15, 0.4]), st.sampled_from(list(Level)))
def test_any_document_gives_a_verdict(seed: int, rate: float, level: Level) -> None:
    examination = examine(built(random.Random(seed), rate), REFERENCE, Expectation(level=level), Means(jobs=1))
    verification = examination.verification
    assert verification.verdict in Verdict
    for finding in verification.findings:
        assert (finding.message + finding.cause + finding.file + finding.platform).isprintable()
    assert all(sentence.isprintable() for sentence in (*verification.proved, *verification.not_checked))
    if examination.evidence is not None:
        runs_on(examination.evidence)


def test_untwisted_it_passes() -> None:
    shelf = built(random.Random(1), 0.0)
    result = examine(shelf, REFERENCE, Expectation(level=Level.META), Means()).verification
    assert result.verdict is Verdict.PASS
