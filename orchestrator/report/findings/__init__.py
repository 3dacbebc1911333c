"""Formats of findings: one module each, listed once here."""

from collections.abc import Callable
from typing import Final

from orchestrator.report.findings import github, junit, markdown, sarif, text
from orchestrator.report.findings.view import View

FORMATS: Final[dict[str, Callable[[View], str]]] = {
    "text": text.render,
    "sarif": sarif.render,
    "github": github.render,
    "markdown": markdown.render,
    "junit": junit.render,
}
