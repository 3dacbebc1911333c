"""Writes the real output of every command into the README's console blocks: `make readme`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
WIDTH = "118"
BLOCK = re.compile(r"```console\n\$ mabuild (?P<call>[^\n]*)\n(?P<output>.*?)```", re.DOTALL)


def output(call: str) -> str:
    """What mabuild prints for a call in the root of the checkout."""
    command = [sys.executable, "-m", "orchestrator", *call.split()]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "COLUMNS": WIDTH, "NO_COLOR": "1", "MABUILD_CACHE": cache}
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False).stdout


def written(text: str) -> str:
    """The text with every block filled anew."""
    return BLOCK.sub(lambda match: f"```console\n$ mabuild {match['call']}\n{output(match['call'])}```", text)


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
