"""Makes the pictures of the README from real runs: `make pictures` (the lab has to be up, the demo built)."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
WIDTH = 118
PICTURES: dict[str, tuple[tuple[str, ...], ...]] = {
    "build": (("plan",), ("build", "--push", "--progress", "quiet"), ("verify", "--level", "full")),
    "audit": (("audit", "dockerfiles/faulty"),),
}


def run(arguments: tuple[str, ...]) -> str:
    """What a command prints to a terminal of this width."""
    environment = {**os.environ, "COLUMNS": str(WIDTH)}
    command = [sys.executable, "-m", "orchestrator", *arguments, "--color"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    ).stdout


def picture(commands: tuple[tuple[str, ...], ...]) -> str:
    """One SVG of some commands and what they print."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    for arguments in commands:
        console.print(Text(f"$ mabuild {' '.join(arguments)}", style="bold"))
        console.print(Text.from_ansi(run(arguments)))
    return console.export_svg(title="mabuild")


def main() -> None:
    """Write each picture into its file."""
    folder = ROOT / "docs" / "pictures"
    folder.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        (folder / f"{name}.svg").write_text(picture(PICTURES[name]), encoding="utf-8")


if __name__ == "__main__":
    main()
