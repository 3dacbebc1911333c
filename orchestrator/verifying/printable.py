"""Makes texts of strangers harmless: an image's paths and names may hold commands for a terminal."""

from __future__ import annotations

_LONGEST = 2000


def printable(text: str) -> str:
    """The text with everything that does not print as an escape, and of bounded length."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
