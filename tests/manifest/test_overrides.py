"""Values from the command line in the place of those in manifests."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.errors import ManifestError, UsageError
from orchestrator.core.fleet import Fleet
from orchestrator.manifest.load import load

MANIFEST = """\
version: 1
registry: ghcr.io/acme
services:
  api:
    image: api
    context: .
    args: {VERSION: "1", KEEP: this}
  web: {image: web, context: .}
"""


def fleet(folder: Path, *overrides: str) -> Fleet:
    (folder / "mabuild.yaml").write_text(MANIFEST)
    (folder / "Dockerfile").write_text("FROM scratch\n")
    return load((), environment={}, directory=folder, overrides=overrides)


def test_a_value_takes_the_place_of_the_written_one(tmp_path: Path) -> None:
    found = fleet(tmp_path, "api.args.VERSION=2.10", "api.tags=[a, b]", "web.args.NEW=x=y")
    assert dict(found.service("api").args) == {"VERSION": "2.10", "KEEP": "this"}
    assert found.service("api").tags == ("a", "b")
    assert dict(found.service("web").args) == {"NEW": "x=y"}


def test_a_value_that_is_no_yaml_is_a_text(tmp_path: Path) -> None:
    assert dict(fleet(tmp_path, "api.args.VERSION=[").service("api").args)["VERSION"] == "["


@pytest.mark.parametrize("text", ["", "api", "api.tags", ".tags=1", "api.=1", "=x", "api..x=1"])
def test_what_names_no_value(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        fleet(tmp_path, text)
    assert "--set SERVICE.KEY=VALUE" in caught.value.hint


def test_an_unknown_service_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no service 'apo'") as caught:
        fleet(tmp_path, "apo.tags=x")
    assert caught.value.hint == "did you mean api?"


def test_a_wrong_value_is_a_mistake_at_the_service(tmp_path: Path) -> None:
    with pytest.raises(ManifestError) as caught:
        fleet(tmp_path, "api.platforms=[linux/itanium9]")
    assert "linux/itanium9" in caught.value.findings[0].message
    assert caught.value.findings[0].line == 5
