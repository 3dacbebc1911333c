from __future__ import annotations

import pytest

from orchestrator.core.fleet import RegistrySettings
from orchestrator.registry.hosts import Hosts, is_loopback, is_private, name_of


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("ghcr.io", "https://ghcr.io/v2/x"),
        ("docker.io", "https://registry-1.docker.io/v2/x"),
        ("localhost:5000", "http://localhost:5000/v2/x"),
        ("127.0.0.1", "http://127.0.0.1/v2/x"),
        ("127.9.9.9:80", "http://127.9.9.9:80/v2/x"),
        ("[::1]:5000", "http://[::1]:5000/v2/x"),
        ("127.0.0.1.example.com", "https://127.0.0.1.example.com/v2/x"),
        ("localhost.example.com", "https://localhost.example.com/v2/x"),
        ("10.0.0.1:5000", "https://10.0.0.1:5000/v2/x"),
    ],
)
def test_only_this_machine_is_asked_without_tls(host: str, url: str) -> None:
    assert Hosts(()).endpoint(host).url("x") == url


@pytest.mark.parametrize(
    ("settings", "scheme"),
    [
        (RegistrySettings("10.0.0.1:5000", http=True), "http"),
        (RegistrySettings("localhost:5000", insecure=True), "https"),
        (RegistrySettings("localhost:5000", ca="ca.pem"), "https"),
    ],
)
def test_settings_choose_the_scheme(settings: RegistrySettings, scheme: str) -> None:
    assert Hosts([settings]).endpoint(settings.host).scheme == scheme


def test_settings_of_docker_hub_are_found_by_its_name() -> None:
    hosts = Hosts([RegistrySettings("docker.io", ca="hub.pem")])
    assert hosts.settings("registry-1.docker.io").ca == "hub.pem"


def test_mirrors_are_told_whom_they_stand_in_for() -> None:
    mirrors = ("mirror.example", "http://10.0.0.2:5000", "harbor.example/hub")
    found = Hosts([RegistrySettings("docker.io", mirrors=mirrors)]).mirrors("docker.io")
    assert [mirror.url("library/x/tags/list?n=1") for mirror in found] == [
        "https://mirror.example/v2/library/x/tags/list?n=1&ns=docker.io",
        "http://10.0.0.2:5000/v2/library/x/tags/list?n=1&ns=docker.io",
        "https://harbor.example/v2/hub/library/x/tags/list?n=1&ns=docker.io",
    ]


@pytest.mark.parametrize(
    ("authority", "name"), [("A.B:1", "a.b"), ("[::1]:5", "::1"), ("[fe80::1]", "fe80::1"), ("x", "x")]
)
def test_name_of(authority: str, name: str) -> None:
    assert name_of(authority) == name


@pytest.mark.parametrize(
    "authority",
    [
        "10.0.0.1",
        "169.254.169.254",
        "[fd00::1]:443",
        "localhost",
        "127.0.0.1:1",
        "a.localhost",
        "2130706433",
        "0x7f.1",
        "127.1:80",
    ],
)
def test_private(authority: str) -> None:
    assert is_private(authority)


@pytest.mark.parametrize("authority", ["ghcr.io", "8.8.8.8", "10.example.com", "[2606:4700::1]:443"])
def test_not_private(authority: str) -> None:
    assert not is_private(authority)
    assert not is_loopback(authority)
