"""Which images a call of `verify` means, what each has to be, and the verification of all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from orchestrator.core.errors import MabuildError, UsageError
from orchestrator.core.fleet import Fleet, Level
from orchestrator.core.platform import Platform
from orchestrator.core.verification import Verification
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation, Means
from orchestrator.verifying.several import same_platforms

if TYPE_CHECKING:
    from orchestrator.registry.stores import Opened, Stores

_SPARSE_SCHEME = "docker-daemon:"
Known = dict[tuple[str, str, Expectation], Verification]


@dataclass(frozen=True, slots=True)
class Wanted:
    """An image, as it was typed or as the fleet names it, and what it has to be."""

    text: str
    expectation: Expectation


def wanted_images(
    references: list[str], fleet: Fleet, asked: tuple[Platform, ...], level: Level | None, since: str
) -> tuple[Wanted, ...]:
    """What to verify: images with the policy of the service that they are of, all of a service, or all of the fleet."""
    policies = {
        str(image.with_tag(tag)): Expectation(
            asked or service.platforms, level or service.verify.level, since, service.verify.ignore, service.verify.run
        )
        for service in fleet.services
        for image in service.images
        for tag in service.tags
    }
    if not references:
        if not policies:
            raise UsageError("nothing to verify", hint="name an image, or a manifest with -f")
        return tuple(Wanted(text, expectation) for text, expectation in policies.items())
    plain = Expectation(asked, level or Level.EXIST, since)
    tagged = {
        service.name: [str(image.with_tag(tag)) for image in service.images for tag in service.tags]
        for service in fleet.services
    }
    texts = dict.fromkeys(text for reference in references for text in tagged.get(reference, [reference]))
    return tuple(Wanted(text, policies.get(text, plain)) for text in texts)


def verified(wanted: tuple[Wanted, ...], stores: Stores, means: Means) -> tuple[Verification, ...]:
    """Every image; a tag of the digest that another tag of its repository has costs one request."""
    known: Known = {}
    return same_platforms(tuple(_one(one, stores, means, known) for one in wanted))


def _one(wanted: Wanted, stores: Stores, means: Means, known: Known) -> Verification:
    client = stores.client
    with stores.open(wanted.text) as opened:
        in_registry = opened.store is client
        name = opened.reference.name if in_registry else wanted.text
        seen = _seen(opened, known, name, wanted.expectation) if in_registry else None
        if seen is not None:
            return replace(seen, reference=wanted.text, requests=1, received_bytes=0)
        means = replace(means, is_sparse=wanted.text.startswith(_SPARSE_SCHEME))
        if in_registry:
            means = replace(means, traffic=lambda: client.traffic)
        found = replace(verify(opened.store, opened.reference, wanted.expectation, means), reference=wanted.text)
    known[name, found.digest, wanted.expectation] = found
    return found


def _seen(opened: Opened, known: Known, name: str, expectation: Expectation) -> Verification | None:
    """The verification of another tag of the repository, where this one has its digest."""
    digests = {digest for repository, digest, asked in known if repository == name and asked == expectation}
    if not digests or opened.reference.digest:
        return known.get((name, opened.reference.digest, expectation))
    try:
        digest = opened.store.resolve(opened.reference).digest
    except MabuildError:
        return None
    return known.get((name, digest, expectation))
