"""Faces of a plan: one module each, listed once here."""

from collections.abc import Callable
from typing import Final

from orchestrator.core.plan import Plan
from orchestrator.report.plan import fields, markdown, mermaid, table
from orchestrator.report.screen import Screen

FORMATS: Final[dict[str, Callable[[Plan, Screen], str]]] = {
    "table": table.render,
    "json": fields.render,
    "markdown": markdown.render,
    "mermaid": mermaid.render,
}
