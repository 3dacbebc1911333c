"""How wide and colourful the place is where text goes, and turning rich renderables into text for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text


@dataclass(frozen=True, slots=True)
class Screen:
    """`width` in columns; `live` where lines may be drawn over (a terminal, outside CI)."""

    width: int = 100
    color: bool = False
    live: bool = False


def console(screen: Screen, file: object) -> Console:
    """A rich console for a screen, without any look at the surroundings."""
    from rich.console import Console

    return Console(
        file=file,  # type: ignore[arg-type]
        width=screen.width,
        force_terminal=screen.color,
        no_color=not screen.color,
        color_system="standard" if screen.color else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
        _environ={},
    )


def indented(text: Text) -> RenderableType:
    """Text that stands two columns in, on all lines that it takes."""
    from rich.padding import Padding

    return Padding(text, (0, 0, 0, 2))


def render(renderable: RenderableType, screen: Screen) -> str:
    """The text of a renderable, with lines that end where their content ends."""
    from io import StringIO

    out = StringIO()
    console(screen, out).print(renderable, crop=False)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())
