"""What a shell offers after the Tab key: services and platforms of the manifests in this folder."""

from __future__ import annotations

import typer

from orchestrator.commands.session import session
from orchestrator.core.errors import MabuildError
from orchestrator.core.fleet import Fleet

_USUAL = ("linux/amd64", "linux/arm64", "linux/arm/v7", "linux/386", "linux/ppc64le", "linux/riscv64", "linux/s390x")


def complete_service(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of services, those that are typed already left out; `api+` stands beside `api` once it is typed."""
    typed = {name.rstrip("+") for name in ctx.params.get("services") or ()}
    names = [service.name for service in _fleet(ctx).services if service.name not in typed]
    return [word for name in names for word in _offers(name, incomplete) if word.startswith(incomplete)]


def _offers(name: str, incomplete: str) -> tuple[str, ...]:
    return (name, f"{name}+") if incomplete == name else (name,)


def complete_platform(ctx: typer.Context, incomplete: str) -> list[str]:
    """Platforms of the fleet, else the usual ones; behind a comma the next one."""
    before, comma, last = incomplete.rpartition(",")
    names = dict.fromkeys(str(one) for service in _fleet(ctx).services for one in service.platforms) or _USUAL
    return [f"{before}{comma}{name}" for name in names if name.startswith(last) and name not in before.split(",")]


def _fleet(ctx: typer.Context) -> Fleet:
    """The fleet; nothing where it cannot be read, for this is no place to complain."""
    from orchestrator.manifest.load import load

    here = session(ctx)
    try:
        return load(tuple(ctx.params.get("files") or ()), environment=here.environment, directory=here.directory)
    except MabuildError:
        return Fleet(())
