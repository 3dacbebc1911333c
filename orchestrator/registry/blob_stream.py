"""A blob as a file object that goes on where it was when the connection breaks off (HTTP Range)."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.registry.errors import RegistryError
from orchestrator.registry.headers import range_start
from orchestrator.registry.session import Call, Session
from orchestrator.registry.wire import Stream

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MOST_BREAKS = 20
_BUFFER = 256 * 1024


class BlobStream(io.RawIOBase):
    """The raw stream; its length is what the registry announced first (-1: not at all)."""

    def __init__(self, session: Session, call: Call) -> None:
        super().__init__()
        self._session = session
        self._call = replace(call, is_long=True)
        self._offset = 0
        self._breaks = 0
        self._waited = 0.0
        self._stream = session.stream(self._call)
        self.length = self._stream.length()

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read some bytes; RegistryError when the connection broke off too often or the blob took too long."""
        view = memoryview(buffer).cast("B")
        clock = self._session.http.clock
        began = clock.monotonic()
        piece = self._piece(len(view))
        self._waited += clock.monotonic() - began
        if self._waited > self._session.http.limits.blob:
            raise RegistryError(f"{self._call.what} comes too slowly: {self._offset:,} bytes in {self._waited:.0f} s")
        view[: len(piece)] = piece
        self._offset += len(piece)
        return len(piece)

    def close(self) -> None:
        """Give the connection back."""
        if not self.closed:
            self._stream.close()
        super().close()

    def _piece(self, size: int) -> bytes:
        while True:
            try:
                piece = self._stream.read(size)
            except RegistryError as error:
                self._break(error)
                continue
            if piece or self.length < 0 or self._offset >= self.length or not size:
                return piece
            told = f"{self._call.what} ended after {self._offset:,} of {self.length:,} bytes"
            self._break(RegistryError(told, transient=True))

    def _break(self, error: RegistryError) -> None:
        """Continue in a new answer, or raise the error."""
        self._stream.close()
        self._breaks += 1
        if not error.transient or self._breaks > _MOST_BREAKS:
            raise error
        self._session.http.clock.sleep(min(5.0, 0.1 * 2.0**self._breaks))
        self._stream = self._session.retried(self._call, self._reopened)

    def _reopened(self) -> Stream:
        headers = (*self._call.headers, ("Range", f"bytes={self._offset}-"))
        stream = self._session.open(replace(self._call, headers=headers) if self._offset else self._call)
        try:
            self._skip(stream)
        except BaseException:
            stream.close()
            raise
        return stream

    def _skip(self, stream: Stream) -> None:
        """Bring an answer to where we are; a server without Range sends everything again."""
        start = range_start(stream.header("Content-Range")) if stream.status == 206 else 0
        if not 0 <= start <= self._offset:
            raise RegistryError(f"{stream.request.authority} continues {self._call.what} at another place than asked")
        left = self._offset - start
        while left > 0:
            piece = stream.read(min(left, _BUFFER))
            if not piece:
                raise RegistryError(f"{self._call.what} is shorter than before", transient=True)
            left -= len(piece)


class Blob(io.BufferedReader):
    """A blob for a `with` statement; reads of any size, `length` in bytes as announced (-1: not announced)."""

    def __init__(self, session: Session, call: Call) -> None:
        raw = BlobStream(session, call)
        self.length = raw.length
        super().__init__(raw, _BUFFER)
