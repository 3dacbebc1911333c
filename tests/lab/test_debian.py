"""What the lab reads from apt, and the sources that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.debian import Apt, Source, release_codename, services_denied, sources_from_targets, version_in_suite

TARGETS = """\
http://mirror.test/debian/ bookworm main Debian
http://mirror.test/debian/ bookworm contrib Debian
http://mirror.test/debian/ bookworm-updates main Debian
http://mirror.test/debian-security/ bookworm-security main Debian
http://mirror.test/debian/ bookworm main Debian
https://other.test/linux/debian bookworm main Other
https://node.test/node nodistro main Node
"""
MADISON = """\
 docker.io | 28.5.2+dfsg4-5 | http://mirror.test/debian sid/main amd64 Packages
 docker.io | 26.1.5+dfsg1-9+b1 | http://mirror.test/debian trixie/main amd64 Packages
 docker.io | 20.10.24+dfsg1-1 | http://mirror.test/debian bookworm/main amd64 Packages
"""


def test_only_the_distributions_own_suites_are_taken() -> None:
    assert sources_from_targets(TARGETS, "bookworm") == (
        Source("http://mirror.test/debian/", "bookworm"),
        Source("http://mirror.test/debian/", "bookworm-updates"),
        Source("http://mirror.test/debian-security/", "bookworm-security"),
    )


@pytest.mark.parametrize("text", ["", "\n", "broken", "a b c"])
def test_targets_that_say_nothing(text: str) -> None:
    assert sources_from_targets(text, "bookworm") == ()


@pytest.mark.parametrize(
    ("suite", "version"),
    [("trixie", "26.1.5+dfsg1-9+b1"), ("sid", "28.5.2+dfsg4-5"), ("forky", ""), ("main", "")],
)
def test_version_of_a_suite(suite: str, version: str) -> None:
    assert version_in_suite(MADISON, suite) == version


@pytest.mark.parametrize(
    ("text", "codename"),
    [("ID=debian\nVERSION_CODENAME=bookworm\n", "bookworm"), ('VERSION_CODENAME="trixie"', "trixie"), ("ID=x", "")],
)
def test_codename(text: str, codename: str) -> None:
    assert release_codename(text) == codename


def test_another_release_comes_from_the_same_mirror(tmp_path: Path) -> None:
    sources = sources_from_targets(TARGETS.replace("bookworm", "trixie"), "trixie")
    apt = Apt(tmp_path, "trixie", sources, ("sid",))
    assert apt.for_release("trixie", tmp_path / "other") is apt
    bookworm = apt.for_release("bookworm", tmp_path / "other")
    assert bookworm.sources == sources_from_targets(TARGETS, "bookworm")
    assert bookworm.newer == ()


def test_apt_is_asked_with_sources_of_our_own_only(tmp_path: Path) -> None:
    words = Apt(tmp_path, "bookworm", (), ()).command("apt-get", "update")
    assert words[0] == "apt-get"
    assert words[-1] == "update"
    assert "Dir::Etc::sourceparts=/dev/null" in words
    assert f"Dir::State::lists={tmp_path}/lists" in words


def test_services_are_denied_only_while_packages_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = tmp_path / "policy-rc.d"
    monkeypatch.setattr("lab.debian.POLICY", policy)
    with services_denied():
        assert "exit 101" in policy.read_text()
        assert policy.stat().st_mode & 0o111
    assert not policy.exists()
    policy.write_text("the machine's own")
    with services_denied():
        pass
    assert policy.read_text() == "the machine's own"
