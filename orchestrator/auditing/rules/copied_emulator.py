"""MA306: an emulator in the image."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_EMULATOR = re.compile(r"(?:^|/)qemu-[\w*]+-static\b")


@rule("MA306", Severity.NOTE)
def copied_emulator(context: Context) -> Iterator[Problem]:
    """An emulator is copied into the image.

    That was needed before the kernel could keep the emulator open (binfmt's F flag). Register emulators on the build
    machine (`mabuild nodes --install linux/arm64`), and the image needs none.

    Bad:
        FROM debian:13
        COPY qemu-aarch64-static /usr/bin/

    Good:
        FROM debian:13
    """
    for view in context.stages:
        for instruction in view.stage.instructions if view.platforms else ():
            if instruction.keyword not in {"COPY", "ADD"}:
                continue
            word = next((word for word in instruction.words if _EMULATOR.search(word.text)), None)
            if word is not None:
                yield Problem(word, "the image does not need its own emulator: register one on the machine that builds")
