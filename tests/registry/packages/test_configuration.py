"""Where pip and uv are told about indexes; the order is pip's and uv's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.registry.packages.configuration import IndexConfiguration, configured_indexes
from tests.commands.calling import write

HOME = "home/me"


def configured(root: Path, files: dict[str, str], **environment: str) -> IndexConfiguration:
    write(root, files)
    return configured_indexes({"HOME": str(root / HOME), **environment}, root)


def test_nothing_is_set_up(tmp_path: Path) -> None:
    assert configured(tmp_path, {}) == IndexConfiguration()


def test_pip_files_from_general_to_particular_then_the_environment(tmp_path: Path) -> None:
    files = {
        "etc/pip.conf": "[global]\nindex-url = https://everybody.example/simple\ncert = /ca.pem\n",
        f"{HOME}/.config/pip/pip.conf": "[global]\nindex_url = https://me.example/simple\n"
        "extra-index-url =\n  https://a.example/simple\n  https://b.example/simple\n",
    }
    found = configured(tmp_path, files)
    assert found.index == "https://me.example/simple"
    assert found.extra == ("https://a.example/simple", "https://b.example/simple")
    assert found.certificates == "/ca.pem"
    environment = {"PIP_INDEX_URL": "https://env.example/simple", "PIP_TRUSTED_HOST": "env.example"}
    assert configured(tmp_path, {}, **environment).index == "https://env.example/simple"
    assert configured(tmp_path, {}, **environment).trusted == {"env.example"}
    assert configured(tmp_path, {}, PIP_CONFIG_FILE="/dev/null").index == ""


def test_section_of_the_command_wins_over_global(tmp_path: Path) -> None:
    text = "[install]\nindex-url = https://install.example/\n[global]\nindex-url = https://global.example/\n"
    assert configured(tmp_path, {"etc/pip.conf": text}).index == "https://install.example/"


def test_uv_file(tmp_path: Path) -> None:
    text = """
[[index]]
name = "corp"
url = "https://corp.example/simple"
default = true
[[index]]
url = "https://more.example/simple"
[[index]]
name = "pytorch"
url = "https://only-when-named.example/simple"
explicit = true
"""
    found = configured(
        tmp_path, {f"{HOME}/.config/uv/uv.toml": text}, UV_INDEX_CORP_USERNAME="me", UV_INDEX_CORP_PASSWORD="p@ss"
    )
    assert found.index == "https://me:p%40ss@corp.example/simple"
    assert found.extra == ("https://more.example/simple",)


@pytest.mark.parametrize("name", ["UV_DEFAULT_INDEX", "UV_INDEX_URL"])
def test_uv_environment(tmp_path: Path, name: str) -> None:
    found = configured(
        tmp_path, {}, **{name: "https://uv.example/simple", "UV_INDEX": "x=https://x.example https://y.example"}
    )
    assert found.index == "https://uv.example/simple"
    assert found.extra == ("https://x.example", "https://y.example")


def test_broken_files_are_as_if_they_were_not_there(tmp_path: Path) -> None:
    files = {"etc/pip.conf": "no section\n", f"{HOME}/.config/uv/uv.toml": "[[["}
    assert configured(tmp_path, files) == IndexConfiguration()
