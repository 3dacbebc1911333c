"""What goes wrong between us and an image store, each with its exit code; no message ever holds a secret."""

from __future__ import annotations

from orchestrator.core.errors import MabuildError, UnreachableError


class RegistryError(UnreachableError):
    """A registry that does not answer, or answers with an error.

    `transient` says whether asking again can help, `pause` how many seconds the registry asks for before that,
    and `status` is the HTTP status (0: there was no answer).
    """

    def __init__(
        self, message: str, *, hint: str = "", status: int = 0, transient: bool = False, pause: float = 0.0
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.transient = transient
        self.pause = pause


class LoginError(RegistryError):
    """The registry wants a login, or refuses the one that it got."""


class RateLimitedError(RegistryError):
    """The registry had too many requests (429)."""


class NotFoundError(MabuildError):
    """A manifest, blob or repository that is not there."""


class DigestError(MabuildError):
    """Content whose bytes do not give the digest that was asked for or announced."""


class TooLargeError(MabuildError):
    """A document over the bound for its kind."""


class MalformedError(MabuildError):
    """Content that is not the kind of document that it has to be."""


def pause_before_retry(error: BaseException) -> float | None:
    """None for an error that stays, else the least pause in seconds: what `core.retry.retried` asks for."""
    return error.pause if isinstance(error, RegistryError) and error.transient else None
