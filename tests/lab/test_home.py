"""Where the state folder is, and that two calls do not collide in it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lab.errors import LabError
from lab.home import Home, locked
from lab.setting import Decisions, Lab


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"HOME": "/home/me"}, "/home/me/.cache/mabuild-lab"),
        ({"HOME": "/home/me", "XDG_CACHE_HOME": "/cache"}, "/cache/mabuild-lab"),
        ({"HOME": "/home/me", "MABUILD_LAB_HOME": "/elsewhere/lab"}, "/elsewhere/lab"),
    ],
)
def test_the_folder_follows_the_environment(environment: dict[str, str], expected: str) -> None:
    assert Home.from_environment(environment).root == Path(expected)


def test_a_socket_path_that_the_kernel_would_not_take_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="too long"):
        Home(tmp_path / ("x" * 120)).socket("node.sock")


def test_the_second_waits_for_the_first(tmp_path: Path) -> None:
    home, waiting, order = Home(tmp_path / "lab"), threading.Event(), list[str]()

    def second() -> None:
        with locked(home, waiting.set):
            order.append("second")

    thread = threading.Thread(target=second)
    with locked(home, lambda: order.append("nobody was there")):
        thread.start()
        assert waiting.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


def test_decisions_are_remembered(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with pytest.raises(LabError, match="not up"):
        Lab.load(home)
    lab = Lab(home, Decisions(port=5001, own_engine=True, bridge=201))
    lab.save()
    assert Lab.load(home) == lab
    assert lab.environment["MABUILD_LAB_REGISTRY"] == "localhost:5001"
    assert lab.environment["DOCKER_HOST"] == f"unix://{tmp_path}/run/engine.sock"
    home.settings.write_text('{"unknown": 1}')
    with pytest.raises(LabError, match="not up"):
        Lab.load(home)


def test_an_engine_that_is_not_ours_is_found_by_docker_itself(tmp_path: Path) -> None:
    assert "DOCKER_HOST" not in Lab(Home(tmp_path), Decisions(port=5000, own_engine=False)).environment


def test_a_home_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LabError, match="cannot be made"), locked(Home(tmp_path / "file" / "home"), lambda: None):
        pass
