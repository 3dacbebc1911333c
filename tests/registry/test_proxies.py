from __future__ import annotations

import pytest

from orchestrator.registry.proxies import proxy_for

BOTH = {"HTTPS_PROXY": "http://p:1", "http_proxy": "p:2"}


@pytest.mark.parametrize(
    ("scheme", "host", "environment", "proxy"),
    [
        ("https", "ghcr.io", {}, ""),
        ("https", "ghcr.io", BOTH, "http://p:1"),
        ("http", "ghcr.io", BOTH, "http://p:2"),
        ("http", "ghcr.io", {"HTTP_PROXY": "http://p:3", "REQUEST_METHOD": "GET"}, ""),
        ("https", "ghcr.io", {"ALL_PROXY": "http://p:4"}, "http://p:4"),
        ("http", "localhost:5000", BOTH, ""),
        ("https", "ghcr.io", {**BOTH, "NO_PROXY": "other, .ghcr.io"}, ""),
        ("https", "eu.ghcr.io:443", {**BOTH, "no_proxy": "ghcr.io"}, ""),
        ("https", "notghcr.io", {**BOTH, "no_proxy": "ghcr.io"}, "http://p:1"),
        ("https", "r.test:5000", {**BOTH, "no_proxy": "r.test:5000"}, ""),
        ("https", "ghcr.io", {**BOTH, "no_proxy": "*"}, ""),
    ],
)
def test_proxy(scheme: str, host: str, environment: dict[str, str], proxy: str) -> None:
    assert proxy_for(scheme, host, environment) == proxy
