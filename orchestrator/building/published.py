"""What a registry holds of a service already: its published index, which is the only memory of what was built."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from orchestrator.building.entries import KEY, TAGS
from orchestrator.building.tags import current, in_order
from orchestrator.core.fleet import Service
from orchestrator.core.image import REFERENCE_DIGEST, Descriptor, Document, Index
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.registry.errors import MalformedError, NotFoundError
from orchestrator.registry.media import parse
from orchestrator.registry.store import Store

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class PublishedIndex:
    """A service's index as it stands in all of its repositories. `tags` are those known to point at it."""

    document: Document
    entries: tuple[Descriptor, ...]
    annotations: tuple[tuple[str, str], ...]
    tags: frozenset[str]

    def image(self, platform: Platform, key: str) -> tuple[Descriptor, ...]:
        """The image of a platform that was built from the same key, followed by its attestations; else nothing."""
        for entry in self.entries:
            if entry.platform == platform and not entry.is_attestation and entry.annotation(KEY) == key:
                of_it = (other for other in self.entries if other.annotation(REFERENCE_DIGEST) == entry.digest)
                return (entry, *of_it)
        return ()


@dataclass(frozen=True, slots=True)
class Published:
    """What was read of a service: `seen` is what tags pointed at ("" for nothing), `indexes` holds one or none."""

    seen: dict[Reference, str] = field(default_factory=dict)
    indexes: tuple[PublishedIndex, ...] = ()


def read_published(store: Store, service: Service) -> Published:
    """Read a service's index with one request, where the tag that moves last is there and there is one repository.

    All other tags were moved before that one, so an index that stands there and names them was put at them too.
    """
    seen: dict[Reference, str] = {}
    for tag in reversed(in_order(service.tags)):
        first, *others = (image.with_tag(tag) for image in service.images)
        try:
            document = store.manifest(first)
        except NotFoundError:
            seen[first] = ""
            continue
        seen.update({first: document.digest, **{other: current(store, other) for other in others}})
        everywhere = all(seen[other] == document.digest for other in others)
        return Published(seen, _index(document, tag, service) if everywhere else ())
    return Published(seen)


def _index(document: Document, tag: str, service: Service) -> tuple[PublishedIndex, ...]:
    try:
        found = parse(document)
    except MalformedError:
        return ()
    if not isinstance(found, Index):
        return ()
    annotations = dict(found.annotations)
    is_last = tag == in_order(service.tags)[-1]
    named = annotations.get(TAGS, "").split() if is_last else []
    return (PublishedIndex(document, found.manifests, found.annotations, frozenset({tag, *named})),)


class PublishedIndexes:
    """What is published of all services of a run, asked for at its start side by side."""

    def __init__(self, store: Store, services: Sequence[Service]) -> None:
        self._pool = ThreadPoolExecutor(_AT_ONCE, "published")
        self._asked: dict[str, Future[Published]] = {
            service.name: self._pool.submit(read_published, store, service) for service in services
        }
        self._pool.shutdown(wait=False)

    def of(self, service: str) -> Published:
        """What is published of a service; RegistryError where its registry did not answer."""
        return self._asked[service].result()
