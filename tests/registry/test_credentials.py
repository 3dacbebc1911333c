from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from orchestrator.registry.credentials import Credentials, Login


def encoded(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


class Desk:
    """A home with configurations, and who asks there."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {"HOME": str(home), "PATH": str(home / "bin")}
        self.warnings: list[str] = []

    def docker(self, value: object) -> None:
        write(self.home / ".docker/config.json", value)

    def helper(self, name: str, script: str) -> None:
        path = write(self.home / f"bin/docker-credential-{name}", f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def login(self, host: str, repository: str = "acme/api") -> Login:
        return Credentials(self.environment, self.warnings.append).login(host, repository)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_nobody_knows_a_login(desk: Desk) -> None:
    assert desk.login("ghcr.io").is_anonymous
    assert desk.warnings == []


@pytest.mark.parametrize(
    "key",
    ["https://index.docker.io/v1/", "index.docker.io", "docker.io", "registry-1.docker.io", "http://docker.io/v2/"],
)
def test_docker_hub_has_many_names(desk: Desk, key: str) -> None:
    desk.docker({"auths": {key: {"auth": encoded("me", "pa:ss")}}})
    login = desk.login("docker.io", "library/busybox")
    assert (login.username, login.password) == ("me", "pa:ss")
    assert login.source.endswith(".docker/config.json")


@pytest.mark.parametrize("key", ["ghcr.io", "https://ghcr.io", "https://ghcr.io/", "https://ghcr.io/v2/"])
def test_hosts_may_be_written_as_addresses(desk: Desk, key: str) -> None:
    desk.docker({"auths": {key: {"username": "me", "password": "word"}}})
    assert desk.login("ghcr.io").password == "word"
    assert desk.login("xghcr.io").is_anonymous


def test_the_longest_path_counts(desk: Desk) -> None:
    auths = {"quay.io": encoded("a", "1"), "quay.io/acme": encoded("b", "2"), "quay.io/acme/ap": encoded("c", "3")}
    desk.docker({"auths": {key: {"auth": auth} for key, auth in auths.items()}})
    assert desk.login("quay.io", "acme/api").username == "b"
    assert desk.login("quay.io", "acme/ap").username == "c"
    assert desk.login("quay.io", "other").username == "a"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"auth": ""}, Login()),
        ({}, Login()),
        ({"auth": "", "identitytoken": "id"}, Login(identity_token="id")),
        ({"auth": encoded("me", ""), "identitytoken": "id"}, Login("me", identity_token="id")),
        ({"registrytoken": "rt"}, Login(registry_token="rt")),
        ({"auth": encoded("<token>", "id")}, Login("<token>", identity_token="id")),
        ({"username": 5, "password": ["x"]}, Login()),
    ],
)
def test_entries(desk: Desk, entry: object, expected: Login) -> None:
    desk.docker({"auths": {"ghcr.io": entry}})
    found = desk.login("ghcr.io")
    assert found.is_anonymous == expected.is_anonymous
    if not expected.is_anonymous:
        assert (found.username, found.password) == (expected.username, expected.password)
        assert (found.identity_token, found.registry_token) == (expected.identity_token, expected.registry_token)


@pytest.mark.parametrize("text", ["", "[", "[]", "{" * 100_000, '{"auths": 5}', '{"auths": {"ghcr.io": 5}}'])
def test_broken_files_are_no_logins(desk: Desk, text: str) -> None:
    desk.docker(text)
    assert desk.login("ghcr.io").is_anonymous


def test_a_login_that_is_not_base64_is_told_without_its_text(desk: Desk) -> None:
    desk.docker({"auths": {"ghcr.io": {"auth": "se cret!"}}})
    assert desk.login("ghcr.io").is_anonymous
    assert len(desk.warnings) == 1
    assert "secret" not in desk.warnings[0].replace(" ", "")


def test_sources_in_order(desk: Desk) -> None:
    def config(user: str) -> dict[str, object]:
        return {"auths": {"ghcr.io": {"auth": encoded(user, "x")}}}

    write(desk.home / ".config/containers/auth.json", config("podman"))
    assert desk.login("ghcr.io").username == "podman"
    named = write(desk.home / "named.json", config("named"))
    desk.environment["REGISTRY_AUTH_FILE"] = str(named)
    assert desk.login("ghcr.io").username == "named"
    desk.docker(config("docker"))
    assert desk.login("ghcr.io").username == "docker"
    write(desk.home / "other/config.json", config("other"))
    desk.environment["DOCKER_CONFIG"] = str(desk.home / "other")
    assert desk.login("ghcr.io").username == "other"
    desk.environment["DOCKER_AUTH_CONFIG"] = json.dumps(config("variable"))
    assert desk.login("ghcr.io").username == "variable"


def test_podman_keeps_logins_of_a_session(desk: Desk) -> None:
    write(desk.home / "run/containers/auth.json", {"auths": {"ghcr.io/acme": {"auth": encoded("session", "x")}}})
    desk.environment["XDG_RUNTIME_DIR"] = str(desk.home / "run")
    assert desk.login("ghcr.io").username == "session"


def test_a_helper_for_one_host(desk: Desk) -> None:
    desk.docker({"credHelpers": {"ghcr.io": "one"}, "auths": {"ghcr.io": {}}})
    desk.helper("one", 'read server; echo "{\\"Username\\":\\"$server\\",\\"Secret\\":\\"s\\"}"')
    login = desk.login("ghcr.io")
    assert (login.username, login.password, login.source) == ("ghcr.io", "s", "docker-credential-one")
    assert desk.login("quay.io").is_anonymous


def test_the_store_is_asked_for_docker_hub_by_its_old_address(desk: Desk) -> None:
    desk.docker({"credsStore": "all"})
    desk.helper("all", 'read server; echo "{\\"Username\\":\\"$server\\",\\"Secret\\":\\"s\\"}"')
    assert desk.login("docker.io", "library/x").username == "https://index.docker.io/v1/"


def test_an_identity_token_from_a_helper(desk: Desk) -> None:
    desk.docker({"credsStore": "all"})
    desk.helper("all", 'echo \'{"Username":"<token>","Secret":"refresh"}\'')
    assert desk.login("ghcr.io").identity_token == "refresh"


def test_a_store_without_the_login_leaves_it_to_the_file(desk: Desk) -> None:
    desk.docker({"credsStore": "all", "auths": {"ghcr.io": {"auth": encoded("file", "x")}}})
    desk.helper("all", "echo credentials not found in native keychain; exit 1")
    assert desk.login("ghcr.io").username == "file"
    assert desk.warnings == []


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "docker-credential-all failed with status 3"),
        ("echo nonsense", "is not JSON"),
        ("echo '[]'", "another shape"),
    ],
)
def test_a_broken_helper_is_told_and_left_out(desk: Desk, script: str, reason: str) -> None:
    desk.docker({"credsStore": "all"})
    desk.helper("all", script)
    assert desk.login("ghcr.io").is_anonymous
    assert len(desk.warnings) == 1
    assert reason in desk.warnings[0]
    assert "ghcr.io is asked without its login" in desk.warnings[0]


def test_a_missing_helper_is_told_once(desk: Desk) -> None:
    desk.docker({"credsStore": "desktop"})
    credentials = Credentials(desk.environment, desk.warnings.append)
    assert credentials.login("ghcr.io", "a").is_anonymous
    assert credentials.login("ghcr.io", "b").is_anonymous
    assert desk.warnings == ["docker-credential-desktop is not installed; ghcr.io is asked without its login"]


def test_a_helper_is_asked_once_for_a_host(desk: Desk) -> None:
    desk.docker({"credsStore": "all"})
    desk.helper("all", f'echo x >>{desk.home}/calls; echo \'{{"Username":"u","Secret":"s"}}\'')
    credentials = Credentials(desk.environment, desk.warnings.append)
    for repository in ("a", "b", "c"):
        credentials.login("ghcr.io", repository)
    assert (desk.home / "calls").read_text() == "x\n"


def test_secrets_are_not_shown() -> None:
    assert "hidden" not in repr(Login("me", "hidden", "hidden", "hidden"))
