"""What a runtime would execute, followed through wrappers, scripts, shells and links."""

from __future__ import annotations

import io

from orchestrator.verifying.configuration import ImageConfig
from orchestrator.verifying.entrypoint import Step, trace
from orchestrator.verifying.expectation import Limits
from orchestrator.verifying.filesystem import FileMap
from orchestrator.verifying.scan import scan_layer
from tests.verifying.binaries import program
from tests.verifying.images import PLAIN_LAYER, Member, file, layer, link
from tests.verifying.roots import glibc


def root(*members: Member) -> FileMap:
    made = layer(*glibc("amd64"), *members, media_type=PLAIN_LAYER)
    files = FileMap()
    files.put_layer(0, scan_layer(io.BytesIO(made.content).read, "sha256:x", len(made.content), Limits()).entries)
    return files


def tool(path: str) -> Member:
    return file(path, program("amd64"))


def steps(config: ImageConfig, *members: Member) -> list[tuple[str, str]]:
    return [(step.path, step.role) for step in trace(config, root(*members))]


def traced(entrypoint: str, *members: Member, command: str = "", **fields: object) -> list[Step]:
    config = ImageConfig(entrypoint=tuple(entrypoint.split()), command=tuple(command.split()), **fields)  # type: ignore[arg-type]
    return list(trace(config, root(*members)))


def found(entrypoint: str, *members: Member, command: str = "", **fields: object) -> list[str]:
    return [step.path for step in traced(entrypoint, *members, command=command, **fields)]


def test_entrypoint_and_its_arguments() -> None:
    assert steps(ImageConfig(entrypoint=("/app",), command=("/not-executed",)), tool("app")) == [
        ("/app", "the entry point")
    ]
    assert steps(ImageConfig(command=("/app", "x")), tool("app")) == [("/app", "the command")]
    assert steps(ImageConfig()) == []


def test_path_and_working_directory() -> None:
    assert found("app", tool("usr/bin/app")) == ["/usr/bin/app"]
    assert found("app", tool("usr/bin/app"), tool("usr/local/bin/app")) == ["/usr/local/bin/app"]
    assert found("app", tool("x/app"), tool("usr/bin/app"), environment=(("PATH", "/x:/usr/bin"),)) == ["/x/app"]
    assert found("./app", tool("srv/app"), working_directory="/srv") == ["/srv/app"]
    assert found("app", tool("srv/app"), working_directory="/srv", environment=(("PATH", ":/bin"),)) == ["/srv/app"]


def test_a_file_in_path_without_the_right_to_be_executed_is_passed_over() -> None:
    plain = file("usr/local/bin/app", program("amd64"), 0o644)
    assert found("app", plain, tool("usr/bin/app")) == ["/usr/bin/app"]
    assert "may not be executed" in traced("app", plain)[0].reason


def test_links_are_followed() -> None:
    assert found("/init", link("init", "/opt/run"), link("opt/run", "../usr/lib/real"), tool("usr/lib/real")) == [
        "/usr/lib/real"
    ]


def test_wrappers() -> None:
    members = (tool("usr/bin/tini"), tool("usr/bin/gosu"), tool("app"))
    assert found("tini -- gosu nobody /app", *members) == ["/usr/bin/tini", "/usr/bin/gosu", "/app"]


def test_a_shell_line_that_is_one_command_is_certain() -> None:
    config = ImageConfig(entrypoint=("/bin/sh", "-c", "exec nothing --here"))
    shell, missing = trace(config, root())
    assert (shell.path, missing.name, missing.is_certain) == ("/usr/bin/sh", "nothing", True)
    config = ImageConfig(entrypoint=("/bin/sh", "-c", "maybe || other"))
    assert [step.is_certain for step in trace(config, root())] == [True, False, False]


def test_the_entrypoint_script_of_official_images() -> None:
    script = (
        b'#!/usr/bin/env bash\nset -e\nif [ "$1" = x ]; then\n  exec gosu user "$BASH_SOURCE" "$@"\nfi\nexec "$@"\n'
    )
    members = (
        file("usr/local/bin/docker-entrypoint.sh", script),
        tool("usr/bin/env"),
        tool("usr/bin/gosu"),
        tool("usr/bin/server"),
    )
    assert found("docker-entrypoint.sh", *members, command="server --x") == [
        "/usr/local/bin/docker-entrypoint.sh",
        "/usr/bin/env",
        "/usr/bin/sh",
        "/usr/bin/gosu",
        "/usr/bin/server",
    ]
    assert found("docker-entrypoint.sh", *members, command="--flag")[-1] == "/usr/bin/gosu"


def test_a_script_given_to_a_shell_needs_no_first_line() -> None:
    script = file("run.sh", b"#!/bin/sh\nexec /app\n", 0o755)
    assert found("sh /run.sh", script, tool("app")) == ["/usr/bin/sh", "/app"]
    missing = traced("sh /none.sh")[-1]
    assert (missing.role, missing.reason) == ("the shell's script", "/none.sh does not exist")


def test_interpreters_of_interpreters() -> None:
    members = (file("a", b"#!/b\n"), file("b", b"#!/bin/sh -e\n"))
    assert found("/a", *members) == ["/a", "/b", "/usr/bin/sh"]


def test_scripts_that_name_each_other_end() -> None:
    members = (file("a", b"#!/b\nexec /b\n"), file("b", b"#!/a\nexec /a\n"))
    assert len(found("/a", *members)) <= 2


def test_health_check() -> None:
    config = ImageConfig(entrypoint=("/app",), healthcheck=("CMD-SHELL", "curl -f localhost || exit 1"))
    traced_steps = trace(config, root(tool("app"), tool("usr/bin/curl")))
    assert [(step.path, step.is_health_check) for step in traced_steps] == [
        ("/app", False),
        ("/usr/bin/sh", True),
        ("/usr/bin/curl", True),
    ]
    assert trace(ImageConfig(healthcheck=("NONE",)), root()) == ()


def test_libraries_are_resolved_for_every_step() -> None:
    (step,) = traced("/bin/bash")
    assert step.linking is not None
    assert [one.path for one in step.linking.libraries] == ["usr/lib/x86_64-linux-gnu/libc.so.6"]
