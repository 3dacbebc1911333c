"""Every JSON document has the published shape."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from orchestrator.core.fleet import Level
from orchestrator.core.verification import Verdict, Verification, VerifiedPlatform
from orchestrator.report.nodes import nodes_json
from orchestrator.report.plan import FORMATS
from orchestrator.report.results import results_json
from orchestrator.report.screen import Screen
from orchestrator.report.verification import verifications_json
from tests.report.samples import INSIDE, NEW, plan, results

SCHEMAS = Path(__file__).parent.parent.parent / "schema"
VERIFICATION = Verification(
    "api:1",
    NEW,
    "",
    Level.FULL,
    Verdict.FAIL,
    (VerifiedPlatform("linux/arm64", NEW, 1),),
    (INSIDE,),
    ("a",),
    ("b",),
    1,
    2,
)
DOCUMENTS = {
    "plan": FORMATS["json"](plan(), Screen()),
    "build": results_json(results()),
    "verify": verifications_json((VERIFICATION,)),
    "nodes": nodes_json(plan().nodes),
}


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_document_has_the_published_shape(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(DOCUMENTS[name]), schema)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_schema_is_strict(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    document = json.loads(DOCUMENTS[name]) | {"unknown": 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
