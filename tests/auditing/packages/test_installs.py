"""What Dockerfiles install, seen through the shell: options, files, stages, platforms and surroundings."""

from __future__ import annotations

import json

import pytest

from orchestrator.auditing.packages.means import Means
from orchestrator.core.packages import IndexOptions, Pin
from tests.auditing.packages.known import INDEX, LISTS, MIRRORS, Known, files, surveyed, verdicts

PYTHON = "FROM python:3.12-slim-bookworm\n"
LOCK = """[[package]]
name = "app"
source = { editable = "." }
dependencies = [{ name = "tool" }]

[[package]]
name = "tool"
version = "1.0"
source = { registry = "https://index.example/simple" }
wheels = [{ url = "https://f.example/tool-1.0-cp312-cp312-manylinux2014_x86_64.whl", hash = "sha256:00" }]
"""


def asked(dockerfile: str, **context: str) -> list[tuple[tuple[Pin, ...], IndexOptions, str]]:
    index = Known(INDEX.files)
    surveyed(dockerfile, context, Means(index))
    return index.asked


@pytest.mark.parametrize(
    "call",
    [
        "pip install tool==1.0",
        "pip3 install --no-cache-dir -U 'tool==1.0'",
        "python3 -m pip install tool==1.0",
        "/venv/bin/pip3.12 install tool==1.0",
        "uv pip install --system tool==1.0",
        "uv tool install tool==1.0",
        "uv add tool==1.0",
        "pip wheel -w /wheels tool==1.0",
        "sudo -H pip install --target /x tool==1.0",
        "if true; then pip install tool==1.0; fi",
        "set -e; pip install \\\n  --progress-bar off \\\n  tool==1.0",
        "pip install -r /app/requirements.txt",
        "cd /app && pip install -rrequirements.txt",
        "pip install --requirement=/app/requirements.txt",
        "pip install /app",
        "pip install -e /app",
        "cd /app && pip install .",
        "uv pip sync /app/requirements.txt",
    ],
)
def test_ways_to_install(call: str) -> None:
    project = '[project]\nname = "x"\nversion = "1"\ndependencies = ["tool==1.0"]\n'
    text = f"{PYTHON}COPY . /app/\nRUN {call}\n"
    found = asked(text, **{"requirements.txt": "tool==1.0\n", "pyproject.toml": project})
    assert [pins for pins, _, _ in found] == [(Pin("tool", "1.0"),)]


@pytest.mark.parametrize(
    "call",
    ["pip list", "pip uninstall -y tool", "echo pip install tool==1.0", "pip install --no-index -f /w tool==1.0"],
)
def test_what_installs_nothing_from_an_index(call: str) -> None:
    assert not asked(f"{PYTHON}RUN {call}\n")


def test_a_start_command_is_no_installation() -> None:
    assert not asked(f"{PYTHON}CMD pip install tool==1.0\n")


def test_indexes_of_the_call_the_file_and_the_environment() -> None:
    text = f"""{PYTHON}ENV PIP_INDEX_URL=https://env.example/simple
COPY requirements.txt .
RUN pip install --extra-index-url https://call.example -r requirements.txt
RUN pip install -i https://main.example more==1
"""
    found = asked(text, **{"requirements.txt": "--extra-index-url https://file.example\ntool==1.0\n"})
    assert [options for _, options, _ in found] == [
        IndexOptions("https://env.example/simple", ("https://file.example", "https://call.example")),
        IndexOptions("https://main.example"),
    ]


@pytest.mark.parametrize(
    ("head", "call", "python"),
    [
        ("FROM python:3.11-alpine", "pip install tool==1.0", "3.11"),
        ("FROM debian:bookworm", "python3.13 -m pip install tool==1.0", "3.13"),
        ("FROM ubuntu:22.04\nRUN apt-get install -y python3.11-dev", "pip install tool==1.0", "3.11"),
        ("FROM debian:12\nRUN uv python install 3.14", "uv pip install tool==1.0", "3.14"),
        ("FROM debian:12", "uv pip install --python 3.10 tool==1.0", "3.10"),
        ("FROM debian:12\nENV UV_PYTHON=3.9", "uv pip install tool==1.0", "3.9"),
        ("FROM python:3.10 AS first\nFROM first", "pip install tool==1.0", "3.10"),
        ("ARG V=3.11\nFROM python:${V}-slim", "pip install tool==1.0", "3.11"),
    ],
)
def test_python_version(head: str, call: str, python: str) -> None:
    assert [version for _, _, version in asked(f"{head}\nRUN {call}\n")] == [python]


def test_platforms_of_a_branch() -> None:
    text = f"""{PYTHON}ARG TARGETARCH
RUN if [ "$TARGETARCH" = amd64 ]; then pip install only-amd64==1.0; else pip install wheel-on-both==1.0; fi
"""
    report = surveyed(text)
    assert {one.name: [str(each.platform) for each in one.offers] for one in report.packages} == {
        "only-amd64": ["linux/amd64"],
        "wheel-on-both": ["linux/arm64"],
    }
    assert not report.findings


def test_markers_choose_platforms() -> None:
    text = f"{PYTHON}RUN pip install 'only-amd64==1.0 ; platform_machine == \"x86_64\"'\n"
    report = surveyed(text)
    assert verdicts(report) == {"only-amd64 1.0": "built"}
    assert not report.findings


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("uv.lock", "uv sync --frozen --no-dev"),
        ("poetry.lock", "poetry install --only main"),
        ("pylock.toml", "uv pip sync pylock.toml"),
    ],
)
def test_locks_need_no_index(name: str, call: str) -> None:
    text = f"{PYTHON}WORKDIR /app\nCOPY {name} ./\nRUN {call}\n"
    lock = LOCK if name == "uv.lock" else LOCK.replace("wheels", "files").replace("url", "file").split("source")[0]
    if name == "uv.lock":
        report = surveyed(text, {name: lock}, Means())
        assert verdicts(report) == {"tool 1.0": "built none"}
        assert not report.not_checked
        assert (report.packages[0].place.path, report.packages[0].place.line) == ("uv.lock", 7)
    else:
        assert not surveyed(text, {name: "lock-version = '1.0'\n"}, Means()).not_checked


def test_mounted_files() -> None:
    text = f"{PYTHON}RUN --mount=type=bind,source=requirements.txt,target=/tmp/r.txt pip install -r /tmp/r.txt\n"
    assert asked(text, **{"requirements.txt": "tool==1.0\n"})


@pytest.mark.parametrize(
    ("dockerfile", "said"),
    [
        ("RUN pip install -r requirements.txt", "requirements.txt is not in the build context"),
        ("ARG X\nRUN pip install $X", "known only while building"),
        ("COPY . .\nRUN uv sync", "there is no uv.lock in the build context"),
        ("COPY . .\nRUN npm ci", "there is no package-lock.json"),
    ],
)
def test_what_cannot_be_read_is_said(dockerfile: str, said: str) -> None:
    report = surveyed(PYTHON + dockerfile + "\n")
    assert any(said in sentence for sentence in report.not_checked), report.not_checked


def test_an_open_version_without_a_resolver_is_the_newest_that_fits() -> None:
    report = surveyed(f"{PYTHON}RUN pip install 'wheel-on-both>=0.5'\n")
    assert verdicts(report) == {"wheel-on-both 1.0": "built built"}


def test_no_release_at_all() -> None:
    report = surveyed(f"{PYTHON}RUN pip install nothing==1 wheel-on-both==9\n")
    assert verdicts(report) == {"nothing 1": "none none", "wheel-on-both 9": "none none"}
    assert [finding.rule for finding in report.findings] == ["MA412", "MA412"]


def test_debian_names() -> None:
    text = "FROM debian:bookworm\nRUN apt-get update && apt-get -qq install -y --no-x on-both=1.* only-amd64\n"
    report = surveyed(text)
    assert verdicts(report) == {"on-both": "built built", "only-amd64": "built none"}
    assert report.packages[1].offers[1].reason == "debian bookworm has it for linux/amd64 only"


def test_a_name_that_no_list_has_is_not_judged() -> None:
    text = "FROM debian:bookworm\nRUN echo x > /etc/apt/sources.list.d/x.list\nRUN apt-get install -y docker-ce\n"
    report = surveyed(text)
    assert verdicts(report) == {"docker-ce": "unknown unknown"}
    assert report.not_checked == ("docker-ce: it is not in debian bookworm, maybe in what the image adds",)


def test_another_distribution_has_no_mirror_here() -> None:
    report = surveyed("FROM ubuntu:24.04\nRUN apt-get install -y curl\n")
    assert "nothing names a mirror" in report.not_checked[0]


def test_a_mirror_without_the_architecture() -> None:
    lists = type(LISTS)({"amd64": ("curl",)})
    report = surveyed(
        "FROM debian:bookworm\nRUN apt-get install curl\n", None, Means(INDEX, repositories=lists, mirrors=MIRRORS)
    )
    assert verdicts(report) == {"curl": "built unknown"}
    assert report.not_checked


def test_npm_fields() -> None:
    packages = {
        "": {},
        "node_modules/plain": {"version": "1.0.0"},
        "node_modules/bound": {"version": "2.0.0", "cpu": ["x64"]},
        "node_modules/not-arm": {"version": "2.0.0", "cpu": ["!arm64"]},
        "node_modules/mac-only": {"version": "2.0.0", "os": ["darwin"], "optional": True},
        "node_modules/script": {"version": "3.0.0", "hasInstallScript": True},
    }
    lock = json.dumps({"lockfileVersion": 3, "packages": packages}, indent=2)
    text = "FROM node:22-bookworm\nCOPY package*.json /app/\nRUN cd /app && npm ci --omit=dev\n"
    report = surveyed(text, {"package-lock.json": lock})
    assert verdicts(report) == {
        "plain 1.0.0": "built built",
        "bound 2.0.0": "built none",
        "not-arm 2.0.0": "built none",
        "script 3.0.0": "source source",
    }
    assert [finding.line for finding in report.findings] == [8, 14]


def test_npm_libc() -> None:
    parts = {
        f"@t/linux-{cpu}-{libc}": (cpu, libc)
        for cpu in ("x64", "arm64")
        for libc in ("glibc", "musl")
        if (cpu, libc) != ("arm64", "musl")
    }
    packages = {
        "node_modules/t": {"version": "1", "optionalDependencies": dict.fromkeys(parts, "1")},
        **{
            f"node_modules/{name}": {"version": "1", "optional": True, "os": ["linux"], "cpu": [cpu], "libc": [libc]}
            for name, (cpu, libc) in parts.items()
        },
    }
    lock = json.dumps({"packages": packages})
    for image, expected in (("node:22-bookworm", "built built"), ("node:22-alpine", "built none")):
        report = surveyed(f"FROM {image}\nCOPY package-lock.json .\nRUN npm ci\n", {"package-lock.json": lock})
        assert verdicts(report) == {"t 1": expected}


def test_an_address_is_built_on_every_platform() -> None:
    report = surveyed(f"{PYTHON}RUN pip install 'tool @ git+https://token@x.example/tool.git'\n")
    assert verdicts(report) == {"tool": "source source"}
    assert "token" not in str(report.not_checked)


def test_a_version_takes_builds_with_a_local_part() -> None:
    cuda = ("torch-2.3.0+cu121-cp312-cp312-linux_x86_64.whl",)
    index = Known({"torch": files(*cuda, "torch-2.3.1-cp312-cp312-manylinux2014_aarch64.whl")})
    text = f"{PYTHON}RUN pip install --no-deps torch==2.3.0 --index-url https://wheels.example/whl/cu121\n"
    report = surveyed(text, None, Means(index))
    assert verdicts(report) == {"torch 2.3.0": "built none"}
    assert [(one.rule, "CUDA" in one.message) for one in report.findings] == [("MA415", True)]
    index = Known({"torch": files(*cuda, "torch-2.3.0-cp312-cp312-manylinux2014_aarch64.whl")})
    assert verdicts(surveyed(text, None, Means(index))) == {"torch 2.3.0": "built built"}
    text = text.replace("2.3.0", "2.3.0+cu121")
    assert verdicts(surveyed(text, None, Means(index))) == {"torch 2.3.0+cu121": "built none"}
