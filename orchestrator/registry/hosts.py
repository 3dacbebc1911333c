"""Where a registry host is reached: address, plain HTTP or TLS, and the mirrors that are asked before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.reference import DOCKER_HUB

_HUB_AUTHORITY = "registry-1.docker.io"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address that answers for a registry.

    `host` is the registry that images are named after, `authority` the host and port that is asked, `prefix` goes
    before repository names there, and `namespace` is what a mirror is told that it stands in for.
    """

    host: str
    scheme: str
    authority: str
    prefix: str = ""
    namespace: str = ""

    def url(self, path: str) -> str:
        """The address of a path below `/v2/`."""
        query = f"{'&' if '?' in path else '?'}ns={self.namespace}" if self.namespace else ""
        return f"{self.scheme}://{self.authority}/v2/{self.prefix}{path}{query}"

    @property
    def is_mirror(self) -> bool:
        """Whether it stands in for another registry."""
        return bool(self.namespace)


class Hosts:
    """The settings of every host, with docker's defaults for those that no manifest names."""

    def __init__(self, settings: Iterable[RegistrySettings]) -> None:
        self._settings = {entry.host: entry for entry in settings}

    def settings(self, authority: str) -> RegistrySettings:
        """The settings of a host as it is asked."""
        host = DOCKER_HUB if authority == _HUB_AUTHORITY else authority
        return self._settings.get(host, RegistrySettings(host))

    def endpoint(self, host: str) -> Endpoint:
        """The registry itself."""
        authority = _HUB_AUTHORITY if host == DOCKER_HUB else host
        return Endpoint(host, self._scheme(host), authority)

    def mirrors(self, host: str) -> tuple[Endpoint, ...]:
        """The mirrors of a registry, in the order in which they are asked; written `host[/prefix]`."""
        return tuple(self._mirror(mirror, host) for mirror in self.settings(host).mirrors)

    def _mirror(self, mirror: str, host: str) -> Endpoint:
        scheme, separator, rest = mirror.partition("://")
        authority, _, prefix = (rest if separator else mirror).strip("/").partition("/")
        return Endpoint(
            authority, scheme if separator else self._scheme(authority), authority, f"{prefix}/" if prefix else "", host
        )

    def _scheme(self, host: str) -> str:
        settings = self.settings(host)
        is_secure = settings.insecure or bool(settings.ca)
        return "http" if settings.http or (is_loopback(host) and not is_secure) else "https"


def name_of(authority: str) -> str:
    """The host name or address of `host:port`, without brackets, in lower case."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    return authority.partition(":")[0].lower()


def is_loopback(authority: str) -> bool:
    """Whether it is this machine: 127/8, ::1 or localhost."""
    name = name_of(authority)
    return name in {"localhost", "::1"} or (name.startswith("127.") and _is_address(name))


def is_private(authority: str) -> bool:
    """Whether it is written as an address of this machine or of a private network."""
    import ipaddress

    name = name_of(authority)
    if _is_address(name):
        return not ipaddress.ip_address(name).is_global
    last = name.rstrip(".").rpartition(".")[2]
    # Resolvers take 2130706433 and 0x7f.1 for addresses too, and no host name ends like that.
    return last == "localhost" or last.isdigit() or last.startswith("0x")


def _is_address(name: str) -> bool:
    import ipaddress

    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
