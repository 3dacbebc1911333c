"""What registries can and cannot do, by the name of a profile, which a host gives away where the manifest is silent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.reference import DOCKER_HUB


@dataclass(frozen=True, slots=True)
class Profile:
    """`oci_artifact`: attestations as OCI artifacts with a subject are taken; `parallel`: cells at once against it.

    ECR answers those with 405 (moby/buildkit#5747), gitlab.com with "blob unknown to registry" (#7007). A cell talks to
    its registry only at its beginning and end, so `parallel` is above the four connections of one push.
    """

    oci_artifact: bool = True
    parallel: int = 16


PLAIN: Final = Profile()
PROFILES: Final = {
    "plain": PLAIN,
    "ghcr": PLAIN,
    "hub": Profile(parallel=8),
    "ecr": Profile(oci_artifact=False),
    "gitlab": Profile(oci_artifact=False),
}
_BY_HOST: Final = (
    (re.compile(r"ghcr\.io"), "ghcr"),
    (re.compile(re.escape(DOCKER_HUB)), "hub"),
    (re.compile(r"public\.ecr\.aws|.*\.dkr\.ecr\..*\.amazonaws\.com(?:\.cn)?"), "ecr"),
    (re.compile(r"registry\.gitlab\.com"), "gitlab"),
)


def profile_of(host: str, registries: Iterable[RegistrySettings]) -> Profile:
    """The profile of a registry host: the one that the manifest names, else by the host's name, else a plain one."""
    named = next((settings.profile for settings in registries if settings.host == host and settings.profile), "")
    guessed = next((name for pattern, name in _BY_HOST if pattern.fullmatch(host)), "plain")
    return PROFILES.get(named or guessed, PLAIN)
