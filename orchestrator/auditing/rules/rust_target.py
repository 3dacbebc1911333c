"""MA502: Rust compiles for one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.architectures import AMD64
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address
from orchestrator.core.finding import Severity

_PROGRAMS = frozenset(
    {"cargo", "rustup", "rustc", "cross", "trunk", "wasm-pack", "maturin", "cargo-zigbuild", "rustup-init"}
)
_TRIPLE = re.compile(r"(?:x86_64|aarch64|i686|armv7|arm)-(?:unknown|alpine|linux)-[\w-]+|x86_64-pc-linux-gnu")
_VARIABLES = frozenset(
    {"CARGO_BUILD_TARGET", "RUST_TARGET", "CARGO_TARGET", "RUSTUP_TARGET", "RUSTTARGET", "BUILD_TARGET"}
)


@rule("MA502", Severity.ERROR)
def rust_target(context: Context) -> Iterator[Problem]:
    """A Rust target names one architecture.

    cargo compiles for that target on every platform, so the other platform's image holds a program that cannot start;
    where the linker for it is missing, the build fails. Without `--target` cargo compiles for the machine that builds;
    for a static program derive the target from `uname -m` or TARGETARCH.

    Bad:
        FROM rust:1.92
        RUN rustup target add x86_64-unknown-linux-musl
        RUN cargo build --release --target x86_64-unknown-linux-musl

    Good:
        FROM rust:1.92
        RUN rustup target add $(uname -m)-unknown-linux-musl
        RUN cargo build --release --target $(uname -m)-unknown-linux-musl
    """
    built = {(one.stage, one.family) for one in context.mentions if one.program != "rustup" and _is_target(one)}
    for mention in context.mentions:
        if _is_target(mention) and not _is_added_for_crossing(mention, built):
            message = (
                f"Rust compiles for {mention.family} on every platform: on {wrong_platforms(mention)} "
                "the program cannot run, or the linker is missing and the build fails"
            )
            yield problem(mention, message)


def _is_added_for_crossing(mention: Mention, built: set[tuple[int, str]]) -> bool:
    """`rustup target add aarch64-…` on its own: more than the machine's own target does no harm."""
    return mention.program == "rustup" and mention.family != AMD64 and (mention.stage, mention.family) not in built


def _is_target(mention: Mention) -> bool:
    if mention.role in {Role.ENV, Role.VARIABLE, Role.FALLBACK}:
        return mention.variable in _VARIABLES and bool(_TRIPLE.search(mention.value))
    if mention.role is not Role.ARGUMENT or mention.program not in _PROGRAMS:
        return False
    return bool(_TRIPLE.search(mention.value)) and "/" not in mention.value and not is_address(mention.value)
