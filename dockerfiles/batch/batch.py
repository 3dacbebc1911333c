"""Scores each line of standard input, for jobs that run at night."""

import sys

sys.path.insert(0, "/srv")
import worker  # noqa: E402

for line in sys.stdin.buffer:
    print(worker.score(line.rstrip(b"\n")))
