"""MV601 config-parity."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.architecture_names import neutral
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.configuration import ImageConfig
from orchestrator.verifying.evidence import Entry, Evidence

Aspect = Callable[[ImageConfig], tuple[str, ...]]
_ASPECTS: tuple[tuple[str, Severity, Aspect], ...] = (
    ("entry point", Severity.WARNING, lambda config: config.entrypoint),
    ("command", Severity.WARNING, lambda config: config.command),
    ("user", Severity.WARNING, lambda config: (config.user,)),
    ("working directory", Severity.WARNING, lambda config: (config.working_directory,)),
    ("ports", Severity.WARNING, lambda config: config.ports),
    ("volumes", Severity.WARNING, lambda config: config.volumes),
    ("health check", Severity.WARNING, lambda config: config.healthcheck),
    ("stop signal", Severity.WARNING, lambda config: (config.stop_signal,)),
    ("environment variables", Severity.WARNING, lambda config: tuple(sorted(key for key, _ in config.environment))),
    ("labels", Severity.NOTE, lambda config: tuple(key for key, _ in config.labels)),
)


@check("MV601", "config-parity", Severity.WARNING)
def config_parity(evidence: Evidence) -> Iterator[Problem]:
    """The configurations of two platforms differ in more than names of architectures.

    The same tag then starts another command, as another user or with other settings, depending on the node.
    `/usr/lib/jvm/java-17-amd64` and `/usr/lib/jvm/java-17-arm64` count as the same. Variables whose values differ are
    a note, because base images keep checksums of their downloads in them.

    Build all platforms from the same commit and Dockerfile, and look for conditions on TARGETARCH.
    """
    images = [entry for entry in evidence.images if entry.config and entry.platform and entry.platform.os != "windows"]
    if len(images) < 2:
        return
    first = images[0]
    for other in images[1:]:
        yield from _differences(first, other)


def _differences(first: Entry, other: Entry) -> Iterator[Problem]:
    if first.config is None or other.config is None:
        return
    for name, severity, aspect in _ASPECTS:
        left, right = _neutral(aspect(first.config)), _neutral(aspect(other.config))
        if left != right:
            message = f"{name}: {_said(left, right)} on {first.label}, {_said(right, left)} on {other.label}"
            yield Problem(message, platform=other.label, severity=severity)
    left_values, right_values = dict(first.config.environment), dict(other.config.environment)
    differing = [
        key
        for key, value in left_values.items()
        if key in right_values and neutral(value) != neutral(right_values[key])
    ]
    if differing:
        message = f"variables with other values than on {first.label}: {', '.join(sorted(differing)[:8])}"
        yield Problem(message, platform=other.label, severity=Severity.NOTE)


def _neutral(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(neutral(value) for value in values)


def _said(values: tuple[str, ...], others: tuple[str, ...]) -> str:
    """What differs, where both are lists of many; else the whole."""
    if len(values) > 3 or len(others) > 3:
        values = tuple(value for value in values if value not in others)
    return " ".join(value or "(none)" for value in values)[:120] or "(none)"
