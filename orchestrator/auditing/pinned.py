"""What it does to an image when one of its stages is pinned to a platform."""

from __future__ import annotations

from enum import StrEnum

from orchestrator.auditing.context import Context
from orchestrator.auditing.products import native_products
from orchestrator.auditing.staging import Role
from orchestrator.core.platform import Platform

_BINARIES = (
    "/bin",
    "/sbin",
    "/lib",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/local/lib",
)
"""Folders that hold little but machine code."""


class Effect(StrEnum):
    """The worst that a pinned stage does."""

    IMAGE = "image"
    COPIED = "copied"
    EMULATED = "emulated"


def wrong_platforms(context: Context, role: Role) -> tuple[Platform, ...]:
    """The platforms for which a pinned stage is built although it is of another one."""
    constant = Platform.parse(role.constant)
    needed = context.staging.platforms(role.stage.index)
    return tuple(one for one in needed if (one.os, one.architecture) != (constant.os, constant.architecture))


def is_one_of_pair(context: Context, role: Role) -> bool:
    """Whether a stage is named for its architecture and has a sibling for another one."""
    constant = Platform.parse(role.constant)
    view = context.stages[role.stage.index]
    platforms = {platform.architecture for platform in view.platforms}
    return bool(view.platforms) and platforms == {constant.architecture}


def effect_of(context: Context, role: Role, wrong: tuple[Platform, ...]) -> Effect:
    """What follows for the platforms that are not the pinned one."""
    staging, index = context.staging, role.stage.index
    for platform in wrong:
        if staging.becomes_image(index, platform):
            return Effect.IMAGE
    for platform in wrong:
        built_on_it = [one for one in sorted(staging.needed[platform]) if staging.roles[one].decided_by == index]
        for stage in built_on_it:
            into = context.artifacts.arrival(platform, stage, _BINARIES)
            if into is not None and not into.mounted:
                return Effect.COPIED
            if native_products(context, stage, platform):
                return Effect.COPIED
    return Effect.EMULATED
