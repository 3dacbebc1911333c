"""Rules by their numbers, the beginnings of numbers, or names: those on Dockerfiles and those on packages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

from orchestrator.auditing.packages.rule import PackageRule
from orchestrator.auditing.packages.rules import PACKAGE_RULES
from orchestrator.auditing.rule import Rule
from orchestrator.auditing.rules import RULES
from orchestrator.core.errors import UsageError

AnyRule = TypeVar("AnyRule", Rule, PackageRule)
ALL_RULES: Final[tuple[Rule | PackageRule, ...]] = (*RULES, *PACKAGE_RULES)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rules to run."""

    rules: tuple[Rule, ...] = RULES
    package_rules: tuple[PackageRule, ...] = PACKAGE_RULES


def rule_named(text: str) -> Rule | PackageRule:
    """The rule of a number or name; UsageError where there is none."""
    found = [rule for rule in ALL_RULES if text.upper() == rule.id or text.lower() == rule.info.name]
    if not found:
        raise _unknown(text)
    return found[0]


def chosen(select: list[str], ignore: list[str]) -> Chosen:
    """The rules that are selected and not ignored; UsageError for words that name none."""
    for word in (*_words(select), *_words(ignore)):
        if not any(_names(word, rule) for rule in ALL_RULES):
            raise _unknown(word)
    return Chosen(_kept(RULES, select, ignore), _kept(PACKAGE_RULES, select, ignore))


def _kept(rules: tuple[AnyRule, ...], select: list[str], ignore: list[str]) -> tuple[AnyRule, ...]:
    wanted = [rule for rule in rules if not select or any(_names(word, rule) for word in _words(select))]
    return tuple(rule for rule in wanted if not any(_names(word, rule) for word in _words(ignore)))


def _words(texts: list[str]) -> list[str]:
    return [word for text in texts for word in text.split(",") if word]


def _names(word: str, rule: Rule | PackageRule) -> bool:
    return rule.id.startswith(word.upper()) or rule.info.name == word.lower()


def _unknown(word: str) -> UsageError:
    return UsageError(f"there is no rule {word!r}", hint="mabuild audit --list-rules shows all")
