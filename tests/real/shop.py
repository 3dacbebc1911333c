"""A repository as many are: three Dockerfiles that were only ever built for amd64, and a workflow that pushes them."""

from __future__ import annotations

from pathlib import Path

SERVICES = ("base", "api", "tool")
_FILES = {
    "base/Dockerfile": "FROM --platform=linux/amd64 busybox:stable\nRUN echo base > /base\n",
    "api/Dockerfile": "FROM PREFIX/base\nARG TARGETARCH=amd64\nRUN echo $TARGETARCH > /arch\n",
    "tool/Dockerfile": """\
FROM busybox:stable AS files
RUN echo tool > /tool
FROM --platform=linux/amd64 busybox:stable
COPY --from=files /tool /
""",
    ".github/workflows/images.yml": """\
on: push
jobs:
  images:
    runs-on: ubuntu-latest
    steps:
      - run: |
          docker build -t PREFIX/base:latest base
          docker build -t PREFIX/api:latest api
          docker build -t PREFIX/tool:latest tool
""",
}
COMMANDS = (("init",), ("audit", "--fix"), ("build", "--push"), ("verify", "--level", "full"))
"""What has to be typed until both platforms of all three are proven."""


def write_shop(folder: Path, prefix: str) -> None:
    """Write it; `prefix` is what its image names begin with."""
    for name, content in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content.replace("PREFIX", prefix))
