"""What a rule gets to see: one file with everything that is known about it, computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from orchestrator.auditing.artifacts import Artifacts
from orchestrator.auditing.call import Call, calls_of
from orchestrator.auditing.flags import Flag, flags_of
from orchestrator.auditing.interest import is_interesting
from orchestrator.auditing.mention import Mention, without_siblings
from orchestrator.auditing.mentions import argument_mentions, instruction_mentions, run_mentions
from orchestrator.auditing.references import Reference, references_of
from orchestrator.auditing.runs import Language, Run
from orchestrator.auditing.scripts import called_scripts
from orchestrator.auditing.stage_texts import StageTexts
from orchestrator.auditing.stages import StageView, stage_views
from orchestrator.auditing.staging import Staging, staging
from orchestrator.auditing.texts import STARTS, language_of_shell, shell_texts
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.parse import Dockerfile

ReadScript = Callable[[str], str | None]
Published = Callable[[str], tuple[Platform, ...] | None]
IsIndex = Callable[[str], bool | None]


MOST_TEXTS = 3_000
"""Shell texts of one file that are parsed; the rest is looked at word by word, with low confidence."""


def no_script(_: str) -> str | None:
    """A build context without files."""
    return None


def nobody_knows(_: str) -> None:
    """A registry that is not asked."""


@dataclass(frozen=True)
class Context:
    """A Dockerfile, the platforms to judge it for, and how it is built.

    `read_script` gives the text of a file of the build context (a path relative to it), None where there is none.
    `published` tells the platforms of an image reference, `is_index` whether it is an index (None: nobody knows).
    `texts` are shell texts outside of a Dockerfile.
    """

    dockerfile: Dockerfile
    platforms: tuple[Platform, ...]
    arguments: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    read_script: ReadScript = no_script
    published: Published = nobody_knows
    is_index: IsIndex = nobody_knows
    texts: tuple[Run, ...] = ()

    @property
    def path(self) -> str:
        """The Dockerfile as the user named it."""
        return self.dockerfile.path

    @cached_property
    def stages(self) -> tuple[StageView, ...]:
        """The stages of the file, in order, each with the platforms that it is built for."""
        if not self.dockerfile.stages:
            return ()
        return stage_views(self.dockerfile, self.platforms, self.staging, everything=not self.target)

    @cached_property
    def staging(self) -> Staging:
        """Which platform each stage has, and the variables of all stages."""
        return staging(self.dockerfile, self.platforms, self.arguments, self.target)

    @cached_property
    def artifacts(self) -> Artifacts:
        """Which files of a stage get into the image."""
        return Artifacts(self.staging)

    @cached_property
    def stage_texts(self) -> StageTexts:
        """The texts of builds by stage, and what they show."""
        return StageTexts.of(self.staging, self.runs)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All shell texts of the file, in order."""
        return (*self.texts, *(run for view in self.stages for run in _runs_of(view)))

    @cached_property
    def scripts(self) -> tuple[Run, ...]:
        """The scripts of the build context that the file runs."""
        if self.read_script is no_script:
            return ()
        return tuple(called_scripts(self.stages, self.runs, self.read_script))

    @cached_property
    def interesting(self) -> tuple[Run, ...]:
        """The texts with a word that a rule could care about; the others are never parsed."""
        found = tuple(run for run in (*self.runs, *self.scripts) if is_interesting(run.source.text))
        for run in found[MOST_TEXTS:]:
            run.language = Language.WORDS
        return found

    @cached_property
    def commands(self) -> tuple[Call, ...]:
        """The commands of the interesting texts."""
        return tuple(call for run in self.interesting for call in calls_of(run))

    def calls(self, stage: int) -> tuple[Call, ...]:
        """Every command of the texts of a stage, and of the scripts that it calls."""
        return tuple(call for run in (*self.runs, *self.scripts) if run.stage == stage for call in calls_of(run))

    def references(self, stage: int) -> tuple[Reference, ...]:
        """Every variable that the shell texts of a stage expand."""
        return tuple(one for run in self.runs if run.stage == stage for one in references_of(run))

    @cached_property
    def flags(self) -> tuple[Flag, ...]:
        """Texts that may hold flags of compilers."""
        return tuple(flags_of(self.stages, self.interesting))

    @cached_property
    def all_mentions(self) -> tuple[Mention, ...]:
        """The same as `mentions`, with those beside which the same word stands for the other platforms."""
        found = list(argument_mentions(self.dockerfile.global_args, self.platforms))
        for view in self.stages:
            for instruction in view.stage.instructions if view.platforms else ():
                found += instruction_mentions(view, instruction)
        for run in self.interesting:
            found += run_mentions(run, self.platforms)
        return tuple(found)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Words that name an architecture which a platform that meets them does not have."""
        return tuple(without_siblings(list(self.all_mentions), self.platforms))


def _runs_of(view: StageView) -> Iterator[Run]:
    language = Language.SHELL
    for instruction in view.stage.instructions:
        if instruction.keyword == "SHELL":
            language = language_of_shell(instruction)
            continue
        for source, chosen, arguments in shell_texts(instruction, language):
            outside = {platform: view.outside(instruction, platform) for platform in view.platforms}
            is_start = instruction.keyword in STARTS
            yield Run(source, chosen, outside, instruction, view.stage.index, arguments=arguments, is_start=is_start)
