"""Which cells are built, and why; and what tags point at."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.core.errors import UnreachableError
from orchestrator.core.plan import Cell, CellId, Plan, TagNow
from orchestrator.core.platform import LINUX_AMD64
from orchestrator.core.reference import Reference
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import Published
from orchestrator.planning.select import Selection
from orchestrator.planning.unchanged import Looked, tags_now, with_unchanged
from tests.planning.fleets import Recipes, fleet, service


def _plan() -> Plan:
    wanted = fleet(service("base"), service("api"), service("worker"), service("tool"))
    doors = Doors(tuple, lambda _: Published("", (), True), Recipes({"api": ("base",), "worker": ("api",)}))
    return make_plan(wanted, Selection(platforms=(LINUX_AMD64,)), doors, Options(offline=True))


def _reasons(plan: Plan) -> dict[str, str]:
    return {cell.id.service: cell.reason for cell in plan.cells}


def test_children_of_what_is_built_are_built_and_nobody_looks_for_them() -> None:
    asked = []

    def look(cell: Cell, parents: Mapping[CellId, str]) -> Looked:
        asked.append(cell.id.service)
        return Looked(f"key-{cell.id.service}", "" if cell.id.service == "api" else "sha256:1")

    plan = with_unchanged(_plan(), look)
    assert sorted(asked) == ["api", "base", "tool"]
    assert [(cell.id.service, cell.unchanged) for cell in plan.cells] == [
        ("base", True),
        ("tool", True),
        ("api", False),
        ("worker", False),
    ]
    assert _reasons(plan) == {
        "base": "published with the same key",
        "tool": "published with the same key",
        "api": "nothing published has its key",
        "worker": "api@linux/amd64 is built anew",
    }


def test_a_cell_is_looked_for_with_the_digests_of_its_parents() -> None:
    seen: dict[str, Mapping[CellId, str]] = {}

    def look(cell: Cell, parents: Mapping[CellId, str]) -> Looked:
        seen[cell.id.service] = dict(parents)
        return Looked("key", f"sha256:{cell.id.service}")

    with_unchanged(_plan(), look)
    assert seen["worker"] == {CellId("api", LINUX_AMD64): "sha256:api"}
    assert seen["base"] == {}


def test_an_open_input_and_an_unknown_key_are_named() -> None:
    plan = with_unchanged(_plan(), lambda cell, _: Looked("key", open=("ADD https://x",)))
    assert _reasons(plan)["base"] == "may have changed: ADD https://x"
    assert _reasons(with_unchanged(_plan(), lambda *_: Looked("")))["base"] == "its key is not known"


def test_tags_are_told_with_what_they_point_at_or_why_that_is_not_known() -> None:
    def digest_of(reference: Reference) -> str:
        if reference.repository == "acme/tool":
            raise UnreachableError("no login")
        return "sha256:1" if reference.tag == "latest" else ""

    found = {tag.reference: tag for tag in tags_now(_plan(), digest_of)}
    assert len(found) == 8
    assert found["ghcr.io/acme/base:latest"] == TagNow("ghcr.io/acme/base:latest", "sha256:1")
    assert found["ghcr.io/acme/base:1.0"] == TagNow("ghcr.io/acme/base:1.0")
    assert found["ghcr.io/acme/tool:1.0"].unknown == "no login"
