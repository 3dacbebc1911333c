"""The JSON Schema: fresh in its file, complete, right about the examples, and of one mind with the reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from orchestrator.manifest.schema import schema, schema_text

ROOT = Path(__file__).parents[2]
VALIDATOR = jsonschema.Draft202012Validator(schema())
FULL = (Path(__file__).parent / "full.yaml").read_text()


def properties(found: dict[str, Any], name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for key, inner in found.get("properties", {}).items():
        yield f"{name}.{key}", inner
    for key, inner in found.get("$defs", {}).items():
        yield from properties(inner, key)


def test_the_file_is_fresh() -> None:
    path = ROOT / "schema" / "mabuild.schema.json"
    assert path.read_text(encoding="utf-8") == schema_text(), "run: mabuild schema > schema/mabuild.schema.json"


def test_it_is_a_schema_that_names_no_place() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["$schema"].endswith("2020-12/schema")
    assert schema()["$id"] == "urn:mabuild:manifest:1"


def test_every_key_has_a_description_and_an_example_that_is_right() -> None:
    found = dict(properties(schema()))
    assert len(found) > 60
    for name, inner in found.items():
        assert inner["description"], name
        for example in inner["examples"]:
            part = {"$defs": schema()["$defs"], **inner}
            jsonschema.Draft202012Validator(part).validate(example)


@pytest.mark.parametrize("path", sorted((ROOT / "manifests").glob("*.yaml")), ids=lambda path: path.name)
def test_the_example_fleet_is_right_and_names_its_schema(path: Path) -> None:
    text = path.read_text()
    VALIDATOR.validate(yaml.safe_load(text))
    assert text.startswith("# yaml-language-server: $schema=../schema/mabuild.schema.json\n")


SHORT_FORMS = """
version: 1
defaults: {emulation: forbid, cache: none, ssh: default, args: [A, B=c]}
services:
  api:
    image: api
    emulation: ${EMULATION}
    cache: registry
    attest: {provenance: false, sbom: "${SBOM:-true}"}
    secrets: ["id=npmrc,env=NPMRC", {id: a, file: b}]
    args: {PYTHON: 3.10, DEBUG: no, FROM_OUTSIDE: }
    target: 1
    tags: [1.10, latest, "${GIT_SHA}"]
    timeout: ${TIMEOUT}
    platforms: ["${PLATFORM}"]
    verify: {run: [[api, 5]]}
    x-own: {a: [b]}
nodes: [{name: a, driver: docker, parallel: "${N}"}]
runners: {default: a, linux/arm64: [self-hosted, b]}
x-own: text
"""


@pytest.mark.parametrize("text", [FULL, SHORT_FORMS], ids=["full", "short forms"])
def test_what_the_reader_takes_is_right(text: str) -> None:
    VALIDATOR.validate(yaml.safe_load(text))


@pytest.mark.parametrize(
    "name",
    ["unknown_keys", "wrong_types", "wrong_words", "bad_durations", "version_two", "version_missing", "not_a_map"],
)
def test_mistakes_of_form_are_seen_by_editors_too(name: str) -> None:
    case = Path(__file__).parent / "cases" / name / "mabuild.yaml"
    assert list(VALIDATOR.iter_errors(yaml.safe_load(case.read_text())))
