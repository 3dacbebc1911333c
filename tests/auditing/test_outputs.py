"""Where commands put their files, as far as their words tell."""

import pytest

from orchestrator.auditing.outputs import (
    CONFIGURED,
    UNKNOWN,
    Command,
    built,
    configured,
    downloaded,
    moved,
    overlap,
    spread,
)


def command(line: str, folder: str = "/w", **variables: str) -> Command:
    name, *arguments = line.split()
    return Command(name, tuple(arguments), folder, variables.get)


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("go build -o /out/app ./cmd", ("/out/app",)),
        ("go build -o=bin/ ./...", ("/w/bin",)),
        ("go build .", ("/w",)),
        ("go install x@latest", ("/go/bin", "/root/go/bin")),
        ("cargo build --release", ("/w/target",)),
        ("cargo build --target-dir /t", ("/t",)),
        ("cargo install ripgrep --root /opt", ("/opt/bin",)),
        ("gcc -O2 -o x x.c", ("/w/x",)),
        ("make -j4", ("/w",)),
        ("make install PREFIX=/opt/x", ("/w", "/opt/x")),
        ("make DESTDIR=/stage install", ("/w", "/stage/usr/local", "/stage")),
        ("swift build", ("/w/.build",)),
        ("dotnet publish -o /app", ("/app",)),
        ("zig build", ("/w",)),
    ],
)
def test_what_is_built(line: str, paths: tuple[str, ...]) -> None:
    assert built(command(line)) == paths


def test_what_is_built_depends_on_variables() -> None:
    assert built(command("go install x", GOBIN="/b", GOPATH="/g")) == ("/b",)
    assert built(command("cargo build", CARGO_TARGET_DIR="/t")) == ("/t",)
    assert built(command("make install", **{CONFIGURED: "/opt/y"})) == ("/w", "/opt/y")
    assert built(command(f"go build -o {UNKNOWN}/app")) == (UNKNOWN,)
    assert configured(command("configure --prefix=/opt/y --host=x")) == "/opt/y"
    assert configured(command("cmake -DCMAKE_INSTALL_PREFIX=/z ..")) == "/z"


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("curl -fsSLo /usr/bin/t https://e.com/x", ("/usr/bin/t",)),
        ("curl -fsSL -o t https://e.com/x", ("/w/t",)),
        ("curl --output=/t https://e.com/x", ("/t",)),
        ("curl -LO https://e.com/x.tgz", ("/w/x.tgz",)),
        ("curl -sSL https://e.com/x.tgz", ()),
        ("wget https://e.com/x.tgz", ("/w/x.tgz",)),
        ("wget -qO- https://e.com/x.tgz", ()),
        ("wget -qO /t https://e.com/x.tgz", ("/t",)),
        ("wget -P /d https://e.com/x.tgz", ("/d/x.tgz",)),
        ("tar -xzf x.tgz -C /opt", ("/opt",)),
        ("tar xzf x.tgz", ("/w",)),
        ("unzip x.zip -d /opt", ("/opt",)),
        ("tee /etc/x", ("/etc/x",)),
        ("apt-get install x", ()),
    ],
)
def test_what_is_downloaded(line: str, paths: tuple[str, ...]) -> None:
    assert downloaded(command(line)) == paths


def test_what_is_moved() -> None:
    assert moved(command("mv a /b")) == (("/w/a",), "/b")
    assert moved(command("cp -r a b /c/")) == (("/w/a", "/w/b"), "/c")
    assert moved(command("cp -t /d a b")) == (("/w/a", "/w/b"), "/d")
    assert moved(command("tar -xf a.tgz -C /opt"))[1] == "/opt"  # type: ignore[index]
    assert moved(command("echo a b")) is None


@pytest.mark.parametrize(
    ("written", "taken", "expected"),
    [
        ("/out/app", "/out/app", True),
        ("/out/app", "/out", True),
        ("/out", "/out/app", True),
        ("/out", "/output", False),
        ("/out/app", "/", True),
        ("/out/app", "/out/*", True),
        ("/out/app", "/o*/app", True),
        ("/usr/bin/x", "/out", False),
        (UNKNOWN, "/x", True),
        ("/x", UNKNOWN, True),
    ],
)
def test_paths_overlap(written: str, taken: str, expected: bool) -> None:
    assert overlap(written, taken) is expected


def test_files_are_followed_through_moves() -> None:
    commands = [command("gcc -o x x.c"), command("mv x /out/y"), command("cp /out/y /z"), command("cp /other /q")]
    assert spread({0: ("/w/x",)}, commands) == {0: ["/w/x", "/out/y", "/z"]}
