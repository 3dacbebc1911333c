"""What the lab says when it cannot go on: one line, and the next step."""

from __future__ import annotations


class LabError(Exception):
    """A part that cannot be had or started; `hint` is what to do about it."""

    exit_code = 4

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
