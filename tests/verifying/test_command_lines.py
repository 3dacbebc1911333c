"""Command lines: wrappers, shell lines, scripts."""

from __future__ import annotations

import pytest

from orchestrator.verifying.command_lines import programs, script_target, shell_command, shell_script, unwrapped


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("tini -- app --flag", "app --flag"),
        ("/sbin/tini app", "app"),
        ("tini -g -p SIGTERM -- app", "app"),
        ("dumb-init --rewrite 15:3 -- app", "app"),
        ("dumb-init -c app", "app"),
        ("env A=1 B=2 app x", "app x"),
        ("env -i -u HOME A=1 app", "app"),
        ("env -S python3 -u", "python3 -u"),
        ("env -S A=1 node --title=x", "node --title=x"),
        ("gosu postgres postgres -D /data", "postgres -D /data"),
        ("su-exec nobody:nogroup /app", "/app"),
        ("setpriv --reuid 1000 --clear-groups app", "app"),
        ("setpriv --reuid=1000 app", "app"),
        ("timeout -s KILL 10 app", "app"),
        ("nice -n 5 app", "app"),
        ("catatonit -- app", "app"),
        ("app --flag", ""),
        ("tini", ""),
        ("", ""),
    ],
)
def test_wrappers(line: str, inner: str) -> None:
    assert unwrapped(tuple(line.split())) == tuple(inner.split())


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("/bin/sh", "-c", "app"), "app"),
        (("bash", "-ec", "app"), "app"),
        (("bash", "-l", "-c", "app"), "app"),
        (("sh", "script"), ""),
        (("python", "-c", "code"), ""),
        (("sh", "-c"), ""),
    ],
)
def test_shell_command(words: tuple[str, ...], command: str) -> None:
    assert shell_command(words) == command


def test_shell_script() -> None:
    assert shell_script(("sh", "-e", "/run.sh", "a")) == ("/run.sh", "a")
    assert shell_script(("sh", "-c", "x")) == ()
    assert shell_script(("python", "x.py")) == ()


@pytest.mark.parametrize(
    ("line", "found", "only"),
    [
        ("app --flag", ["app --flag"], True),
        ("exec app --flag", ["app --flag"], True),
        ("A=1 B=2 exec app", ["app"], True),
        ("cd /x && exec app", ["app"], False),
        ("set -e; migrate; exec serve -p 80", ["migrate", "serve -p 80"], False),
        ("app | tee log", ["app", "tee log"], False),
        ("$APP --flag", [], False),
        ("if true; then app; fi", [], False),
        ("echo 'app;other'", [], False),
        ("app 'a b' \\\n --more", ["app a b --more"], True),
        ("unbalanced 'quote", [], False),
        ("", [], False),
    ],
)
def test_programs_of_a_shell_line(line: str, found: list[str], only: bool) -> None:
    commands, is_only_one = programs(line)
    assert [" ".join(command) for command in commands] == found
    assert is_only_one is only


@pytest.mark.parametrize(
    ("run", "arguments", "target"),
    [
        ('exec "$@"', ("app", "-x"), ("app", "-x")),
        ('exec gosu user "$@"', ("app",), ("gosu", "user", "app")),
        ('exec tini -- "${@}" # comment', ("app",), ("tini", "--", "app")),
        ("exec /usr/sbin/nginx -g 'daemon off;'", (), ("/usr/sbin/nginx", "-g", "daemon off;")),
        ("exec -a name app", (), ("app",)),
        ('exec "$0" "$@"', ("app",), ()),
        ('exec "$@"', (), ()),
        ('exec "$@"', ("--flag",), ()),
        ("exec 3>&1", (), ("3>&1",)),
        ("exec 'broken", (), ()),
    ],
)
def test_what_a_script_executes(run: str, arguments: tuple[str, ...], target: tuple[str, ...]) -> None:
    assert script_target(run, arguments) == target
