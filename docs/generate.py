"""Writes the pages that are made of the code: rules, checks, commands, the manifest. `make docs` runs it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from typer._click import Context
from typer.main import get_command

from orchestrator.auditing.packages.rules import PACKAGE_RULES
from orchestrator.auditing.rules import RULES
from orchestrator.cli import app
from orchestrator.commands import COMMANDS
from orchestrator.core.finding import RuleInfo
from orchestrator.manifest.schema import schema
from orchestrator.verifying.checks import CHECKS

DOCS = Path(__file__).parent
_WIDTH = 100
_NOTE = "<!-- Made by `make docs` from the code; edit that. -->\n"
_FAMILIES = {
    "MA1": "Stages",
    "MA2": "Arguments and variables",
    "MA3": "Downloads and files",
    "MA4": "Packages",
    "MA5": "Compilers",
    "MA6": "Paths",
    "MV1": "The list",
    "MV2": "Storage",
    "MV3": "Platforms",
    "MV4": "Content",
    "MV5": "Attestations",
    "MV6": "Parity",
    "MV7": "Running",
    "MV8": "Tags",
}


def pages() -> dict[Path, str]:
    """Every page that is made, with its text."""
    made: dict[str, Callable[[], str]] = {
        "rules.md": rules_page,
        "checks.md": checks_page,
        "reference/commands.md": commands_page,
        "reference/manifest.md": manifest_page,
    }
    return {DOCS / name: page() for name, page in made.items()}


def rules_page() -> str:
    """What `mabuild audit` finds."""
    intro = (
        "What `mabuild audit` finds. `mabuild audit --explain MA101` shows the same; a line "
        "`# mabuild: ignore[MA101] reason` above an instruction hides a finding.\n"
    )
    return f"# Audit rules\n\n{_NOTE}\n{intro}" + _by_family([rule.info for rule in (*RULES, *PACKAGE_RULES)])


def checks_page() -> str:
    """What `mabuild verify` checks."""
    intro = "What `mabuild verify` checks. How deep it looks is its level: meta, exist, entrypoint or full.\n"
    return f"# Verification checks\n\n{_NOTE}\n{intro}" + _by_family([check.info for check in CHECKS])


def _by_family(infos: list[RuleInfo]) -> str:
    lines: list[str] = []
    family = ""
    for info in sorted(infos, key=lambda one: one.id):
        if info.id[:3] != family:
            family = info.id[:3]
            lines += ["", f"## {_FAMILIES[family]}"]
        lines += ["", *_rule(info)]
    return "\n".join(lines) + "\n"


def _rule(info: RuleInfo) -> Iterator[str]:
    yield f"### {info.id} {info.name}"
    yield ""
    yield f"*{info.severity}.* {info.summary}"
    if info.help:
        yield ""
        yield info.help.strip()
    for title, example in (("Found", info.bad), ("Not found", info.good)):
        if example:
            yield from ("", f"{title}:", "", "```dockerfile", example.strip("\n"), "```")


def commands_page() -> str:
    """The help of every command."""
    group = get_command(app)
    root = Context(group, info_name="mabuild", terminal_width=_WIDTH)
    lines = ["# Commands", "", _NOTE]
    lines += ["`mabuild --help` and `mabuild COMMAND --help` show the same.", ""]
    for name, sentence in COMMANDS.items():
        command = group.get_command(root, name)  # type: ignore[attr-defined]
        context = Context(command, info_name=name, parent=root, terminal_width=_WIDTH)
        lines += [f"## {name}", "", sentence, "", "```text", command.get_help(context).rstrip(), "```", ""]
    return "\n".join(lines)


def manifest_page() -> str:
    """Every key of a manifest."""
    found = schema()
    lines = ["# Manifest", "", _NOTE]
    lines += [
        "A fleet is one file (`mabuild.yaml`) or a folder of files (`manifests/`). Paths are relative to the file that",
        "names them. `${VAR}`, `${VAR:-default}` and `${VAR:?message}` are filled in from the environment; `GIT_SHA`,",
        "`GIT_SHORT_SHA`, `GIT_BRANCH` and `GIT_TAG` are there without being set. Keys that begin with `x-` are yours.",
        "",
        "## Top level",
        "",
        *_keys(found),
    ]
    for name, model in _models(found).items():
        lines += ["", f"## {name}", "", model.get("description", ""), "", *_keys(model)]
    return "\n".join(lines) + "\n"


def _models(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: model for name, model in found["$defs"].items() if "properties" in model}


def _keys(model: dict[str, Any]) -> Iterator[str]:
    yield "| key | what | example |"
    yield "|---|---|---|"
    for key, value in model["properties"].items():
        example = value.get("examples", [""])[0]
        shown = f"`{_cell(json.dumps(example, ensure_ascii=False))}`" if example != "" else ""
        default = (
            f" (default `{_cell(json.dumps(value['default']))}`)" if value.get("default") not in _NO_DEFAULT else ""
        )
        link = _link(value)
        yield f"| `{key}` | {_cell(value.get('description', ''))}{link}{default} | {shown} |"


_NO_DEFAULT: tuple[object, ...] = (None, "", [], {})


def _link(value: dict[str, Any]) -> str:
    text = json.dumps(value)
    name = text.partition('"#/$defs/')[2].partition('"')[0]
    return f"; see [{name}](#{name.lower()})" if name in _models(schema()) else ""


def _cell(text: str) -> str:
    return textwrap.shorten(text, 200, placeholder=" …").replace("|", "\\|")


def main() -> None:
    """Write all pages."""
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
