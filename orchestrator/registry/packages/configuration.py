"""Which Python indexes the user has set up, for pip (environment, pip.conf) and for uv (environment, uv.toml)."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.registry.packages.logins import with_login

_LARGEST = 1024 * 1024


@dataclass(frozen=True, slots=True)
class IndexConfiguration:
    """`index` is empty where nothing names one; `trusted` are host names whose certificates are not checked."""

    index: str = ""
    extra: tuple[str, ...] = ()
    certificates: str = ""
    trusted: frozenset[str] = frozenset()


def configured_indexes(environment: Mapping[str, str], root: Path = Path("/")) -> IndexConfiguration:
    """What pip's and uv's configuration say together; pip's index wins where both name one. `root` is for tests."""
    pip = _pip_values(environment, root)
    uv_index, uv_extra = _uv_indexes(environment, root)
    return IndexConfiguration(
        pip.get("index-url", "") or uv_index,
        tuple(dict.fromkeys((*pip.get("extra-index-url", "").split(), *uv_extra))),
        pip.get("cert", "") or environment.get("REQUESTS_CA_BUNDLE", "") or environment.get("SSL_CERT_FILE", ""),
        frozenset(pip.get("trusted-host", "").split()),
    )


def _pip_values(environment: Mapping[str, str], root: Path) -> dict[str, str]:
    """pip's options: files from general to particular, then the environment, as `pip config list` orders them."""
    values: dict[str, str] = {}
    for path in _pip_files(environment, root):
        values |= _read_ini(path)
    for name in ("index-url", "extra-index-url", "cert", "trusted-host"):
        value = environment.get(f"PIP_{name.upper().replace('-', '_')}", "")
        if value:
            values[name] = value
    return values


def _pip_files(environment: Mapping[str, str], root: Path) -> Iterator[Path]:
    named = environment.get("PIP_CONFIG_FILE", "")
    if named == "/dev/null":
        return
    home = Path(environment.get("HOME") or "/nonexistent")
    settings = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    for folder in reversed((environment.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")):
        yield root / folder.lstrip("/") / "pip" / "pip.conf"
    yield root / "etc" / "pip.conf"
    yield home / ".pip" / "pip.conf"
    yield settings / "pip" / "pip.conf"
    if environment.get("VIRTUAL_ENV"):
        yield Path(environment["VIRTUAL_ENV"]) / "pip.conf"
    if named:
        yield Path(named)


def _read_ini(path: Path) -> dict[str, str]:
    text = _text(path)
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    found: dict[str, str] = {}
    for section in ("global", "install", "download"):
        found |= {key.replace("_", "-"): value for key, value in parser.items(section)} if section in parser else {}
    return found


def _uv_indexes(environment: Mapping[str, str], root: Path) -> tuple[str, list[str]]:
    """uv's default index, and its others in order."""
    default, extra = environment.get("UV_DEFAULT_INDEX") or environment.get("UV_INDEX_URL") or "", list[str]()
    for text in (*environment.get("UV_INDEX", "").split(), *environment.get("UV_EXTRA_INDEX_URL", "").split()):
        name, separator, url = text.partition("=")
        is_named = bool(separator) and "://" not in name
        extra.append(_logged_in(url, name, environment) if is_named else text)
    for document in _uv_documents(environment, root):
        listed = document.get("index", [])
        for entry in listed if isinstance(listed, list) else []:
            url = _logged_in(str(entry.get("url", "")), str(entry.get("name", "")), environment)
            if entry.get("default"):
                default = default or url
            elif url and not entry.get("explicit"):
                extra.append(url)
        default = default or str(document.get("index-url", ""))
        extra += [str(one) for one in document.get("extra-index-url", [])]
    _, separator, url = default.partition("=")
    return (url if separator and "://" not in default.partition("=")[0] else default), extra


def _uv_documents(environment: Mapping[str, str], root: Path) -> Iterator[dict[str, Any]]:
    home = Path(environment.get("HOME") or "/nonexistent")
    settings = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    named = environment.get("UV_CONFIG_FILE", "")
    for path in [Path(named)] if named else [settings / "uv" / "uv.toml", root / "etc" / "uv" / "uv.toml"]:
        try:
            document = tomllib.loads(_text(path))
        except tomllib.TOMLDecodeError:
            continue
        yield {**document.get("pip", {}), **document}


def _logged_in(url: str, name: str, environment: Mapping[str, str]) -> str:
    """uv gives the login of a named index in variables that hold its name."""
    key = name.upper().replace("-", "_").replace(".", "_")
    user = environment.get(f"UV_INDEX_{key}_USERNAME", "")
    return with_login(url, user, environment.get(f"UV_INDEX_{key}_PASSWORD", "")) if name else url


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") if path.is_file() and path.stat().st_size <= _LARGEST else ""
    except (OSError, UnicodeDecodeError):
        return ""
