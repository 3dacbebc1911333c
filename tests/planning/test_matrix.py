"""Matrices for GitHub Actions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import Fleet
from orchestrator.core.plan import Plan
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.planning.matrix import GroupBy, matrix
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import Published
from orchestrator.planning.select import Selection
from tests.planning.fleets import Recipes, fleet, service

_SCHEMA = Path(__file__).parent.parent.parent / "schema" / "matrix.schema.json"


def _plan(wanted: Fleet, recipes: Recipes) -> Plan:
    doors = Doors(tuple, lambda _: Published("", (), True), recipes)
    return make_plan(wanted, Selection(), doors, Options(on_runners=True, offline=True))


def _two_trees() -> Plan:
    wanted = fleet(service("base"), service("api"), service("tool", platforms=(LINUX_AMD64,)))
    return _plan(wanted, Recipes({"api": ("base",)}))


def _data(plan: Plan, group_by: GroupBy) -> Any:
    """The matrix as JSON, which has to have its published shape."""
    found = json.loads(json.dumps(matrix(plan, group_by)))
    jsonschema.validate(found, json.loads(_SCHEMA.read_text()))
    return found


def test_by_cell_there_is_one_matrix_per_wave() -> None:
    found = _data(_two_trees(), GroupBy.CELL)
    assert found["counts"] == [3, 2]
    assert found["waves"][1]["include"][1] == {
        "service": "api",
        "platform": "linux/arm64",
        "slug": "linux-arm64",
        "runner": "ubuntu-24.04-arm",
        "wave": 1,
        "mode": "native",
        "cells": ["api@linux/arm64"],
    }


def test_by_platform_one_job_builds_the_whole_graph_in_order() -> None:
    found = _data(_two_trees(), GroupBy.PLATFORM)
    assert found["counts"] == [2]
    first, second = found["waves"][0]["include"]
    assert first["cells"] == ["base@linux/amd64", "tool@linux/amd64", "api@linux/amd64"]
    assert (second["runner"], second["cells"]) == ("ubuntu-24.04-arm", ["base@linux/arm64", "api@linux/arm64"])


def test_by_subgraph_what_hangs_together_is_one_job() -> None:
    found = _data(_two_trees(), GroupBy.SUBGRAPH)
    assert sorted(entry["cells"] for entry in found["waves"][0]["include"]) == [
        ["base@linux/amd64", "api@linux/amd64"],
        ["base@linux/arm64", "api@linux/arm64"],
        ["tool@linux/amd64"],
    ]


def test_platforms_that_need_each_other_are_one_job() -> None:
    recipes = Recipes({"api": ("base",)})
    recipes.for_builder.add("base")
    wanted = replace(fleet(service("base"), service("api")), runners=(("default", "self-hosted, x64"),))
    found = _data(_plan(wanted, recipes), GroupBy.PLATFORM)
    assert found["counts"] == [1]
    entry = found["waves"][0]["include"][0]
    assert entry["runner"] == ["self-hosted", "x64"]
    assert (entry["platform"], entry["slug"]) == ("linux/amd64,linux/arm64", "linux-amd64-linux-arm64")


@pytest.mark.parametrize("group_by", list(GroupBy))
def test_unchanged_cells_are_no_jobs(group_by: GroupBy) -> None:
    plan = _two_trees()
    done = replace(plan, cells=tuple(replace(cell, unchanged_digest="sha256:1") for cell in plan.cells))
    found = _data(done, group_by)
    assert found["total"] == 0
    assert all(wave == {"include": []} for wave in found["waves"])


def test_emulated_platforms_are_named_so_that_emulators_are_set_up_for_them_only() -> None:
    wanted = replace(fleet(service("api")), runners=(("default", "ubuntu-24.04"),))
    assert _data(_plan(wanted, Recipes({})), GroupBy.CELL)["emulated"] == [str(LINUX_ARM64)]
    assert _data(_two_trees(), GroupBy.CELL)["emulated"] == []


def test_more_jobs_than_github_takes_are_refused_with_advice() -> None:
    plan = _plan(fleet(*(service(f"s{number}") for number in range(129))), Recipes({}))
    with pytest.raises(UsageError) as caught:
        matrix(plan, GroupBy.CELL)
    assert "258 jobs" in caught.value.message
    assert "--group-by platform" in caught.value.hint
    assert _data(plan, GroupBy.PLATFORM)["total"] == 2
