"""Reads simple index pages, JSON (PEP 691, 700) and HTML (PEP 503, 592, 658), into the files that they name."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urlsplit

from orchestrator.core.packages import ReleaseFile
from orchestrator.registry.errors import MalformedError
from orchestrator.registry.packages.pages import Page

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"
_MOST_FILES = 200_000
Row = list[Any]


def rows_of(page: Page) -> list[Row]:
    """The files as plain data for the cache: name, sha256, requires-python, yanked."""
    if "json" in page.media_type.partition(";")[0]:
        return _json_rows(page)
    if "html" in page.media_type:
        reader = _Anchors()
        reader.feed(page.content.decode("utf-8", "replace"))
        return reader.rows
    raise MalformedError(f"{page.address} is no index page: it is {page.media_type or 'of no type'}")


def files_of(rows: object) -> tuple[ReleaseFile, ...]:
    """The files of such data."""
    if not isinstance(rows, list):
        return ()
    return tuple(ReleaseFile(str(row[0]), str(row[1]), str(row[2]), bool(row[3])) for row in rows)


def _json_rows(page: Page) -> list[Row]:
    try:
        document = json.loads(page.content)
        return [_json_row(entry) for entry in document["files"][:_MOST_FILES]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise MalformedError(f"{page.address} is no index page") from error


def _json_row(entry: dict[str, Any]) -> Row:
    yanked = entry.get("yanked", False)
    digest = entry.get("hashes", {}).get("sha256", "")
    return [entry["filename"], digest, entry.get("requires-python") or "", yanked is not False and yanked is not None]


class _Anchors(HTMLParser):
    """Collects the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an anchor that leads to a file."""
        fields = dict(attrs)
        target = fields.get("href") or ""
        if tag != "a" or not target or len(self.rows) >= _MOST_FILES:
            return
        parts = urlsplit(target)
        name = unquote(parts.path).rpartition("/")[2]
        kind, _, digest = parts.fragment.partition("=")
        if name:
            sha256 = digest if kind == "sha256" else ""
            self.rows.append([name, sha256, fields.get("data-requires-python") or "", "data-yanked" in fields])
