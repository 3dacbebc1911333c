"""Starts images for `verify --run` on this machine's engine, and says in which mode it ran them."""

from __future__ import annotations

from orchestrator.commands.doors import asking_nodes
from orchestrator.commands.session import Session
from orchestrator.core.errors import MabuildError
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.verifying.expectation import Runner, RunOutcome

_ENGINE = "default"


def engine_runner(here: Session, seconds: float) -> Runner:
    """Runs a command of an image on a platform for at most so many seconds."""
    from orchestrator.buildx.containers import run_image

    modes: dict[Platform, str] = {}

    def run(reference: Reference, platform: Platform, command: tuple[str, ...]) -> RunOutcome:
        if platform not in modes:
            modes[platform] = _mode(here, platform)
        ended = run_image(reference, platform, command, here.environment, seconds)
        return RunOutcome(ended.exit_code, ended.output, modes[platform], ended.timed_out, ended.error)

    return run


def _mode(here: Session, platform: Platform) -> str:
    """How the engine itself runs a platform; empty where it cannot be told."""
    from orchestrator.buildx.nodes import find_nodes

    try:
        (node, *_) = find_nodes((), asking_nodes(_ENGINE, here, (platform,)))
    except (MabuildError, ValueError):
        return ""
    return node.mode(platform).value
