"""Files of others hold anything: every reader gives an answer or its own error, never another one."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.auditing.packages.bases import environment_of
from orchestrator.auditing.packages.locks import LockError, read_lock
from orchestrator.auditing.packages.node_lock import read_node_lock
from orchestrator.auditing.packages.releases import tags_of, version_of
from orchestrator.auditing.packages.repositories import apk_repositories, apt_sources, for_release
from orchestrator.auditing.packages.requirements_file import read_requirements
from orchestrator.auditing.packages.uv_lock import Selection, reachable
from tests.auditing.packages.known import surveyed

PIECES = (
    "tool==1.0", " ; ", "--hash=sha256:", "\\\n", "#", "-r ", "-c x", "[", "]", "@", "\n", "'", '"', "==", ">=", "\x00",
    "https://[", "{", "}", "[[package]]\n", 'name = "a"\n', "version = 1\n", "dependencies = [1]\n", "=", "deb ", ":",
    "http://x y main", "\U0001f600", " ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(TEXTS)
def test_readers(text: str) -> None:
    read_requirements("r.txt", {"r.txt": text, "x": text}.get)
    for_release((*apt_sources(text), *apk_repositories(text)), "trixie")
    environment_of(text)
    tags_of(text)
    version_of(text, "tool")
    for name in ("uv.lock", "poetry.lock", "Pipfile.lock", "pylock.toml", "pyproject.toml"):
        with suppress(LockError):
            read_lock(name, text)
    with suppress(LockError):
        reachable(text, Selection(), lambda _: True)


@given(st.dictionaries(st.sampled_from(["", "node_modules/a", "node_modules/a/node_modules/b"]), JSON, max_size=3))
def test_node_locks(packages: dict[str, object]) -> None:
    import json

    lock = json.dumps({"packages": packages})
    with suppress(ValueError):
        read_node_lock(lock)
    surveyed("FROM node:22\nCOPY package-lock.json .\nRUN npm ci\n", {"package-lock.json": lock})


@given(
    st.lists(
        st.sampled_from(
            ("pip", "install", "-r", "uv", "sync", "npm", "ci", "apt-get", "-t", "--prefix", "x", "$Y", "'a b'")
        ),
        max_size=6,
    )
)
def test_calls(words: list[str]) -> None:
    surveyed(f"FROM python:3.12\nCOPY . .\nRUN {' '.join(words) or 'true'}\n", {"x": "a==1"})
