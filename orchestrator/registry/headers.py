"""The HTTP header fields that registries speak in: challenges, Retry-After, Link and Content-Range."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_LONGEST = 16 * 1024
_PART = re.compile(
    r'[\s,]*(?:(?P<key>[\w.-]+)\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s,"]*))|(?P<scheme>[\w.-]+))'
)
_LINK = re.compile(r"<([^<>]*)>\s*((?:;[^,<]*)*)")
_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/")


@dataclass(frozen=True, slots=True)
class Challenge:
    """One challenge of a WWW-Authenticate field; scheme and parameter names in lower case."""

    scheme: str
    parameters: tuple[tuple[str, str], ...] = ()

    def get(self, name: str) -> str:
        """A parameter, or the empty text."""
        return dict(self.parameters).get(name, "")


def parse_challenges(fields: Iterable[str]) -> tuple[Challenge, ...]:
    """All challenges of all fields; several may stand in one (RFC 9110, 11.6.1)."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for field in fields:
        for part in _PART.finditer(field[:_LONGEST]):
            if part["scheme"]:
                found.append((part["scheme"].lower(), []))
            elif found:
                quoted, plain = part["quoted"], part["plain"]
                value = plain if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
                found[-1][1].append((part["key"].lower(), value))
    return tuple(Challenge(scheme, tuple(parameters)) for scheme, parameters in found)


def retry_after(field: str, now: float) -> float:
    """Seconds to wait from a Retry-After field, which gives seconds or a date (RFC 9110, 10.2.3); 0 for nonsense."""
    text = field.strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0.0


def next_link(field: str) -> str:
    """The address of the next page from a Link field, or the empty text (distribution-spec, pagination)."""
    for address, parameters in _LINK.findall(field[:_LONGEST]):
        if re.search(r"rel\s*=\s*\"?next\b", parameters, re.IGNORECASE):
            return str(address)
    return ""


def range_start(field: str) -> int:
    """The first byte that a Content-Range field names, -1 where it names none."""
    match = _RANGE.match(field)
    return int(match[1]) if match else -1


def plain_type(field: str) -> str:
    """A media type without its parameters, in lower case."""
    return field.partition(";")[0].strip().lower()
