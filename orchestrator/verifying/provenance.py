"""Reads BuildKit's provenance (SLSA v0.2 and v1): on what an image was built, from which bases, what was run."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote

from orchestrator.core.errors import UsageError
from orchestrator.core.plan import Mode
from orchestrator.core.platform import Platform
from orchestrator.verifying.documents import JsonObject, mapping, mappings, parse_object, text
from orchestrator.verifying.evidence import Base, Statement

_TOOLS = ("docker/dockerfile", "docker/dockerfile-upstream", "docker/buildkit-syft-scanner")
_MOST_STEPS = 20_000
_NARROWER = {"amd64": "386", "arm64": "arm"}


def read_statement(content: bytes, claimed_type: str) -> Statement:
    """An in-toto statement; of a provenance also what it tells about platforms. ContentError for other bytes."""
    root = parse_object(content)
    predicate = mapping(root, "predicate")
    definition = mapping(predicate, "buildDefinition")
    steps = _steps(predicate, definition)
    return Statement(
        claimed_type=claimed_type,
        predicate_type=text(root, "predicateType"),
        subjects=tuple(digest for one in mappings(root, "subject") for digest in _digests(mapping(one, "digest"))),
        builder=_builder(predicate, definition),
        bases=tuple(
            base
            for material in (*mappings(predicate, "materials"), *mappings(definition, "resolvedDependencies"))
            if (base := _base(text(material, "uri"))) is not None
        ),
        executed=frozenset(filter(None, map(_executed_on, steps))),
        steps_known=bool(steps),
    )


def build_mode(statement: Statement, target: Platform) -> str:
    """How an image was built, as far as its provenance proves it; empty where it may be emulated or cross-compiled."""
    builder = platform_of(statement.builder)
    if builder is None:
        return ""
    if builder.architecture == target.architecture:
        return Mode.NATIVE.value
    if _NARROWER.get(builder.architecture) == target.architecture:
        return Mode.COMPAT.value
    if not statement.steps_known:
        return ""
    return Mode.EMULATED.value if target.architecture in statement.executed else Mode.CROSS.value


def platform_of(text: str) -> Platform | None:
    """The platform that a text names, if it does."""
    try:
        return Platform.parse(text) if text else None
    except UsageError:
        return None


def _digests(digests: JsonObject) -> list[str]:
    return [f"{algorithm}:{value}" for algorithm, value in digests.items() if isinstance(value, str)]


def _builder(predicate: JsonObject, definition: JsonObject) -> str:
    """v0.2 has it in the invocation; v1 in the internal parameters, under a name that changed."""
    internal = mapping(definition, "internalParameters")
    return (
        text(mapping(predicate, "invocation", "environment"), "platform")
        or text(internal, "builderPlatform")
        or text(mapping(internal, "environment"), "platform")
    )


def _base(uri: str) -> Base | None:
    """An image among the materials (`pkg:docker/NAME@TAG?platform=OS%2FARCH`), without what BuildKit itself runs."""
    kind, _, rest = uri.partition("/")
    if kind not in {"pkg:docker", "pkg:oci"}:
        return None
    name, _, query = rest.partition("?")
    name = unquote(name)
    if name.partition("@")[0] in _TOOLS:
        return None
    return Base(name.replace("@", ":", 1), (parse_qs(query).get("platform") or [""])[0])


def _steps(predicate: JsonObject, definition: JsonObject) -> tuple[JsonObject, ...]:
    places = (
        mapping(predicate, "buildConfig"),
        mapping(definition, "internalParameters", "buildConfig"),
        mapping(definition, "externalParameters", "buildConfig"),
    )
    return next((steps for place in places if (steps := mappings(place, "llbDefinition"))), ())[:_MOST_STEPS]


def _executed_on(step: JsonObject) -> str:
    """The architecture on which a step ran a program; empty for steps that only copy or fetch."""
    operation = mapping(step, "op")
    kinds = mapping(operation, "Op") or mapping(operation, "op")
    if "exec" not in kinds and "Exec" not in kinds:
        return ""
    platform = mapping(operation, "platform")
    return text(platform, "Architecture") or text(platform, "architecture")
