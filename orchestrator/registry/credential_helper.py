"""Asks docker's credential helpers (`docker-credential-NAME get`); the only file of this room that starts processes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_NOT_THERE = "credentials not found"
_LARGEST_ANSWER = 1024 * 1024
TIME_LIMIT = 10.0


class HelperError(Exception):
    """A helper that gave no answer; the text says why and holds nothing that the helper printed."""


def ask_helper(
    name: str, server: str, environment: Mapping[str, str], time_limit: float = TIME_LIMIT
) -> tuple[str, str]:
    """User name and secret for a server, both empty where the helper has none; HelperError where it fails."""
    import shutil

    program = shutil.which(f"docker-credential-{name}", path=environment.get("PATH", os.defpath))
    if not _NAME.fullmatch(name) or program is None:
        raise HelperError(f"docker-credential-{name} is not installed")
    status, output = _run([program, "get"], server, environment, time_limit)
    if status != 0:
        if _NOT_THERE in output.lower():
            return "", ""
        raise HelperError(f"docker-credential-{name} failed with status {status}")
    return _parse(name, output)


def _run(arguments: list[str], text: str, environment: Mapping[str, str], time_limit: float) -> tuple[int, str]:
    import subprocess

    try:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        raise HelperError(f"{Path(arguments[0]).name} cannot be started: {error.strerror}") from error
    with process:
        try:
            output, _ = process.communicate(text.encode(), timeout=time_limit)
        except subprocess.TimeoutExpired as error:
            _end(process)
            raise HelperError(f"{Path(arguments[0]).name} gave no answer in {time_limit:g} s") from error
    return process.returncode, output[:_LARGEST_ANSWER].decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the helper and what it started, which may hold its output open."""
    import signal

    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _parse(name: str, output: str) -> tuple[str, str]:
    try:
        answer = json.loads(output)
    except (ValueError, RecursionError) as error:
        raise HelperError(f"docker-credential-{name} gave an answer that is not JSON") from error
    if not isinstance(answer, dict):
        raise HelperError(f"docker-credential-{name} gave an answer of another shape")
    return str(answer.get("Username") or ""), str(answer.get("Secret") or "")
