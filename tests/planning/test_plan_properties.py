"""What holds for the plan of every fleet: order, completeness, and that no cell is anywhere worse than it could be."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.fleet import Fleet
from orchestrator.core.plan import BasePlatform, CellId, Mode, Node
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.planning.assign import RANK
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import Published
from orchestrator.planning.select import Selection
from tests.planning.fleets import BOTH, Recipes, fleet, node, service

_LIST = Published("sha256:1", tuple(BasePlatform(platform, "sha256:2") for platform in BOTH), is_list=True)
_NODES = st.lists(
    st.sampled_from(
        [
            node("amd", (LINUX_AMD64, Mode.NATIVE)),
            node("amd-qemu", (LINUX_AMD64, Mode.NATIVE), (LINUX_ARM64, Mode.EMULATED), slowdown=8.0),
            node("arm", (LINUX_ARM64, Mode.NATIVE)),
            node("arm-qemu", (LINUX_ARM64, Mode.NATIVE), (LINUX_AMD64, Mode.EMULATED), slowdown=6.0),
        ]
    ),
    unique_by=lambda found: found.name,
)


@st.composite
def fleets(draw: st.DrawFn) -> tuple[Fleet, Recipes]:
    """A fleet of up to twelve services whose needs have no cycle; some are cross, some take parents to build with."""
    names = [f"s{number}" for number in range(draw(st.integers(1, 12)))]
    needs = {
        name: tuple(draw(st.lists(st.sampled_from(names[:position]), unique=True, max_size=3))) if position else ()
        for position, name in enumerate(names)
    }
    recipes = Recipes(needs, images=("debian:12",))
    recipes.cross.update(draw(st.lists(st.sampled_from(names), unique=True)))
    recipes.for_builder.update(draw(st.lists(st.sampled_from(names), unique=True, max_size=2)))
    return fleet(*(service(name) for name in draw(st.permutations(names)))), recipes


@settings(deadline=None)
@given(fleets(), _NODES, st.data())
def test_a_plan_is_complete_ordered_and_as_native_as_it_can_be(
    made: tuple[Fleet, Recipes], nodes: list[Node], data: st.DataObject
) -> None:
    wanted, recipes = made
    machines = (node("both", (LINUX_AMD64, Mode.NATIVE), (LINUX_ARM64, Mode.EMULATED), slowdown=9.0), *nodes)
    name = data.draw(st.sampled_from([one.name for one in wanted.services]))
    plan = make_plan(wanted, Selection((name,)), Doors(lambda: machines, lambda _: _LIST, recipes), Options())
    done: set[CellId] = set()
    for cell in plan.cells:
        assert set(cell.needs) <= done
        assert all(plan.planned(need.service).wave < cell.wave for need in cell.needs)
        done.add(cell.id)
        possible = [found.mode(cell.id.platform) for found in machines]
        assert RANK[cell.mode] <= min(RANK[mode] for mode in possible)
    assert {cell.id.platform for cell in plan.cells_of(name)} == set(BOTH)
    needed = {need for cell in plan.cells for need in cell.needs}
    assert all(cell.id in needed for cell in plan.cells if cell.id.service != name)


@settings(deadline=None)
@given(fleets(), _NODES)
def test_the_same_fleet_gives_the_same_plan_and_a_part_of_it_the_same_nodes(
    made: tuple[Fleet, Recipes], nodes: list[Node]
) -> None:
    wanted, recipes = made
    machines = (node("both", (LINUX_AMD64, Mode.NATIVE), (LINUX_ARM64, Mode.EMULATED), slowdown=9.0), *nodes)
    doors = Doors(lambda: machines, lambda _: _LIST, recipes)
    whole = make_plan(wanted, Selection(), doors, Options())
    assert make_plan(wanted, Selection(), doors, Options()) == whole
    part = make_plan(wanted, Selection((wanted.services[0].name,)), doors, Options())
    kinds = {cell.id: next(one for one in machines if one.name == cell.node).platforms[0] for cell in whole.cells}
    for cell in part.cells:
        assert next(one for one in machines if one.name == cell.node).platforms[0].platform == kinds[cell.id].platform
