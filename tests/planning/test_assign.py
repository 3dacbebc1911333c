"""Which node a cell gets, and the words for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.fleet import Emulation, EmulationPolicy
from orchestrator.core.plan import Mode, Node
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.planning.assign import Demand, Loads, Offer, ability, best, offer, own_platform, under_policy
from tests.planning.fleets import AMD64_NODE, ARM64_DOWN, ARM64_NODE, Recipes, node, service

_ON_ARM64 = Demand(service("api"), LINUX_ARM64, 0)


def _best(*nodes: Node, demand: Demand = _ON_ARM64, recipes: Recipes | None = None) -> Offer:
    offers = [offer(found, demand, recipes or Recipes({})) for found in nodes]
    taken = best(offers, demand.wave, Loads())
    assert taken is not None
    return taken


def test_a_native_node_goes_before_an_emulating_one_that_comes_first() -> None:
    taken = _best(AMD64_NODE, ARM64_NODE)
    assert (taken.node.name, taken.mode) == ("arm", Mode.NATIVE)
    assert taken.why == "arm runs linux/arm64 natively (probed)"


def test_emulation_says_how_much_slower_it_is() -> None:
    taken = _best(AMD64_NODE)
    assert taken.mode is Mode.EMULATED
    assert taken.why == "here emulates linux/arm64, 8.0x slower (probed)"


def test_a_cell_that_runs_nothing_for_its_platform_is_cross_anywhere() -> None:
    recipes = Recipes({})
    recipes.cross.add("api")
    plain = node("here", (LINUX_AMD64, Mode.NATIVE))
    taken = _best(plain, recipes=recipes)
    assert taken.mode is Mode.CROSS
    assert "nothing in the stages needed runs for linux/arm64" in taken.why


def _taken_in_turn(times: int, recipes: Recipes, *nodes: Node) -> list[str]:
    offers = [offer(found, _ON_ARM64, recipes) for found in nodes]
    loads = Loads()
    names = []
    for _ in range(times):
        taken = best(offers, 0, loads)
        assert taken is not None
        loads.add(0, taken)
        names.append(taken.node.name)
    return names


def test_load_never_moves_a_cross_cell_to_another_kind_of_machine() -> None:
    recipes = Recipes({})
    recipes.cross.add("api")
    twin = node("twin", (LINUX_AMD64, Mode.NATIVE))
    assert _taken_in_turn(3, recipes, AMD64_NODE, ARM64_NODE) == ["arm", "arm", "arm"]
    assert _taken_in_turn(4, recipes, AMD64_NODE, twin) == ["here", "twin", "here", "twin"]


def test_a_cross_cell_leaves_a_native_node_that_is_several_times_slower() -> None:
    recipes = Recipes({})
    recipes.cross.add("api")
    entry = replace(ARM64_NODE.platforms[0], slowdown=4.0)
    slow = replace(ARM64_NODE, platforms=(entry,))
    assert _best(AMD64_NODE, slow, recipes=recipes).node.name == "here"
    assert _best(AMD64_NODE, slow).node.name == "arm"


def test_a_stage_fixed_to_another_platform_is_what_decides() -> None:
    recipes = Recipes({})
    recipes.cross.add("api")

    def fixed(wanted: object, target: Platform, builder: Platform) -> object:
        return recipes(service("api"), target, LINUX_AMD64)

    found = offer(ARM64_NODE, _ON_ARM64, fixed)  # type: ignore[arg-type]
    assert found.mode is Mode.IMPOSSIBLE
    assert found.refused.startswith("dockerfiles/api/Dockerfile:9 always runs linux/amd64; it cannot run linux/amd64")


def test_a_node_that_is_down_is_refused_with_its_status() -> None:
    found = offer(ARM64_DOWN, _ON_ARM64, Recipes({}))
    assert found.refused == "it is down: no answer within 5 s"


def test_a_forbidden_emulation_is_refused_and_a_native_node_is_not() -> None:
    strict = replace(_ON_ARM64.service, emulation=EmulationPolicy(Emulation.FORBID))
    demand = replace(_ON_ARM64, service=strict)
    emulated = under_policy(offer(AMD64_NODE, demand, Recipes({})), demand)
    assert emulated.refused.endswith("and api forbids emulation for linux/arm64")
    assert not under_policy(offer(ARM64_NODE, demand, Recipes({})), demand).refused


def test_policies_by_platform_go_before_the_rule_for_all() -> None:
    policy = EmulationPolicy(Emulation.FORBID, ((LINUX_ARM64, Emulation.ALLOW),))
    demand = replace(_ON_ARM64, service=replace(_ON_ARM64.service, emulation=policy))
    assert not under_policy(offer(AMD64_NODE, demand, Recipes({})), demand).refused


def test_a_virtual_machine_without_acceleration_is_worse_than_an_emulator() -> None:
    guest = node("guest", (LINUX_ARM64, Mode.SYSTEM_EMULATED), slowdown=15.0)
    assert own_platform(guest) == LINUX_ARM64
    assert _best(guest, AMD64_NODE).node.name == "here"
    assert "virtual machine without acceleration, 15.0x slower" in _best(guest).why


def test_of_two_emulating_nodes_the_faster_one_is_taken() -> None:
    slow = node("slow", (LINUX_AMD64, Mode.NATIVE), (LINUX_ARM64, Mode.EMULATED), slowdown=12.0)
    assert _best(slow, AMD64_NODE).node.name == "here"


def test_small_differences_of_speed_do_not_outweigh_the_load() -> None:
    twin = node("twin", (LINUX_AMD64, Mode.NATIVE), (LINUX_ARM64, Mode.EMULATED), slowdown=8.1)
    loads = Loads()
    offers = [offer(found, _ON_ARM64, Recipes({})) for found in (AMD64_NODE, twin)]
    loads.add(0, offers[0])
    taken = best(offers, 0, loads)
    assert taken is not None
    assert taken.node.name == "twin"


def test_a_node_with_more_places_carries_more() -> None:
    big = node("big", (LINUX_ARM64, Mode.NATIVE), parallel=3)
    small = node("small", (LINUX_ARM64, Mode.NATIVE))
    assert _taken_in_turn(8, Recipes({}), big, small).count("big") == 6


@pytest.mark.parametrize(
    ("listed", "wanted", "mode"),
    [
        ("linux/amd64/v3", "linux/amd64/v2", Mode.NATIVE),
        ("linux/amd64", "linux/amd64/v3", Mode.IMPOSSIBLE),
        ("linux/arm64", "linux/arm64/v8", Mode.NATIVE),
        ("linux/arm64", "linux/arm/v7", Mode.IMPOSSIBLE),
        ("linux/arm/v7", "linux/arm/v6", Mode.NATIVE),
    ],
)
def test_variants_follow_containerd_within_an_architecture(listed: str, wanted: str, mode: Mode) -> None:
    found = node("n", (Platform.parse(listed), Mode.NATIVE))
    assert ability(found, Platform.parse(wanted)).mode is mode
