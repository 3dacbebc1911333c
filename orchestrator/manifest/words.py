"""The values that stand in a manifest: how each may be written, what it becomes, and its place in the JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, GetJsonSchemaHandler, PlainValidator, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from orchestrator.core.duration import DURATION, seconds_of
from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import Emulation
from orchestrator.core.platform import KNOWN_SYSTEMS, Platform
from orchestrator.core.reference import is_tag

_LONGEST_DURATION = 10 * 365 * 86_400.0
_SERVICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_SECRET = re.compile(r"[A-Za-z0-9_.\-/]+")
_RULE = re.compile(r"MA\d{1,3}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PROVENANCE = {"min": "min", "max": "max", "false": "false", "true": "min", "mode=min": "min", "mode=max": "max"}
_PLATFORM_ARGUMENTS = frozenset(
    side + part for side in ("TARGET", "BUILD") for part in ("PLATFORM", "OS", "OSVERSION", "ARCH", "VARIANT")
)
Named = TypeVar("Named")
TEXT = {"type": ["string", "number", "boolean"]}
_PAIRS = {
    "oneOf": [
        {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}},
        {"type": "array", "items": {"type": "string"}},
    ]
}


class OrWord:
    """Adds to the JSON Schema of a type the short form in which it may be written."""

    def __init__(self, short: dict[str, object]) -> None:
        self._short = short

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The schema of the type, or of its short form."""
        return {"anyOf": [handler(core), self._short]}


def refusal(rule: str, message: str, *, hidden: str, at: tuple[str | int, ...] = ()) -> PydanticCustomError:
    """The error for a value. `hidden` is told instead where the value came out of a variable, which may be secret.

    `at` leads on from the value to the part of it that is wrong.
    """
    return PydanticCustomError(rule, "{message}", {"message": message, "hidden": hidden, "at": at})


def refuse(refusals: list[PydanticCustomError]) -> None:
    """Raise all errors for a value as one; nothing where there are none."""
    if refusals:
        raise PydanticCustomError("several", "{count} mistakes", {"count": len(refusals), "several": tuple(refusals)})


def _platform(value: object) -> Platform:
    if not isinstance(value, str):
        raise refusal("wrong-type", "a platform is a text such as linux/arm64", hidden="a platform is a text")
    try:
        return Platform.parse(value)
    except UsageError as error:
        message = f"{error.message}; {error.hint}"
        raise refusal("bad-platform", message, hidden="this is no platform once its variables are filled in") from None


def _different_platforms(platforms: tuple[Platform, ...]) -> tuple[Platform, ...]:
    if not platforms:
        raise refusal("wrong-value", "at least one platform is needed", hidden="at least one platform is needed")
    refusals = []
    for index, platform in enumerate(platforms):
        if platform in platforms[:index]:
            first = platforms.index(platform) + 1
            message = f"this platform is {platform}, which is already number {first} of the list"
            refusals.append(refusal("duplicate-platform", message, hidden="this platform is given twice", at=(index,)))
    refuse(refusals)
    return platforms


def _duration(value: object) -> float:
    """Seconds of `40m`, `1h30m`, `7d` and the like."""
    try:
        seconds = seconds_of(value if isinstance(value, str) else "")
    except UsageError as error:
        message = error.message if isinstance(value, str) else "this is no duration; write 90s, 40m, 1h30m or 7d"
        raise refusal("bad-duration", message, hidden="this is no duration such as 40m or 1h30m") from error
    if seconds > _LONGEST_DURATION:
        raise refusal("bad-duration", "this is longer than ten years", hidden="this is longer than ten years")
    return seconds


def _tag(value: object) -> str:
    """A tag; the empty text is let through, so that `${GIT_TAG:-}` is a tag only where there is one."""
    if isinstance(value, str) and (not value or is_tag(value)):
        return value
    if not isinstance(value, str):
        raise refusal("wrong-type", "a tag is a text", hidden="a tag is a text")
    reason = "the repository is named under `image`" if ":" in value else "a tag has letters, digits, _ . - only"
    hidden = "this is no tag once its variables are filled in: a tag has at most 128 letters, digits, _ . -"
    raise refusal("bad-tag", f"{value!r} is no tag; {reason}", hidden=hidden)


def _given_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    given = tuple(dict.fromkeys(tag for tag in tags if tag))
    if not given:
        raise refusal("bad-tag", "at least one tag is needed", hidden="no tag is left once the variables are filled in")
    return given


def one_word(field: str) -> Callable[[object], object]:
    """Lets a single word stand for a map with one key."""
    return lambda value: {field: value} if isinstance(value, str) else value


def _one_or_several(value: object) -> object:
    if not isinstance(value, str | list):
        raise refusal("wrong-type", "this has to be a text or a list", hidden="this has to be a text or a list")
    return [value] if isinstance(value, str) else value


def _pairs(value: object) -> object:
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        message = "this has to be a map, or a list of KEY=value"
        raise refusal("wrong-type", message, hidden=message)
    found: dict[str, str | None] = {}
    refusals = []
    for index, item in enumerate(value):
        key, equals, text = item.partition("=") if isinstance(item, str) else ("", "", "")
        if not key:
            refusals.append(refusal("wrong-type", "write KEY=value", hidden="write KEY=value", at=(index,)))
        elif key in found:
            hidden = "this key is given twice"
            refusals.append(refusal("duplicate-key", f"`{key}` is given twice", hidden=hidden, at=(index,)))
        found[key] = text if equals else None
    refuse(refusals)
    return found


def _named(pairs: dict[str, str | None]) -> dict[str, str | None]:
    if "" in pairs:
        raise refusal("wrong-value", "a key is empty", hidden="a key is empty", at=("",))
    return pairs


def _free_arguments(pairs: dict[str, str | None]) -> dict[str, str | None]:
    said = "BuildKit sets {} for each platform; a value here would make all platforms alike"
    messages = {key: said.format(key) for key in pairs if key in _PLATFORM_ARGUMENTS}
    refuse([refusal("platform-argument", text, hidden=text, at=(key,)) for key, text in messages.items()])
    return pairs


def _by_platform(policies: dict[str, Emulation]) -> dict[str, Emulation]:
    """The map of emulation with its platforms in their normal form."""
    return _renamed(policies, lambda word: word if word == "default" else str(Platform.parse(word)))


def _by_prefix(runners: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The map of runners with its prefixes of platforms in their normal form."""
    message = "a label is missing"
    empty = [word for word, labels in runners.items() if not all(labels) or not labels]
    refuse([refusal("wrong-value", message, hidden=message, at=(word,)) for word in empty])
    return _renamed(runners, _prefix)


def _renamed(entries: dict[str, Named], rename: Callable[[str], str]) -> dict[str, Named]:
    found: dict[str, Named] = {}
    refusals = []
    for word, value in entries.items():
        try:
            name = rename(word)
        except UsageError as error:
            message = f"{error.message}; {error.hint}"
            refusals.append(refusal("bad-platform", message, hidden=message, at=(word,)))
            continue
        if name in found:
            message = f"this is {name}, which is already there"
            refusals.append(refusal("duplicate-platform", message, hidden=message, at=(word,)))
        found[name] = value
    refuse(refusals)
    return found


def _prefix(word: str) -> str:
    if word == "default" or word in KNOWN_SYSTEMS:
        return word
    platform = Platform.parse(word)
    return f"{platform.os}/{platform.architecture}" if word.count("/") < 2 else str(platform)


def _well_named(services: dict[str, Named]) -> dict[str, Named]:
    said = "{!r} is no name for a service: letters, digits, _ . - and at most 128 of them"
    messages = {name: said.format(name) for name in services if not _SERVICE.fullmatch(name)}
    refuse([refusal("bad-name", text, hidden=text, at=(name,)) for name, text in messages.items()])
    return services


def _provenance(value: object) -> str:
    if isinstance(value, str) and value in _PROVENANCE:
        return _PROVENANCE[value]
    raise refusal("wrong-value", "write min, max or false", hidden="this is none of min, max and false")


def _version(value: object) -> int:
    if value == "1":
        return 1
    message = "this mabuild reads version 1 of the manifest" if isinstance(value, str) else "write `version: 1`"
    raise refusal("version", message, hidden=message)


def _rule(value: object) -> str:
    if isinstance(value, str) and _RULE.fullmatch(value):
        return value
    raise refusal("wrong-value", "name audit rules by number, as in MA104", hidden="this is no number of an audit rule")


def _command(value: object) -> object:
    if isinstance(value, str) or value == []:
        message = 'write each command as a list of words, as in [["api", "--version"]]'
        raise refusal("wrong-type", message, hidden=message)
    return value


def _secret_id(value: str) -> str:
    if value and not _SECRET.fullmatch(value):
        message = "the id of a secret has letters, digits, _ . - / only"
        raise refusal("bad-secret", message, hidden=message)
    return value


def _variable(value: str) -> str:
    if value and not _VARIABLE.fullmatch(value):
        raise refusal(
            "bad-secret", f"{value!r} is no name of an environment variable", hidden="this is no variable name"
        )
    return value


Text = Annotated[str, WithJsonSchema(TEXT)]
PlatformWord = Annotated[
    Platform, PlainValidator(_platform), WithJsonSchema({"type": "string", "examples": ["linux/arm64"]})
]
Platforms = Annotated[
    tuple[PlatformWord, ...],
    AfterValidator(_different_platforms),
    WithJsonSchema({"type": "array", "items": {"type": "string"}, "minItems": 1}),
]
Duration = Annotated[
    float, PlainValidator(_duration), WithJsonSchema({"type": "string", "pattern": rf"^{DURATION.pattern}$|\$"})
]
Tag = Annotated[str, PlainValidator(_tag), WithJsonSchema(TEXT)]
Tags = Annotated[
    tuple[Tag, ...],
    AfterValidator(_given_tags),
    WithJsonSchema({"type": "array", "items": TEXT, "minItems": 1}),
]
OneOrSeveral = Annotated[
    tuple[str, ...],
    BeforeValidator(_one_or_several),
    WithJsonSchema({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
]
Pairs = Annotated[dict[str, str | None], BeforeValidator(_pairs), AfterValidator(_named), WithJsonSchema(_PAIRS)]
Arguments = Annotated[Pairs, AfterValidator(_free_arguments)]
Provenance = Annotated[
    str,
    PlainValidator(_provenance),
    WithJsonSchema({"enum": ["min", "max", "mode=min", "mode=max", "true", "false", True, False]}),
]
Version = Annotated[int, PlainValidator(_version), WithJsonSchema({"const": 1})]
Rule = Annotated[str, PlainValidator(_rule), WithJsonSchema({"type": "string", "pattern": rf"^{_RULE.pattern}$|\$"})]
Words = Annotated[tuple[str, ...], BeforeValidator(_command), WithJsonSchema({"type": "array", "items": TEXT})]
SecretId = Annotated[str, AfterValidator(_secret_id)]
Variable = Annotated[str, AfterValidator(_variable)]
EmulationWords = Annotated[
    dict[str, Emulation],
    BeforeValidator(one_word("default")),
    AfterValidator(_by_platform),
    OrWord({"enum": [*Emulation]}),
]
Runners = Annotated[dict[str, OneOrSeveral], AfterValidator(_by_prefix)]
Services = Annotated[dict[str, Named], AfterValidator(_well_named)]
