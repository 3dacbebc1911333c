"""MA106: an image pinned to the digest of one platform."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context, nobody_knows
from orchestrator.auditing.images import external_images
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity


@rule("MA106", Severity.ERROR)
def single_platform_digest(context: Context) -> Iterator[Problem]:
    """An image is pinned to the digest of one platform's manifest.

    A digest names either an index, which has an entry for every platform, or the manifest of one. With the latter
    every platform is built from the same files: the build is green, and the image holds programs of one architecture.
    Only the registry can tell, so this is found when it is asked. Pin the digest of the index (`docker buildx
    imagetools inspect`).

    Bad:
        FROM debian:13@sha256:1111111111111111111111111111111111111111111111111111111111111111

    Good:
        FROM debian:13@sha256:2222222222222222222222222222222222222222222222222222222222222222
    """
    if context.is_index is nobody_knows:
        return
    for image in external_images(context):
        if "@sha256:" in image.name and len(context.platforms) > 1 and context.is_index(image.name) is False:
            yield Problem(
                image.word,
                "this digest is that of one platform, not of an index: every platform is built from the same files, "
                "and the build succeeds",
            )
