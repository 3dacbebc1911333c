"""What Dockerfiles need, read from real files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.core.errors import DockerfileError, PlanError
from orchestrator.core.fleet import Fleet, Place, Service
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.core.reference import Reference
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import Published
from orchestrator.planning.reading import DockerfileRecipes
from orchestrator.planning.recipe import Recipe
from orchestrator.planning.select import Selection
from tests.planning.fleets import fleet, service


def _written(folder: Path, name: str, text: str) -> Service:
    path = folder / name / "Dockerfile"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return replace(service(name), context=path.parent, dockerfile=path)


def _recipe(folder: Path, text: str, **changes: object) -> Recipe:
    app = replace(_written(folder, "app", text), **changes)  # type: ignore[arg-type]
    recipes = DockerfileRecipes(fleet(service("base"), service("tools"), app))
    return recipes(app, LINUX_ARM64, LINUX_AMD64)


def _parents(recipe: Recipe) -> list[tuple[str, str]]:
    return [(use.name, use.service) for use in recipe.parents]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("FROM ghcr.io/acme/base:1.0\n", "ghcr.io/acme/base:1.0"),
        ("FROM ghcr.io/acme/base\n", "ghcr.io/acme/base"),
        ("FROM ghcr.io/acme/base:latest\n", "ghcr.io/acme/base:latest"),
        ("ARG TAG=9\nFROM ghcr.io/acme/base:${TAG}\n", "ghcr.io/acme/base:9"),
        ("ARG BASE=ghcr.io/acme/base\nFROM $BASE\n", "ghcr.io/acme/base"),
        ("FROM scratch\nCOPY --from=ghcr.io/acme/base:1.0 /a /a\n", "ghcr.io/acme/base:1.0"),
        ("FROM scratch\nRUN --mount=type=bind,from=ghcr.io/acme/base,target=/b true\n", "ghcr.io/acme/base"),
    ],
)
def test_an_image_of_the_fleet_is_a_parent(tmp_path: Path, text: str, name: str) -> None:
    recipe = _recipe(tmp_path, text)
    assert _parents(recipe) == [(name, "base")]
    assert recipe.images == ()


@pytest.mark.parametrize(
    "text",
    [
        "FROM ghcr.io/acme/base:0.9\n",
        f"FROM ghcr.io/acme/base@sha256:{'0' * 64}\n",
        "FROM ghcr.io/acme/base-extra\n",
        "FROM base\n",
    ],
)
def test_other_tags_digests_and_names_are_external(tmp_path: Path, text: str) -> None:
    recipe = _recipe(tmp_path, text)
    assert _parents(recipe) == []
    assert len(recipe.images) == 1


def test_service_args_change_the_parent(tmp_path: Path) -> None:
    text = "ARG BASE=debian:12\nFROM ${BASE}\n"
    assert _parents(_recipe(tmp_path / "a", text)) == []
    assert _parents(_recipe(tmp_path / "b", text, args=(("BASE", "ghcr.io/acme/tools"),))) == [
        ("ghcr.io/acme/tools", "tools")
    ]


def test_only_the_stages_that_the_target_needs_count(tmp_path: Path) -> None:
    text = (
        "FROM ghcr.io/acme/tools AS tests\nRUN make test\n"
        "FROM debian:12 AS build\nRUN make\n"
        "FROM scratch AS runtime\nCOPY --from=build /out /\n"
        "FROM tests AS last\n"
    )
    recipe = _recipe(tmp_path, text, target="runtime")
    assert _parents(recipe) == []
    assert [use.text for use in recipe.images] == ["debian:12"]
    assert (recipe.images[0].place.line, recipe.images[0].place.column) == (3, 6)


def test_nothing_runs_for_the_target_in_a_cross_build(tmp_path: Path) -> None:
    text = (
        "FROM --platform=$BUILDPLATFORM golang:1 AS build\nARG TARGETARCH\nRUN GOARCH=$TARGETARCH go build\n"
        "FROM gcr.io/distroless/static\nCOPY --from=build /out /\n"
    )
    recipe = _recipe(tmp_path, text)
    assert [entry.platform for entry in recipe.executions] == [LINUX_AMD64]
    assert recipe.executions[0].place.line == 3
    assert {(use.text, use.platform) for use in recipe.images} == {
        ("golang:1", LINUX_AMD64),
        ("gcr.io/distroless/static", LINUX_ARM64),
    }


def test_a_parent_on_the_build_platform_is_taken_for_that_platform(tmp_path: Path) -> None:
    text = "FROM --platform=$BUILDPLATFORM ghcr.io/acme/tools AS t\nRUN make\nFROM scratch\nCOPY --from=t /out /\n"
    assert _recipe(tmp_path, text).parents[0].platform == LINUX_AMD64


def test_named_contexts_stand_for_services_images_and_folders(tmp_path: Path) -> None:
    text = "FROM one\nCOPY --from=two / /\nCOPY --from=three / /\nCOPY --from=four / /\n"
    contexts = (
        ("one", "service:base"),
        ("two", "target:tools"),
        ("three", "docker-image://debian:12"),
        ("four", "../four"),
        ("unused", "service:tools"),
    )
    recipe = _recipe(tmp_path, text, contexts=contexts)
    assert _parents(recipe) == [("one", "base"), ("two", "tools")]
    assert [use.text for use in recipe.images] == ["debian:12"]


def test_a_context_with_the_name_of_a_stage_replaces_it(tmp_path: Path) -> None:
    text = "FROM debian:12 AS build\nRUN make\nFROM scratch\nCOPY --from=build /out /\n"
    recipe = _recipe(tmp_path, text, contexts=(("build", "service:tools"),))
    assert _parents(recipe) == [("build", "tools")]
    assert recipe.images == ()
    assert recipe.executions == ()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("ARG BASE\nFROM ${BASE}\n", 2, "${BASE} has no value"),
        ("FROM debian AS a\nCOPY --from=Not/An/Image / /\n", 2, "repository names are lower case"),
    ],
)
def test_a_name_that_cannot_be_is_told_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(DockerfileError) as caught:
        _recipe(tmp_path, text)
    assert caught.value.line == line
    assert message in caught.value.message


def test_services_of_one_repository_are_told_apart_by_their_tags(tmp_path: Path) -> None:
    cpu = replace(service("cpu"), images=(Reference.parse("ghcr.io/acme/torch"),), tags=("cpu",))
    gpu = replace(service("gpu"), images=(Reference.parse("ghcr.io/acme/torch"),), tags=("gpu",))
    app = _written(tmp_path, "app", "FROM ghcr.io/acme/torch:gpu\nCOPY --from=ghcr.io/acme/torch / /\n")
    recipe = DockerfileRecipes(Fleet((cpu, gpu, app)))(app, LINUX_AMD64, LINUX_AMD64)
    assert _parents(recipe) == [("ghcr.io/acme/torch:gpu", "gpu")]
    assert [use.text for use in recipe.images] == ["ghcr.io/acme/torch"]


def test_a_cycle_through_real_files_names_their_lines(tmp_path: Path) -> None:
    one = _written(tmp_path, "one", "FROM scratch\n\nCOPY --from=ghcr.io/acme/two / /\n")
    two = _written(tmp_path, "two", "FROM ghcr.io/acme/one\n")
    wanted = fleet(one, two)
    doors = Doors(tuple, lambda _: Published("", (), True), DockerfileRecipes(wanted))
    with pytest.raises(PlanError) as caught:
        make_plan(wanted, Selection(), doors, Options(offline=True))
    places = [Place(related.path, related.line, 0) for related in caught.value.findings[0].related]
    assert places == [Place(str(one.dockerfile), 3, 0), Place(str(two.dockerfile), 1, 0)]


def test_files_are_named_as_seen_from_the_users_folder(tmp_path: Path) -> None:
    app = _written(tmp_path, "app", "FROM debian:12\n")
    other = _written(tmp_path / "else", "other", "ARG X\nFROM $X\n")
    recipes = DockerfileRecipes(fleet(app, other), tmp_path)
    assert recipes(app, LINUX_AMD64, LINUX_AMD64).images[0].place.path == "app/Dockerfile"
    with pytest.raises(DockerfileError, match=r"^else/other/Dockerfile:2: "):
        recipes(other, LINUX_AMD64, LINUX_AMD64)
    away = DockerfileRecipes(fleet(app), tmp_path / "else")
    assert away(app, LINUX_AMD64, LINUX_AMD64).images[0].place.path == str(app.dockerfile)
