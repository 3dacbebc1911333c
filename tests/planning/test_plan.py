"""Whole plans of small fleets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.errors import MabuildError, PlanError, UnreachableError
from orchestrator.core.fleet import Emulation, EmulationPolicy, Fleet
from orchestrator.core.plan import BasePlatform, CellId, Mode, Node, Plan
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import Published
from orchestrator.planning.select import Selection
from tests.planning.fleets import AMD64_NODE, ARM64_DOWN, ARM64_NODE, BOTH, Recipes, fleet, node, service

_CHAIN = fleet(service("worker"), service("base"), service("api"))
_CHAIN_NEEDS = {"api": ("base",), "worker": ("api", "base")}
_LIST = Published("sha256:11", tuple(BasePlatform(platform, f"sha256:{platform.slug}") for platform in BOTH), True)


def _nobody(reference: Reference) -> Published:
    raise AssertionError(f"nobody should ask for {reference}")


def _plan(
    wanted: Fleet,
    recipes: Recipes,
    *names: str,
    nodes: tuple[Node, ...] = (AMD64_NODE, ARM64_NODE),
    platforms: tuple[Platform, ...] = (),
    options: Options | None = None,
) -> Plan:
    doors = Doors(lambda: nodes, lambda _: _LIST, recipes)
    return make_plan(wanted, Selection(names, platforms), doors, options or Options())


def test_cells_stand_in_an_order_in_which_they_can_be_built() -> None:
    plan = _plan(_CHAIN, Recipes(_CHAIN_NEEDS))
    assert [str(cell.id) for cell in plan.cells] == [
        "base@linux/amd64",
        "base@linux/arm64",
        "api@linux/amd64",
        "api@linux/arm64",
        "worker@linux/amd64",
        "worker@linux/arm64",
    ]
    assert [cell.wave for cell in plan.cells] == [0, 0, 1, 1, 2, 2]
    assert plan.cells[4].needs == (CellId("api", LINUX_AMD64), CellId("base", LINUX_AMD64))
    assert {(cell.id.platform, cell.node) for cell in plan.cells} == {(LINUX_AMD64, "here"), (LINUX_ARM64, "arm")}


def test_needed_parents_come_along_and_others_do_not() -> None:
    plan = _plan(_CHAIN, Recipes(_CHAIN_NEEDS), "api", platforms=(LINUX_ARM64,))
    assert [str(cell.id) for cell in plan.cells] == ["base@linux/arm64", "api@linux/arm64"]
    assert [planned.needs for planned in plan.services] == [(), ("base",)]
    assert plan.planned("api").links[0].name == "ghcr.io/acme/base"


def test_services_that_are_not_asked_for_are_not_read() -> None:
    recipes = Recipes(_CHAIN_NEEDS)
    _plan(_CHAIN, recipes, "api")
    assert "worker" not in {name for name, _, _ in recipes.asked}


def test_each_recipe_is_read_once() -> None:
    recipes = Recipes(_CHAIN_NEEDS)
    _plan(_CHAIN, recipes)
    assert len(recipes.asked) == len(set(recipes.asked))


def test_a_parent_on_the_build_platform_is_the_cell_of_the_machine_that_builds() -> None:
    recipes = Recipes({"api": ("base",)})
    recipes.for_builder.add("base")
    wanted = fleet(service("base"), service("api"))
    plan = _plan(wanted, recipes, "api", nodes=(AMD64_NODE,), platforms=(LINUX_ARM64,))
    assert [str(cell.id) for cell in plan.cells] == ["base@linux/amd64", "api@linux/arm64"]
    assert plan.cells[1].needs == (CellId("base", LINUX_AMD64),)


def test_depends_on_orders_without_an_image() -> None:
    wanted = fleet(service("api", depends_on=("seed",)), service("seed", platforms=(LINUX_AMD64,)))
    plan = _plan(wanted, Recipes({}), "api", platforms=(LINUX_ARM64,))
    assert [str(cell.id) for cell in plan.cells] == ["seed@linux/amd64", "api@linux/arm64"]
    assert plan.planned("api").links == ()


def test_a_cycle_shows_the_whole_way_with_files_and_lines() -> None:
    recipes = Recipes({"base": ("worker",), "api": ("base",), "worker": ("api",)})
    with pytest.raises(PlanError) as caught:
        _plan(_CHAIN, recipes)
    (finding,) = caught.value.findings
    assert finding.rule == "MP101"
    assert finding.message == "services need each other in a circle: worker -> api -> base -> worker"
    assert [f"{one.path}:{one.line}: {one.message}" for one in finding.related] == [
        "dockerfiles/worker/Dockerfile:1: worker needs api here",
        "dockerfiles/api/Dockerfile:1: api needs base here",
        "dockerfiles/base/Dockerfile:1: base needs worker here",
    ]


def test_a_parent_without_the_platform_is_told_with_both_places() -> None:
    wanted = fleet(service("base", platforms=(LINUX_AMD64,)), service("api"))
    with pytest.raises(PlanError) as caught:
        _plan(wanted, Recipes({"api": ("base",)}))
    finding = caught.value.findings[0]
    assert finding.message == "api@linux/arm64 needs base for linux/arm64, which is built for linux/amd64 only"
    assert (finding.path, finding.line) == ("dockerfiles/api/Dockerfile", 1)
    assert (finding.related[0].path, finding.related[0].line) == ("mabuild.yaml", 10)


def test_a_variant_takes_its_parent_from_the_plain_architecture() -> None:
    tuned = Platform("linux", "amd64", "v3")
    wide = node("here", (LINUX_AMD64, Mode.NATIVE), (tuned, Mode.NATIVE))
    wanted = fleet(service("base"), service("api", platforms=(tuned,)))
    plan = _plan(wanted, Recipes({"api": ("base",)}), "api", nodes=(wide,))
    assert plan.cells[1].needs == (CellId("base", LINUX_AMD64),)


def test_a_node_that_is_down_is_an_error_and_not_a_silent_emulation() -> None:
    with pytest.raises(UnreachableError) as caught:
        _plan(_CHAIN, Recipes({}), nodes=(AMD64_NODE, ARM64_DOWN))
    assert "arm (remote unix:///arm.sock): no answer within 5 s" in caught.value.message
    assert "--allow-missing-nodes" in caught.value.hint


def test_a_node_that_is_down_but_not_wanted_does_no_harm() -> None:
    plan = _plan(_CHAIN, Recipes({}), nodes=(AMD64_NODE, ARM64_DOWN), platforms=(LINUX_AMD64,))
    assert {cell.node for cell in plan.cells} == {"here"}


def test_missing_nodes_can_be_allowed_and_emulation_is_warned_of() -> None:
    options = Options(allow_missing_nodes=True)
    plan = _plan(fleet(service("api")), Recipes({}), nodes=(AMD64_NODE, ARM64_DOWN), options=options)
    assert [cell.mode for cell in plan.cells] == [Mode.NATIVE, Mode.EMULATED]
    assert [finding.rule for finding in plan.findings] == ["MP202"]


def test_no_possibility_names_every_node_and_why() -> None:
    strict = replace(service("api"), emulation=EmulationPolicy(Emulation.FORBID))
    other = node("far", (LINUX_AMD64, Mode.NATIVE))
    with pytest.raises(PlanError) as caught:
        _plan(fleet(strict), Recipes({}), nodes=(AMD64_NODE, other))
    message = caught.value.findings[0].message
    assert message.startswith(
        "no node can build api@linux/arm64: here: here emulates linux/arm64, 8.0x slower (probed)"
    )
    assert "far: it cannot run linux/arm64: it does not list this platform" in message


def test_offline_asks_nobody_and_says_so() -> None:
    def nodes() -> tuple[Node, ...]:
        raise AssertionError("no node is to be asked")

    doors = Doors(nodes, _nobody, Recipes({}, images=("debian:12",)))
    strict = replace(service("api"), emulation=EmulationPolicy(Emulation.FORBID))
    plan = make_plan(fleet(strict), Selection(), doors, Options(offline=True))
    assert [cell.mode for cell in plan.cells] == [Mode.NATIVE, Mode.EMULATED]
    assert all("not asked, offline" in cell.why for cell in plan.cells)
    assert plan.bases[0].digest == ""
    assert [entry.platform for entry in plan.bases[0].platforms] == list(BOTH)


def test_a_base_without_the_platform_stops_the_plan_with_its_line() -> None:
    only = Published("sha256:11", (BasePlatform(LINUX_AMD64, "sha256:22"),), True)
    doors = Doors(lambda: (AMD64_NODE, ARM64_NODE), lambda _: only, Recipes({}, images=("debian:12",)))
    with pytest.raises(PlanError) as caught:
        make_plan(fleet(service("api"), service("web")), Selection(), doors, Options())
    assert [(finding.rule, finding.path, finding.line) for finding in caught.value.findings] == [
        ("MA107", "dockerfiles/api/Dockerfile", 7),
        ("MA107", "dockerfiles/web/Dockerfile", 7),
    ]
    assert caught.value.findings[0].message == "debian:12 has no linux/arm64; it has linux/amd64"


def test_every_base_is_asked_once_for_all_services_and_platforms() -> None:
    asked: list[Reference] = []

    def ask(reference: Reference) -> Published:
        asked.append(reference)
        return _LIST

    doors = Doors(lambda: (AMD64_NODE,), ask, Recipes({}, images=("debian:12", "alpine")))
    plan = make_plan(_CHAIN, Selection(), doors, Options())
    assert len(asked) == 2
    assert plan.bases[0].used_by == ("api", "base", "worker")
    assert plan.bases[0].platforms[1] == BasePlatform(LINUX_ARM64, "sha256:linux-arm64")


def test_a_registry_that_does_not_answer_is_exit_four_and_names_the_image() -> None:
    def ask(reference: Reference) -> Published:
        raise UnreachableError(f"no answer from {reference.registry}")

    doors = Doors(lambda: (AMD64_NODE,), ask, Recipes({}, images=("debian:12",)))
    with pytest.raises(UnreachableError, match=r"debian:12: no answer from docker\.io"):
        make_plan(_CHAIN, Selection(), doors, Options())


def test_an_image_that_is_not_there_is_told_at_its_line() -> None:
    def ask(reference: Reference) -> Published:
        raise MabuildError("there is no such image")

    doors = Doors(lambda: (AMD64_NODE, ARM64_NODE), ask, Recipes({}, images=("debian:12",)))
    with pytest.raises(PlanError) as caught:
        make_plan(fleet(service("api")), Selection(), doors, Options())
    assert caught.value.findings[0].message == "debian:12 cannot be had: there is no such image"


def test_runners_take_the_place_of_nodes() -> None:
    doors = Doors(tuple, _nobody, Recipes(_CHAIN_NEEDS))
    plan = make_plan(_CHAIN, Selection(), doors, Options(on_runners=True, offline=True))
    assert {(cell.id.platform, cell.node, cell.mode) for cell in plan.cells} == {
        (LINUX_AMD64, "ubuntu-24.04", Mode.NATIVE),
        (LINUX_ARM64, "ubuntu-24.04-arm", Mode.NATIVE),
    }


def test_earlier_durations_become_estimates() -> None:
    history = {(CellId("api", LINUX_AMD64), Mode.NATIVE): 30.0, (CellId("api", LINUX_ARM64), Mode.NATIVE): 20.0}
    plan = _plan(fleet(service("api")), Recipes({}), nodes=(AMD64_NODE,), options=Options(history=history))
    assert [cell.estimate_seconds for cell in plan.cells] == [30.0, 160.0]
