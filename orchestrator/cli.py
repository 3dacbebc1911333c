"""The command line: picks a command from the table, and is the one place that catches errors and exits."""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer._click import Command, Context, HelpFormatter
from typer._click.exceptions import ClickException
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from orchestrator import __version__
from orchestrator.commands import COMMANDS
from orchestrator.commands.session import Session
from orchestrator.core.errors import Exit, MabuildError

_EPILOG = "Exit codes: 0 fine, 1 the answer is bad, 2 wrong call or manifest, 3 no plan possible, 4 docker or registry not reachable, 5 not everything could be checked."  # noqa: E501


class CommandTable(TyperGroup):
    """Loads a command's module only when that command is called, so that `--help` stays fast."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401
        settings["commands"] = {name: TyperCommand(name, help=sentence) for name, sentence in COMMANDS.items()}
        super().__init__(**settings)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:  # noqa: ARG002
        """The command of a name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"orchestrator.commands.{_module(cmd_name)}")
        command = get_command(module.app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002
        """The list in the help, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _module(name: str) -> str:
    return "import_" if name == "import" else name


app = typer.Typer(
    cls=CommandTable,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mabuild {__version__}")
        raise typer.Exit


@app.callback()
def _mabuild(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Plan, build, publish and prove container images for amd64 and arm64."""


def run(arguments: Sequence[str], session: Session) -> int:
    """Run one call and give its exit code; the only place that turns errors into text."""
    try:
        result: Any = get_command(app).main(list(arguments), "mabuild", standalone_mode=False, obj=session)
    except ClickException as error:
        error.show(file=session.stderr)
        return Exit.USAGE
    except MabuildError as error:
        return _tell(error, session)
    except (KeyboardInterrupt, typer.Abort):
        session.stderr.write("\ninterrupted\n")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        return _close_broken_pipe()
    except Exception as error:  # noqa: BLE001
        return _report_fault(error, arguments, session)
    return int(result or 0)


def _tell(error: MabuildError, session: Session) -> int:
    from orchestrator.report.errors import error_annotations, error_text

    session.stderr.write(error_text(error, session.screen(session.stderr)))
    if session.in_github_actions:
        session.stderr.write(error_annotations(error))
    return error.exit_code


def _report_fault(error: Exception, arguments: Sequence[str], session: Session) -> int:
    from orchestrator.report.errors import fault_report, write_fault_report

    path = write_fault_report(fault_report(error, arguments, __version__), session.temporary_directory)
    session.stderr.write(f"mabuild: a fault in mabuild itself ({type(error).__name__}): please report {path}\n")
    return Exit.FAULT


def _close_broken_pipe() -> int:
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    return Exit.OK


def session_of(environment: Mapping[str, str]) -> Session:
    """The surroundings of this process as one value."""
    return Session(environment=environment, directory=Path.cwd(), stdout=sys.stdout, stderr=sys.stderr)


def plugin_main() -> NoReturn:
    """The entry point of `docker-mabuild`, which docker runs for `docker mabuild …` (docker/cli, cli-plugins)."""
    arguments = sys.argv[1:]
    if arguments == ["docker-cli-plugin-metadata"]:
        about = {
            "SchemaVersion": "0.1.0",
            "Vendor": "mabuild",
            "Version": __version__,
            "ShortDescription": "Build images for several platforms under one tag",
        }
        typer.echo(json.dumps(about))
        sys.exit(Exit.OK)
    sys.exit(run(arguments[arguments[:1] == ["mabuild"] :], session_of(dict(os.environ))))


def main() -> NoReturn:
    """The entry point of `mabuild`."""
    gc.set_threshold(100_000, 50, 50)  # trees of small values: collecting as often as usual doubles a large audit
    sys.exit(run(sys.argv[1:], session_of(dict(os.environ))))
