"""The repository that an image is read from: bounded, counted, in parallel, and every failure a value."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import BinaryIO, TypeVar

from orchestrator.core.errors import MabuildError, UnreachableError
from orchestrator.core.image import Descriptor, Document
from orchestrator.core.reference import Reference
from orchestrator.registry.digest import is_computable
from orchestrator.registry.errors import DigestError, NotFoundError
from orchestrator.registry.store import Store
from orchestrator.registry.wire import Traffic
from orchestrator.verifying.evidence import Fault, FaultKind, Part
from orchestrator.verifying.expectation import Means
from orchestrator.verifying.hashing import hasher
from orchestrator.verifying.memory import Memory

T = TypeVar("T")
R = TypeVar("R")
_CHUNK = 1 << 18


class TimeoutReachedError(MabuildError):
    """The time for one image is used up, or somebody pressed Ctrl-C."""


class Source:
    """Reads content of one repository. Not for many images at once: it counts the traffic of one verification."""

    def __init__(self, store: Store, reference: Reference, means: Means, *, remembers: bool = False) -> None:
        self._store = store
        self._means = means
        self._lock = threading.Lock()
        self._requests = 0
        self._bytes = 0
        self._before = means.traffic() if means.traffic else Traffic(0, 0)
        self._deadline = means.clock() + means.limits.seconds
        self._stopped = threading.Event()
        self.memory = Memory(means.cache if remembers else None, reference.name, means.now)
        self.reference = reference

    @property
    def means(self) -> Means:
        """The means that this source was given."""
        return self._means

    def traffic(self) -> Traffic:
        """Requests and bytes since this source was made."""
        if self._means.traffic:
            now, before = self._means.traffic(), self._before
            return Traffic(now.requests - before.requests, now.received_bytes - before.received_bytes)
        return Traffic(self._requests, self._bytes)

    def check_time(self) -> None:
        """Raise TimeoutReachedError where the time for this image is used up, or everything was called off."""
        if self._stopped.is_set():
            raise TimeoutReachedError("it was called off")
        if self._means.clock() > self._deadline:
            raise TimeoutReachedError(f"the time for one image ({self._means.limits.seconds:.0f} s) is used up")

    def resolve(self) -> Descriptor:
        """What the reference points at now."""
        self._count(0)
        return self._store.resolve(self.reference)

    @property
    def calls(self) -> int:
        """How many times the store was asked."""
        return self._requests

    def root(self) -> Document:
        """What the reference points at; always asked for."""
        document = self._store.manifest(self.reference)
        self._count(len(document.content))
        return document

    def manifest(self, digest: str) -> Document:
        """The manifest of a digest."""
        self.check_time()
        known = self.memory.recall(digest)
        if known is not None and known.content:
            return Document(known.media_type, known.content, digest)
        document = self._store.manifest(self.reference.with_digest(digest))
        self._count(len(document.content))
        self.memory.see(digest, document.media_type, document.content)
        return document

    def has_blob(self, digest: str) -> bool:
        """Whether a blob is there."""
        self.check_time()
        if self.memory.recall(digest) is not None:
            return True
        self._count(0)
        try:
            self._store.blob_size(self.reference, digest)
        except NotFoundError:
            return False
        self.memory.see(digest)
        return True

    @contextmanager
    def open(self, digest: str) -> Iterator[Callable[[int], bytes]]:
        """A blob as a function that reads up to so many bytes; the caller checks the digest."""
        self.check_time()
        self._count(0)
        with self._store.blob(self.reference, digest) as stream:
            yield lambda size: self._read(stream, size)

    def _read(self, stream: BinaryIO, size: int) -> bytes:
        self.check_time()
        chunk = stream.read(size)
        with self._lock:
            self._bytes += len(chunk)
        return chunk

    def blob(self, descriptor: Descriptor, limit: int) -> bytes:
        """The bytes of a small blob, digest and size proven; DigestError, or MabuildError where it is too large."""
        if descriptor.data and _matches(descriptor.data, descriptor):
            return descriptor.data
        known = self.memory.recall(descriptor.digest)
        if known is not None and known.content:
            return known.content
        with self.open(descriptor.digest) as read:
            content = b"".join(_chunks(read, limit))
        if not _matches(content, descriptor):
            raise DigestError(f"has {len(content)} bytes that are not those of its digest")
        self.memory.see(descriptor.digest, descriptor.media_type, content)
        return content

    def map(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Do something for each item, side by side, results in order."""
        todo = list(items)
        if len(todo) < 2:
            return [work(item) for item in todo]
        pool = ThreadPoolExecutor(max_workers=max(1, self._means.jobs), thread_name_prefix="verify")
        try:
            return list(pool.map(work, todo))
        except BaseException:
            self._stopped.set()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _count(self, received: int) -> None:
        with self._lock:
            self._requests += 1
            self._bytes += received


def _chunks(read: Callable[[int], bytes], limit: int) -> Iterator[bytes]:
    total = 0
    while chunk := read(_CHUNK):
        total += len(chunk)
        if total > limit:
            raise MabuildError(f"is larger than {limit >> 20} MiB")
        yield chunk


def _matches(content: bytes, descriptor: Descriptor) -> bool:
    computed = hasher(descriptor.digest)
    if computed is None:
        return len(content) == descriptor.size
    computed.update(content)
    return computed.hexdigest() == descriptor.digest.partition(":")[2]


def attempt(part: Part, digest: str, platform: str, work: Callable[[], T]) -> tuple[T | None, tuple[Fault, ...]]:
    """Do something that reads content; what fails becomes a fault of that content."""
    try:
        return work(), ()
    except NotFoundError as error:
        return None, (Fault(FaultKind.MISSING, part, digest, error.message, platform),)
    except DigestError as error:
        kind = FaultKind.DIGEST if is_computable(digest) else FaultKind.UNREACHABLE
        return None, (Fault(kind, part, digest, error.message, platform),)
    except (UnreachableError, TimeoutReachedError) as error:
        return None, (Fault(FaultKind.UNREACHABLE, part, digest, error.message, platform),)
    except (MabuildError, ValueError) as error:
        return None, (Fault(FaultKind.UNREADABLE, part, digest, str(error), platform),)
