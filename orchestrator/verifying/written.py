"""The platform of a list's entry as it is written there, before any normal form."""

from __future__ import annotations

from orchestrator.verifying.documents import ContentError, mapping, parse_object, text
from orchestrator.verifying.evidence import Entry


def written_parts(entry: Entry) -> tuple[str, str, str]:
    """Operating system, architecture and variant; empty where the list says nothing."""
    try:
        platform = mapping(parse_object(entry.descriptor.raw.encode()), "platform")
    except ContentError:
        platform = {}
    if not platform and entry.descriptor.platform is not None:
        own = entry.descriptor.platform
        return own.os, own.architecture, own.variant
    return text(platform, "os"), text(platform, "architecture"), text(platform, "variant")


def written_platform(entry: Entry) -> str:
    """The platform as `os/architecture[/variant]`; empty where the list names none."""
    return "/".join(part for part in written_parts(entry) if part)
