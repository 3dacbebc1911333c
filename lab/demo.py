"""The main job, step by step, as a reader would type it: audit, plan, build and push, verify."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS = (("audit",), ("plan",), ("build", "--push"), ("verify",))
BOLD, PLAIN = "\033[1m", "\033[0m"


def shown(words: Sequence[str], *, on_terminal: bool) -> str:
    """The command line of a step, in bold on a terminal."""
    line = f"$ mabuild {' '.join(words)}"
    return f"\n{BOLD}{line}{PLAIN}" if on_terminal else f"\n{line}"


def main() -> int:
    """The first exit code that is not 0, or 0."""
    program = Path(sys.executable).with_name("mabuild")
    for words in STEPS:
        print(shown(words, on_terminal=sys.stdout.isatty()), flush=True)
        code = subprocess.run([program, *words], check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
