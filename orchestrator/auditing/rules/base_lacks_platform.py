"""MA107: an image that has no entry for a platform."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context, nobody_knows
from orchestrator.auditing.images import external_images
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity


@rule("MA107", Severity.ERROR)
def base_lacks_platform(context: Context) -> Iterator[Problem]:
    """An image has no entry for a platform.

    The build for that platform fails when the image is pulled, or takes the wrong one with a warning. Only the registry
    can tell, so this is found when it is asked. Take another image or another tag, or leave the platform out.

    Bad:
        FROM amd-only.example.com/tool:1.0

    Good:
        FROM debian:13
    """
    if context.published is nobody_knows:
        return
    for image in external_images(context):
        published = context.published(image.name)
        if published is None:
            continue
        lacking = [one for one in image.platforms if not any(one.accepts(other) for other in published)]
        if lacking:
            has = ", ".join(map(str, published)) or "no platform"
            yield Problem(
                image.word,
                f"{image.name} has no {' and no '.join(map(str, lacking))}: the build for it fails (it has {has})",
            )
