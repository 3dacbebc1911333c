"""A bridge for each engine of the lab, with firewall rules of its own, so that other engines are left alone."""

from __future__ import annotations

import ipaddress
import json
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.process import run, succeeds

PREFIX = "mabuild"
FIRST, LAST = 200, 250  # the third number of 172.31.N.0/24; a bridge's name carries it
FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")


def free_number(addresses: list[str], names: list[str]) -> int:
    """The first number whose network overlaps none of the machine's, and whose bridge is not there."""
    taken = [ipaddress.ip_interface(address).network for address in addresses]
    for number in range(FIRST, LAST):
        network = ipaddress.ip_network(f"172.31.{number}.0/24")
        if f"{PREFIX}{number}" not in names and not any(network.overlaps(other) for other in taken):
            return number
    raise LabError("no free network 172.31.N.0/24 for the engine's bridge")


@dataclass(frozen=True, slots=True)
class Bridge:
    """A Linux bridge 172.31.N.1/24 whose containers reach the outside."""

    number: int

    @classmethod
    def claim(cls) -> Bridge:
        """Make the link of a free number at once, so that nobody else takes it."""
        for _ in range(FIRST, LAST):
            bridge = cls._free()
            if succeeds(["ip", "link", "add", bridge.name, "type", "bridge"]):
                return bridge
            if not bridge.exists():
                raise LabError(f"the bridge {bridge.name} cannot be made", hint="this needs root and the bridge module")
        raise LabError("others take every bridge")

    @classmethod
    def _free(cls) -> Bridge:
        links = json.loads(run(["ip", "-json", "-4", "address", "show"]))
        addresses = [f"{each['local']}/{each['prefixlen']}" for link in links for each in link["addr_info"]]
        return cls(free_number(addresses, [link["ifname"] for link in links]))

    @property
    def name(self) -> str:
        return f"{PREFIX}{self.number}"

    @property
    def network(self) -> str:
        return f"172.31.{self.number}.0/24"

    def exists(self) -> bool:
        return Path(f"/sys/class/net/{self.name}").exists()

    def make(self) -> None:
        if not self.exists():
            run(["ip", "link", "add", self.name, "type", "bridge"])
        run(["ip", "address", "replace", f"172.31.{self.number}.1/24", "dev", self.name])
        run(["ip", "link", "set", self.name, "up"])
        FORWARDING.write_text("1")
        for rule in self._rules():
            if not succeeds(_iptables(rule, "-C")):
                run(_iptables(rule, "-I"))

    def remove(self) -> None:
        for rule in self._rules():
            succeeds(_iptables(rule, "-D"))
        if self.exists():
            run(["ip", "link", "delete", self.name])

    def _rules(self) -> tuple[tuple[str, ...], ...]:
        return (
            ("nat", "POSTROUTING", "-s", self.network, "!", "-o", self.name, "-j", "MASQUERADE"),
            ("filter", "FORWARD", "-i", self.name, "-j", "ACCEPT"),
            ("filter", "FORWARD", "-o", self.name, "-j", "ACCEPT"),
        )


def _iptables(rule: tuple[str, ...], action: str) -> list[str]:
    table, chain, *match = rule
    return ["iptables", "--wait", "-t", table, action, chain, *match]
