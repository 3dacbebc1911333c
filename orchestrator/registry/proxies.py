"""HTTP proxies as curl and docker take them from the environment: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.registry.hosts import is_loopback, name_of


def proxy_for(scheme: str, authority: str, environment: Mapping[str, str]) -> str:
    """The proxy for a host, or the empty text; this machine is never asked through one."""
    if is_loopback(authority) or _is_excluded(authority, _variable(environment, "no_proxy")):
        return ""
    # HTTP_PROXY in capitals is what a CGI server makes of a request's Proxy field.
    is_cgi = scheme == "http" and "REQUEST_METHOD" in environment
    proxy = environment.get("http_proxy", "") if is_cgi else _variable(environment, f"{scheme}_proxy")
    proxy = proxy or _variable(environment, "all_proxy")
    return proxy if "://" in proxy or not proxy else f"http://{proxy}"


def _variable(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name) or environment.get(name.upper()) or ""


def _is_excluded(authority: str, no_proxy: str) -> bool:
    name = name_of(authority)
    for entry in filter(None, (part.strip().lower() for part in no_proxy.split(","))):
        suffix = entry.removeprefix("*").removeprefix(".")
        if entry == "*" or entry == authority.lower() or name == suffix or name.endswith(f".{suffix}"):
            return True
    return False
