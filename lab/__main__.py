"""The lab's command line: `python3 -m lab up | down | env | run | status | install | buildkit-image`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from lab.buildkit import IMAGE, has_image, provide_image
from lab.debian import Package
from lab.down import bring_down
from lab.errors import LabError
from lab.home import Home, locked
from lab.setting import Lab
from lab.status import status_lines
from lab.up import Packages, Teller, bring_up

if TYPE_CHECKING:
    from collections.abc import Sequence


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python3 -m lab", description=sys.modules["lab"].__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    commands.add_parser("up", help="start everything, installing what is missing")
    down = commands.add_parser("down", help="stop what was started")
    down.add_argument("--all", action="store_true", help="remove caches and the registry's data too")
    commands.add_parser("env", help="print the environment, one KEY=VALUE a line")
    run = commands.add_parser("run", help="run a command in the environment: run -- CMD…")
    run.add_argument("words", nargs=argparse.REMAINDER, metavar="CMD")
    install = commands.add_parser("install", help="install Debian packages that this machine lacks")
    install.add_argument("packages", nargs="+", metavar="PACKAGE")
    commands.add_parser("buildkit-image", help="make the image of docker-container nodes; needs Go")
    commands.add_parser("status", help="tell what runs; exit code 1 if anything does not")
    return top


def say(text: str) -> None:
    print(text, flush=True)


def main(words: Sequence[str]) -> int:
    arguments = parser().parse_args(words)
    home = Home.from_environment(os.environ)
    try:
        return act(arguments, home)
    except LabError as error:
        print(f"lab: {error.message}", *error.hint.splitlines(), sep="\n  ", file=sys.stderr)
        return error.exit_code


def act(arguments: argparse.Namespace, home: Home) -> int:
    match arguments.command:
        case "up":
            with locked(home, lambda: say("lab: waiting for another call")):
                bring_up(home, say)
        case "down":
            with locked(home, lambda: say("lab: waiting for another call")):
                bring_down(home, say, everything=arguments.all)
        case "env":
            for key, value in Lab.load(home).environment.items():
                say(f"{key}={value}")
        case "install":
            with locked(home, lambda: say("lab: waiting for another call")):
                Packages(home, Teller(say)).install("packages", tuple(map(Package, arguments.packages)))
        case "buildkit-image":
            with locked(home, lambda: say("lab: waiting for another call")):
                make_buildkit_image(Lab.load(home))
        case "status":
            return show_status(home)
        case _:
            return run_in(Lab.load(home), arguments.words)
    return 0


def make_buildkit_image(lab: Lab) -> None:
    if not has_image(lab):
        with Teller(say).step(f"image {':'.join(IMAGE)} made and pushed"):
            provide_image(lab)


def show_status(home: Home) -> int:
    lines = status_lines(Lab.load(home))
    for name, state, detail in lines:
        say(f"{name:10} {state:8} {detail}")
    return 0 if all(state == "up" for _, state, _ in lines) else 1


def run_in(lab: Lab, words: Sequence[str]) -> int:
    """Become the command, so that signals and exit code are its own."""
    command = [word for position, word in enumerate(words) if position or word != "--"]
    if not command:
        raise LabError("nothing to run", hint="python3 -m lab run -- CMD…")
    try:
        os.execvpe(command[0], command, {**os.environ, **lab.environment})  # noqa: S606 - no shell is wanted
    except FileNotFoundError:
        raise LabError(f"{command[0]}: no such command") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
