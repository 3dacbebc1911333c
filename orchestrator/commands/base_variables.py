"""The variables in the configurations of base images, which tell the version of their Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from orchestrator.core.errors import MabuildError
from orchestrator.core.image import Descriptor, Document, Index, Manifest
from orchestrator.core.reference import Reference

if TYPE_CHECKING:
    from orchestrator.registry.store import Store

_LARGEST = 4 * 1024 * 1024


def variables_of_images(store: Store) -> Callable[[str], Mapping[str, str]]:
    """Asks the registry once for each image; none where it does not tell."""
    known: dict[str, Mapping[str, str]] = {}

    def variables_of(image: str) -> Mapping[str, str]:
        if image not in known:
            try:
                known[image] = _variables(store, Reference.parse(image).or_latest)
            except (MabuildError, ValueError):
                known[image] = {}
        return known[image]

    return variables_of


def _variables(store: Store, reference: Reference) -> Mapping[str, str]:
    from orchestrator.registry.media import parse
    from orchestrator.verifying.configuration import parse_configuration

    parsed = parse(store.manifest(reference))
    if isinstance(parsed, Index):
        images = [one for one in parsed.manifests if _is_image(one)]
        parsed = parse(_entry(store, reference, images[0])) if images else parsed
    if not isinstance(parsed, Manifest):
        return {}
    with store.blob(reference, parsed.config.digest) as stream:
        return dict(parse_configuration(stream.read(_LARGEST)).environment)


def _is_image(one: Descriptor) -> bool:
    return one.platform is not None and one.platform.os == "linux"


def _entry(store: Store, reference: Reference, one: Descriptor) -> Document:
    return store.manifest(reference.with_digest(one.digest))
