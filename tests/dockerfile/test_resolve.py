"""Stages, platforms and variables as BuildKit's dockerfile2llb has them; the values were measured with a real build."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.errors import DockerfileError, UsageError
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.dockerfile.graph import EXTERNAL, UseKind, find_cycle, mount_options
from orchestrator.dockerfile.parse import parse
from orchestrator.dockerfile.resolve import Resolved, ResolvedStage, inspect, resolve
from orchestrator.dockerfile.scope import Origin


def resolved(text: str, target: str = "", args: dict[str, str] | None = None, **more: tuple[str, ...]) -> Resolved:
    return resolve(
        parse(text, "Dockerfile"),
        target=target,
        args=args or {},
        platform=LINUX_ARM64,
        build_platform=LINUX_AMD64,
        contexts=more.get("contexts", ()),
    )


def last(text: str, args: dict[str, str] | None = None) -> ResolvedStage:
    return resolved(text, "", args).target


def value(text: str, name: str, args: dict[str, str] | None = None) -> tuple[str, str]:
    variable = last(text, args).scope.lookup(name)
    return variable.value, variable.origin.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FROM a\nARG TARGETARCH=amd64", ("amd64", "stage-default")),
        ("ARG TARGETARCH=amd64\nFROM a\nARG TARGETARCH", ("amd64", "global-default")),
        ("FROM a\nARG TARGETARCH", ("arm64", "automatic")),
        ("FROM a", ("", "undeclared")),
        ("FROM a\nARG TARGETARCH=${TARGETARCH:-amd64}", ("amd64", "stage-default")),
        ("FROM a\nARG TARGETARCH=", ("", "stage-default")),
        ("ARG TARGETARCH=${TARGETARCH:-amd64}\nFROM a\nARG TARGETARCH", ("arm64", "global-default")),
        ("ARG TARGETARCH\nFROM a\nARG TARGETARCH", ("arm64", "automatic")),
        ("FROM a\nARG TARGETARCH\nENV TARGETARCH=amd64", ("amd64", "env")),
        ("FROM a\nENV TARGETARCH=amd64\nARG TARGETARCH", ("arm64", "automatic")),
        ("FROM a AS b\nARG TARGETARCH\nFROM b", ("arm64", "automatic")),
        ("FROM a AS b\nENV TARGETARCH=$BUILDARCH\nFROM b", ("", "env")),
        ("FROM a\nARG TARGETPLATFORM TARGETARCH VERSION=dev", ("arm64", "automatic")),
    ],
)
def test_platform_arguments_have_the_values_of_a_real_build(text: str, expected: tuple[str, str]) -> None:
    assert value(text, "TARGETARCH") == expected


def test_build_arguments_beat_defaults_and_automatic_values() -> None:
    text = "ARG V=1\nFROM a:$V\nARG V\nARG TARGETARCH"
    assert value(text, "V", {"V": "2"}) == ("2", "build-argument")
    assert last(text, {"V": "2"}).base == "a:2"
    assert value(text, "TARGETARCH", {"TARGETARCH": "x"}) == ("x", "build-argument")
    assert value("FROM a\nENV V=3", "V", {"V": "2"}) == ("3", "env")


def test_a_global_argument_needs_an_arg_in_the_stage() -> None:
    assert value("ARG V=1\nFROM a", "V") == ("", "undeclared")
    assert value("ARG V=1\nFROM a\nARG V", "V") == ("1", "global-default")
    assert value("ARG V\nFROM a\nARG V", "V") == ("", "undeclared")


def test_lookups_see_what_stands_above_an_instruction() -> None:
    stage = last("FROM a\nRUN one\nARG TARGETARCH\nRUN two\nENV TARGETARCH=x\nRUN three")
    assert [stage.scope.lookup("TARGETARCH", at).value for at in (0, 2, 4)] == ["", "arm64", "x"]
    assert [stage.scope.is_declared("TARGETARCH", at) for at in (0, 1, 2, 4)] == [False, False, True, True]
    variable = stage.scope.lookup("TARGETARCH")
    assert (variable.line, variable.column) == (5, 5)


def test_an_env_instruction_sees_the_values_before_it() -> None:
    scope = last("FROM scratch\nENV A=1\nENV A=2 B=$A\nENV C=$B$A").scope
    assert (scope.lookup("B").value, scope.lookup("C").value) == ("1", "12")


def test_values_of_base_images_are_not_guessed() -> None:
    assert not last("FROM a\nENV P=$PATH:/x").scope.lookup("P").known
    assert not last("FROM a\nENV P=$PATH\nENV Q=$P").scope.lookup("Q").known
    assert not last("FROM a").scope.lookup("PATH").known
    assert last("FROM scratch\nENV P=$PATH:/x").scope.lookup("P").known
    assert last("FROM a\nENV P=1").scope.lookup("P").known


def test_platforms_of_stages() -> None:
    text = """\
ARG P=linux/386
FROM --platform=$BUILDPLATFORM a AS build
FROM --platform=linux/arm/v7 a AS constant
FROM --platform=$P a AS argument
FROM --platform=linux/s390x build AS child
FROM --platform=$BUILDPLATFORM scratch AS empty
FROM a
COPY --from=build / /
COPY --from=constant / /
COPY --from=argument / /
COPY --from=child / /
COPY --from=empty / /
COPY --from=tool:1 / /
"""
    found = resolved(text)
    assert {stage.stage.title: str(stage.platform) for stage in found.stages} == {
        "build": "linux/amd64",
        "constant": "linux/arm/v7",
        "argument": "linux/386",
        "child": "linux/amd64",
        "empty": "linux/arm64",
        "stage 5": "linux/arm64",
    }
    assert [(use.name, str(use.platform)) for use in found.external_uses][-1] == ("tool:1", "linux/arm64")


def test_only_needed_stages_count_and_the_target_is_last() -> None:
    text = "FROM a AS one\nFROM b AS two\nRUN --mount=from=one x\nFROM c AS three\nFROM d AS four\nCOPY --from=2 / /\n"
    assert [stage.stage.name for stage in resolved(text).stages] == ["three", "four"]
    assert [stage.stage.name for stage in resolved(text, "two").stages] == ["one", "two"]
    assert [use.name for use in resolved(text, "TWO").external_uses] == ["a", "b"]


def test_uses_tell_kind_and_place() -> None:
    text = "FROM a:1 AS x\nFROM x\nCOPY --from=X / /\nRUN --mount=from=b:2,target=/t \\\n  --mount=type=cache y\n"
    uses = resolved(text).target.uses
    assert [(use.name, use.kind, use.stage, use.line, use.column) for use in uses] == [
        ("x", UseKind.FROM, 0, 2, 6),
        ("X", UseKind.COPY, 0, 3, 6),
        ("b:2", UseKind.MOUNT, EXTERNAL, 4, 5),
    ]
    assert resolved(text).target.base == 0


def test_a_base_refers_only_to_stages_above_it_by_exact_name() -> None:
    assert last("FROM debian AS debian\nRUN x").base == "debian"
    assert last("FROM a AS b\nFROM B").base == "B"
    assert last("FROM a AS b\nFROM b AS b").base == 0
    assert last("FROM a AS b\nFROM 0").base == "0"


def test_bases_without_a_value_are_unknown() -> None:
    target = last("ARG BASE\nFROM $BASE")
    assert (target.base, target.uses[0].name) == ("", "")
    assert last("ARG BASE\nFROM ${BASE:-a}").base == "a"


def test_onbuild_runs_in_the_stage_built_from_it() -> None:
    text = "FROM a AS t\nFROM a AS p\nONBUILD RUN x\nONBUILD COPY --from=t / /\nFROM p AS c\nFROM c AS d\n"
    parent, child, grandchild = (resolved(text, name).target for name in "pcd")
    assert (parent.runs, child.runs, grandchild.runs) == (False, True, False)
    assert [stage.stage.name for stage in resolved(text, "c").stages] == ["t", "p", "c"]
    assert [one.keyword for one in child.executed] == ["RUN", "COPY"]


def test_a_build_context_replaces_a_stage() -> None:
    text = "FROM a AS b\nRUN x\nFROM b\nCOPY --from=c / /\n"
    found = resolved(text, contexts=("b",))
    assert [(use.name, use.stage) for use in found.external_uses] == [("b", EXTERNAL), ("c", EXTERNAL)]
    assert (found.stages[0].replaced, found.stages[0].runs) == (True, False)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("FROM a AS b\nCOPY --from=c / /\nFROM a AS c\nFROM b\n", 2, "further down"),
        ("FROM a AS b\nCOPY --from=c / /\nFROM a AS c\nCOPY --from=b / /\n", 1, "b → c → b"),
        ("FROM a AS b\nCOPY --from=b / /\n", 1, "b → b"),
        ("FROM a\nCOPY --from=3 / /\n", 2, "no such stage"),
        ("ARG X=1\nFROM a\nCOPY --from=$X / /\n", 3, "not expanded"),
        ("FROM a\nRUN --mount=from=$X,target=/x y\n", 2, "not expanded"),
        ("FROM --platform=$P a\n", 1, "is empty"),
        ("FROM --platform=linux/amd46 a\n", 1, "not a known platform"),
        ("FROM ${X a\n", 1, "FROM takes|substitution"),
        ("FROM ${X}}${ \n", 1, "substitution"),
        ("ARG A='\nFROM a\n", 1, "quote"),
        ("FROM a\nENV A=${B@Q}\n", 2, "unsupported modifier"),
        ("FROM a\nENV A=1\nENV A=${B?please}\n", 3, "please"),
    ],
)
def test_what_buildkit_refuses_is_refused_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(DockerfileError, match=message) as caught:
        resolved(text)
    assert caught.value.line == line


def test_inspection_collects_problems_instead() -> None:
    parsed = parse("FROM --platform=nope a\nCOPY --from=9 / /\nENV A=${\n", "D")
    found = inspect(parsed, target="", args={}, platform=LINUX_ARM64, build_platform=LINUX_AMD64)
    assert [problem.line for problem in found.problems] == [1, 2, 3]
    assert found.target.platform == LINUX_ARM64


def test_a_forward_reference_in_a_stage_that_is_not_needed_does_no_harm() -> None:
    assert len(resolved("FROM a AS b\nCOPY --from=c / /\nFROM a AS c\n").stages) == 1


def test_an_unknown_target_is_a_mistake_of_the_call() -> None:
    with pytest.raises(UsageError, match="no stage 'buidl'") as caught:
        resolved("FROM a AS build\nFROM b\n", "buidl")
    assert caught.value.hint == "did you mean build?"


def test_variants_and_other_parts_of_platforms() -> None:
    parsed = parse("FROM a\nARG TARGETVARIANT TARGETOS TARGETPLATFORM BUILDARCH TARGETSTAGE\n", "D")
    found = resolve(parsed, target="", args={}, platform=Platform.parse("linux/arm/v7"), build_platform=LINUX_AMD64)
    scope = found.target.scope
    values = [
        scope.lookup(name).value for name in ("TARGETVARIANT", "TARGETOS", "TARGETPLATFORM", "BUILDARCH", "TARGETSTAGE")
    ]
    assert values == ["v7", "linux", "linux/arm/v7", "amd64", "default"]
    assert scope.lookup("TARGETOS").origin is Origin.AUTOMATIC


def test_mounts_are_read_as_one_line_of_csv() -> None:
    assert mount_options('Type=bind,FROM=build,"source=/a",ro') == {
        "type": "bind",
        "from": "build",
        "source": "/a",
        "ro": "",
    }


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=10, max_size=10))
def test_cycles_are_found_exactly_where_there_are_some(edges: list[list[int]]) -> None:
    cycle = find_cycle(edges)
    reach = [set(following) for following in edges]
    for _ in edges:
        for node in range(10):
            reach[node] |= set().union(*(reach[one] for one in reach[node]))
    assert bool(cycle) == any(node in reach[node] for node in range(10))
    assert all(after in edges[before] for before, after in pairwise(cycle))
    assert not cycle or cycle[0] == cycle[-1]
