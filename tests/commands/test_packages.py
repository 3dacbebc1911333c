"""`mabuild packages` and `audit --packages` over a local index: verdicts, findings, formats and exit codes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import jsonschema
import pytest

from tests.commands.calling import Called, call, write
from tests.faults.package_index import PackageIndex, alpine_list, debian_list

AMD, ARM = "manylinux_2_17_x86_64.manylinux2014_x86_64", "manylinux_2_17_aarch64.manylinux2014_aarch64"
SCHEMA = json.loads(Path("schema/packages.schema.json").read_text(encoding="utf-8"))
FILES = {
    "api/Dockerfile": "FROM python:3.12-slim-bookworm\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n",
    "api/requirements.txt": "both==1.0\nslow==1.0\ngone==1.0 ; platform_machine == 'x86_64'\n",
    "mabuild.yaml": "version: 1\nregistry: r.example\nservices: {api: {image: api, context: api}}\n",
}


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    with PackageIndex() as index:
        index.add("both", f"both-1.0-cp39-abi3-{AMD}.whl", f"both-1.0-cp39-abi3-{ARM}.whl")
        index.add("slow", f"slow-1.0-cp312-cp312-{AMD}.whl", "slow-1.0.tar.gz")
        index.add("slow", f"slow-1.1-cp312-cp312-{AMD}.whl", f"slow-1.1-cp312-cp312-{ARM}.whl", yanked=True)
        index.add("slow", f"slow-1.2-cp312-cp312-{AMD}.whl", f"slow-1.2-cp312-cp312-{ARM}.whl")
        index.add("gone", f"gone-1.0-cp312-cp312-{AMD}.whl")
        yield index


def packages(folder: Path, index: PackageIndex, *arguments: str, **environment: str) -> Called:
    own = {
        "MABUILD_CACHE": str(folder / ".cache"),
        "UV_CACHE_DIR": str(folder / ".uv"),
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": index.url,
    }
    command = arguments if arguments[:1] in {("audit",), ("plan",)} else ("packages", *arguments)
    return call(folder, *command, environment={**own, **environment})


def test_a_fleet(tmp_path: Path, index: PackageIndex) -> None:
    called = packages(write(tmp_path, FILES), index, "--format", "json")
    document = json.loads(called.out)
    jsonschema.validate(document, SCHEMA)
    assert {
        one["name"]: {name: each["verdict"] for name, each in one["platforms"].items()} for one in document["packages"]
    } == {
        "both": {"linux/amd64": "built", "linux/arm64": "built"},
        "slow": {"linux/amd64": "built", "linux/arm64": "source"},
        "gone": {"linux/amd64": "built"},
    }
    assert {(one["service"], one["path"]) for one in document["packages"]} == {("api", "api/requirements.txt")}
    (finding,) = document["findings"]
    assert (finding["rule"], finding["severity"], finding["path"], finding["line"], finding["platform"]) == (
        "MA411", "warning", "api/requirements.txt", 2, "linux/arm64",
    )  # fmt: skip
    assert called.code == 0
    assert packages(tmp_path, index, "--fail-on", "warning").code == 1


def test_the_fix_is_the_next_version_with_all_wheels(tmp_path: Path, index: PackageIndex) -> None:
    called = packages(write(tmp_path, FILES), index, "--format", "json")
    fix = json.loads(called.out)["findings"][0]["fix"]
    assert (fix["safe"], fix["edits"]) == (
        False,
        [{"line": 2, "column": 7, "end_line": 2, "end_column": 10, "text": "1.2"}],
    )


def test_an_error_is_exit_1(tmp_path: Path, index: PackageIndex) -> None:
    files = {"Dockerfile": "FROM python:3.12-slim-bookworm\nRUN pip install gone==1.0\n"}
    called = packages(write(tmp_path, files), index, "Dockerfile")
    assert called.code == 1
    assert "Dockerfile:2:17: error MA412 no-distribution-for-platform" in called.out


def test_offline_says_what_it_did_not_check(tmp_path: Path, index: PackageIndex) -> None:
    called = packages(write(tmp_path, FILES), index, "--offline")
    assert called.code == 5
    assert "not checked: both, slow, gone: no index was asked" in called.out
    assert not index.seen


@pytest.mark.parametrize("status", [500, 401])
def test_a_dead_index_is_never_clean(tmp_path: Path, index: PackageIndex, status: int) -> None:
    index.status = status
    called = packages(write(tmp_path, FILES), index)
    assert called.code == 5
    assert str(status) in called.out
    assert packages(tmp_path, index, "audit", "--packages").code == 5


def test_a_login_in_the_environment_is_used_and_never_shown(tmp_path: Path, index: PackageIndex) -> None:
    index.login = ("robot", "s3cret")
    called = packages(write(tmp_path, FILES), index, "-v", PIP_INDEX_URL=index.url_with_login)
    assert called.code == 0
    index.login = ("robot", "changed")
    refused = packages(
        tmp_path,
        index,
        PIP_INDEX_URL=index.url_with_login.replace("changed", "s3cret"),
        MABUILD_CACHE=str(tmp_path / "2"),
    )
    assert refused.code == 5
    assert "s3cret" not in called.out + called.err + refused.out + refused.err


def test_the_table(tmp_path: Path, index: PackageIndex) -> None:
    write(tmp_path, FILES)
    lines = packages(tmp_path, index, "-v", "--sort", "verdict").out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("package"))
    rows = [line.split() for line in lines[start:]]
    assert rows[0] == ["package", "version", "where", "linux/amd64", "linux/arm64"]
    assert [row[0] for row in rows[1:4]] == ["slow", "both", "gone"]
    assert rows[3][-2:] == ["built", "-"]
    assert lines[-1] == "3 packages: 2 built for all platforms"
    assert "both" not in packages(tmp_path, index).out.replace("both-", "")


@pytest.mark.parametrize(
    ("name", "sign"),
    [("markdown", "| `slow` | 1.0 |"), ("sarif", '"MA411"'), ("github", "::warning"), ("junit", "MA411")],
)
def test_formats(tmp_path: Path, index: PackageIndex, name: str, sign: str) -> None:
    assert sign in packages(write(tmp_path, FILES), index, "--format", name).out


def test_audit_with_packages(tmp_path: Path, index: PackageIndex) -> None:
    write(tmp_path, FILES)
    called = packages(tmp_path, index, "audit", "--packages", "--format", "json")
    assert [one["rule"] for one in json.loads(called.out)["findings"]] == ["MA411"]
    assert not json.loads(packages(tmp_path, index, "audit", "--format", "json").out)["findings"]
    assert packages(tmp_path, index, "audit", "--packages", "--select", "MA412").code == 0
    assert "MA415" in packages(tmp_path, index, "audit", "--list-rules").out
    assert "platform_machine" in packages(tmp_path, index, "audit", "--explain", "ma412").out


def test_mirrors_that_the_dockerfile_names(tmp_path: Path, index: PackageIndex) -> None:
    for architecture, names in (("amd64", ("curl", "only-amd64")), ("arm64", ("curl",))):
        stanzas = [{"Package": name, "Version": "1", "Architecture": architecture} for name in names]
        index.static[f"/ubuntu/dists/noble/main/binary-{architecture}/Packages.gz"] = debian_list(*stanzas)
    for architecture, names in (("x86_64", ("git", "mkl")), ("aarch64", ("git",))):
        index.static[f"/alpine/v3.20/main/{architecture}/APKINDEX.tar.gz"] = alpine_list(
            *[{"P": name, "V": "1"} for name in names]
        )
    files = {
        "a.Dockerfile": f"""FROM ubuntu:24.04
RUN echo "deb [signed-by=/k.gpg] {index.root}/ubuntu noble main" > /etc/apt/sources.list \\
 && apt-get update && apt-get install -y curl only-amd64
""",
        "b.Dockerfile": f"FROM alpine:3.20\nRUN apk add -q --repository {index.root}/alpine/v3.20/main git mkl\n",
    }
    called = packages(write(tmp_path, files), index, ".", "--format", "json")
    found = {(one["path"], one["line"], one["rule"]) for one in json.loads(called.out)["findings"]}
    assert found == {("a.Dockerfile", 3, "MA413"), ("b.Dockerfile", 2, "MA413")}
    assert json.loads(called.out)["not_checked"] == []


def test_a_file_that_cannot_be_parsed_is_exit_2(tmp_path: Path, index: PackageIndex) -> None:
    called = packages(write(tmp_path, {"Dockerfile": "FRUM x\n"}), index, "Dockerfile", "--format", "json")
    assert called.code == 2
    assert json.loads(called.out)["failed"]


def test_three_hundred_pins_ask_one_page_each_and_none_when_warm(tmp_path: Path, index: PackageIndex) -> None:
    for number in range(300):
        for release in range(40):
            name = f"pkg{number}-{release}.0"
            wheels = [f"{name}-cp3{minor}-cp3{minor}-{tag}.whl" for minor in (11, 12, 13) for tag in (AMD, ARM)]
            index.add(f"pkg{number}", f"{name}.tar.gz", *wheels)
    files = {**FILES, "api/requirements.txt": "".join(f"pkg{number}==20.0\n" for number in range(300))}
    write(tmp_path, files)
    started = time.monotonic()
    assert packages(tmp_path, index).code == 0
    cold = time.monotonic() - started
    assert len(index.seen) == 300
    assert packages(tmp_path, index).code == 0
    warm = time.monotonic() - started - cold
    assert len(index.seen) == 300
    assert (cold < 30, warm < 5) == (True, True), (cold, warm)
    print(f"300 pins on 2 platforms: {cold:.1f} s cold, {warm:.1f} s warm")  # noqa: T201


def test_plan_with_packages(tmp_path: Path, index: PackageIndex) -> None:
    called = packages(write(tmp_path, FILES), index, "plan", "--packages", "--offline", "--format", "json")
    assert called.code == 0, called.err
    assert "not checked: both, slow, gone: no index was asked" in called.err
    environment = {
        "MABUILD_CACHE": str(tmp_path / ".cache"),
        "PIP_INDEX_URL": index.url,
        "PIP_CONFIG_FILE": "/dev/null",
    }
    from orchestrator.auditing.packages.rules import PACKAGE_RULES
    from orchestrator.commands.doors import load_fleet
    from orchestrator.commands.package_doors import package_means
    from orchestrator.commands.session import Session
    from orchestrator.commands.surveying_packages import survey_services

    here = Session(environment, tmp_path, StringIO(), StringIO())
    with package_means(here, offline=False) as means:
        found = survey_services(load_fleet(here, None).services, means, tmp_path, PACKAGE_RULES)
    assert [(one.rule, one.path, one.line) for one in found.report.findings] == [("MA411", "api/requirements.txt", 2)]
