"""Lock files of uv, poetry, pipenv and pylock, and pyproject.toml."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from orchestrator.auditing.packages.locks import LockError, is_lock, read_lock
from orchestrator.auditing.packages.uv_lock import reachable, selection_of
from orchestrator.core.packages import ReleaseFile

SUM = "b" * 64
UV = f"""version = 1
requires-python = ">=3.12"

[[package]]
name = "app"
version = "0.1"
source = {{ editable = "." }}
dependencies = [{{ name = "tool" }}, {{ name = "gpu", marker = "platform_machine == 'x86_64'" }}]

[[package]]
name = "tool"
version = "1.0"
source = {{ registry = "https://index.example/simple" }}
sdist = {{ url = "https://files.example/tool-1.0.tar.gz", hash = "sha256:{SUM}", size = 1 }}
wheels = [
    {{ url = "https://files.example/tool-1.0%2Bcpu-py3-none-any.whl", hash = "sha256:{SUM}" }},
]

[[package]]
name = "gpu"
version = "2.0"
source = {{ registry = "https://index.example/simple" }}
wheels = [{{ url = "https://files.example/gpu-2.0-py3-none-manylinux2014_x86_64.whl", hash = "sha256:{SUM}" }}]
"""
POETRY = f"""[[package]]
name = "Tool"
version = "1.0"
markers = "sys_platform == 'linux'"
files = [
    {{file = "tool-1.0-py3-none-any.whl", hash = "sha256:{SUM}"}},
]

[[package]]
name = "ours"
version = "1.0"
files = []
[package.source]
type = "git"
url = "https://x.example/ours.git"
"""
PYLOCK = f"""lock-version = "1.0"
[[packages]]
name = "tool"
version = "1.0"
marker = "python_version < '4'"
wheels = [{{ name = "tool-1.0-py3-none-any.whl", url = "https://files.example/x", hashes = {{ sha256 = "{SUM}" }} }}]
[[packages]]
name = "local"
directory = {{ path = "." }}
"""
PIPENV = json.dumps(
    {
        "default": {
            "tool": {"version": "==1.0", "hashes": [f"sha256:{SUM}"], "markers": "os_name == 'posix'"},
            "x": {"git": "y"},
        }
    },
    indent=4,
)
WHEEL = ReleaseFile("tool-1.0-py3-none-any.whl", SUM)


def test_uv() -> None:
    tool, gpu = read_lock("uv.lock", UV)
    assert (tool.name, tool.specifier, tool.place.line) == ("tool", "==1.0", 11)
    assert tool.files == (ReleaseFile("tool-1.0+cpu-py3-none-any.whl", SUM), ReleaseFile("tool-1.0.tar.gz", SUM))
    assert gpu.name == "gpu"
    assert tool.is_locked


@pytest.mark.parametrize(
    ("name", "text", "line", "marker"),
    [
        ("poetry.lock", POETRY, 2, "sys_platform == 'linux'"),
        ("pylock.toml", PYLOCK, 3, "python_version < '4'"),
        ("pylock.prod.toml", PYLOCK, 3, "python_version < '4'"),
    ],
)
def test_locks_that_name_files(name: str, text: str, line: int, marker: str) -> None:
    (found,) = read_lock(name, text)
    assert (found.name, found.specifier, found.marker, found.place.line) == ("tool", "==1.0", marker, line)
    assert found.files == (WHEEL,)


def test_pipenv_names_hashes_only() -> None:
    (found,) = read_lock("Pipfile.lock", PIPENV)
    assert (found.name, found.hashes, found.is_locked, found.place.line) == ("tool", frozenset({SUM}), False, 3)


def test_project() -> None:
    text = '[project]\nname = "app"\ndependencies = [\n  "tool==1.0",\n  "more>2; python_version < \'3\'",\n]\n'
    tool, more = read_lock("pyproject.toml", text)
    assert (tool.place.line, more.place.line, more.marker) == (4, 5, 'python_version < "3"')


@pytest.mark.parametrize("name", ["uv.lock", "poetry.lock", "Pipfile.lock", "pylock.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    "text", ["{", "[[package]]\nx = 1\n[[packages]]\nversion = 1", '{"default": 1}', "package = 1"]
)
def test_broken_files(name: str, text: str) -> None:
    with suppress(LockError):
        assert not read_lock(name, text)


def test_names() -> None:
    assert all(map(is_lock, ("uv.lock", "poetry.lock", "Pipfile.lock", "pylock.toml", "pylock.dev.toml")))
    assert not any(map(is_lock, ("Cargo.lock", "pyproject.toml", "requirements.txt", "pylock.a.b.toml")))


UV_GRAPH = """
[[package]]
name = "app"
version = "0"
source = { editable = "." }
dependencies = [{ name = "torch" }, { name = "web", extra = ["fast"] }]
[package.optional-dependencies]
docs = [{ name = "sphinx" }]
[package.dev-dependencies]
dev = [{ name = "pytest" }]
lint = [{ name = "ruff" }]
[[package]]
name = "torch"
version = "2"
dependencies = [{ name = "cudnn", marker = "platform_machine == 'x86_64'" }, { name = "torch" }]
[[package]]
name = "cudnn"
version = "9"
dependencies = [{ name = "cublas" }]
[[package]]
name = "cublas"
version = "12"
[[package]]
name = "web"
version = "1"
[package.optional-dependencies]
fast = [{ name = "uvloop", version = "2" }]
slow = [{ name = "nothing" }]
[[package]]
name = "uvloop"
version = "1"
[[package]]
name = "uvloop"
version = "2"
[[package]]
name = "sphinx"
version = "1"
[[package]]
name = "pytest"
version = "1"
[[package]]
name = "ruff"
version = "1"
"""


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("sync", "cublas cudnn pytest torch uvloop web"),
        ("sync --no-dev", "cublas cudnn torch uvloop web"),
        ("sync --no-group dev --extra docs", "cublas cudnn sphinx torch uvloop web"),
        ("sync --only-group=lint", "ruff"),
        ("sync --only-dev", "pytest"),
        ("sync --all-groups --all-extras", "cublas cudnn pytest ruff sphinx torch uvloop web"),
    ],
)
def test_what_uv_installs_of_a_lock(words: str, names: str) -> None:
    found = reachable(UV_GRAPH, selection_of(words.split()), lambda _: True)
    assert " ".join(sorted(name for name, _ in found)) == names
    assert ("uvloop", "1") not in found


def test_what_only_excluded_packages_need_is_excluded_too() -> None:
    found = reachable(UV_GRAPH, selection_of(["sync", "--no-dev"]), lambda marker: not marker)
    assert {name for name, _ in found} == {"torch", "web", "uvloop"}
