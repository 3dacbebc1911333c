"""What building a target for a platform means: the stages that it needs, their platforms, variables and images."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from orchestrator.core.errors import DockerfileError, UsageError
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.graph import (
    EXTERNAL,
    Link,
    Problem,
    UseKind,
    context_name,
    executed,
    find_cycle,
    reachable,
    sources,
    target_index,
)
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.lexer import Expanded, ExpansionError, expand
from orchestrator.dockerfile.parse import Dockerfile
from orchestrator.dockerfile.scope import Scope, Variable, automatic_values, global_scope
from orchestrator.dockerfile.source import shown
from orchestrator.dockerfile.stages import Stage

SCRATCH = "scratch"


@dataclass(frozen=True, slots=True)
class Use:
    """A stage or image that a stage is built from or takes files from.

    `name` is expanded; it is empty where its variables have no value. `stage` is EXTERNAL for what is no stage.
    """

    name: str
    kind: UseKind
    stage: int
    line: int
    column: int
    platform: Platform


@dataclass(frozen=True, slots=True)
class ResolvedStage:
    """A stage that is built. `base` is the number of its parent stage or the image's name ("" where unknown).

    `executed` are its instructions in order, ONBUILD triggers of its parent first; positions in `scope` count these.
    `runs` tells whether a RUN is among them. `replaced` says that a build context of its name stands in for it.
    """

    stage: Stage
    platform: Platform
    base: int | str
    uses: tuple[Use, ...]
    executed: tuple[Instruction, ...]
    scope: Scope
    runs: bool
    replaced: bool = False


@dataclass(frozen=True, slots=True)
class Resolved:
    """The stages that a target needs, in build order, the target last."""

    stages: tuple[ResolvedStage, ...]
    global_scope: Mapping[str, Variable]
    problems: tuple[Problem, ...] = ()

    @property
    def target(self) -> ResolvedStage:
        """The stage that becomes the image."""
        return self.stages[-1]

    @property
    def external_uses(self) -> tuple[Use, ...]:
        """Uses of images and build contexts, in the order of the file."""
        return tuple(
            use for stage in self.stages for use in stage.uses if use.stage == EXTERNAL and use.name != SCRATCH
        )


@dataclass(slots=True)
class _Resolver:
    dockerfile: Dockerfile
    arguments: Mapping[str, str]
    platform: Platform
    contexts: frozenset[str]
    variables: dict[str, Variable]
    problems: list[Problem] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    platforms: list[Platform] = field(default_factory=list)
    replaced: list[bool] = field(default_factory=list)
    links: list[list[Link]] = field(default_factory=list)

    def _expand(self, text: str, line: int) -> Expanded:
        try:
            return expand(text, self._value_of, self.dockerfile.escape)
        except ExpansionError as error:
            self.problems.append(Problem(f"{shown(text)}: {error}", line))
            return Expanded("")

    def _value_of(self, name: str) -> str | None:
        return self.variables[name].value if name in self.variables else None

    def find_bases(self) -> dict[str, int]:
        """Walk through the FROM lines; returns the number of the stage that each name means at the end."""
        names: dict[str, int] = {}
        for stage in self.dockerfile.stages:
            base = self._expand(stage.base_word.text, stage.line).text
            replaced = bool(stage.name) and context_name(stage.name) in self.contexts
            parent = EXTERNAL if replaced else names.get(base, EXTERNAL)
            self.bases.append(base)
            self.parents.append(parent)
            self.replaced.append(replaced)
            asked = self._asked_platform(stage)
            self.platforms.append(self._effective(asked, parent, base))
            if stage.name:
                names[stage.name] = stage.index
        return names

    def _effective(self, asked: Platform, parent: int, base: str) -> Platform:
        if parent != EXTERNAL:
            return self.platforms[parent]
        return self.platform if base == SCRATCH else asked

    def _asked_platform(self, stage: Stage) -> Platform:
        if stage.platform_word is None or not stage.platform:
            return self.platform
        text = self._expand(stage.platform, stage.platform_word.line).text
        try:
            return Platform.parse(text)
        except UsageError as error:
            hint = (
                "a variable in --platform is seen here only if it is an ARG before the first FROM" if not text else ""
            )
            message = f"--platform={shown(stage.platform)} is empty" if not text else shown(error.message, 200)
            self.problems.append(Problem(message, stage.platform_word.line, hint))
            return self.platform

    def find_links(self, names: dict[str, int]) -> None:
        """Collect what each stage takes files from."""
        count = len(self.dockerfile.stages)
        for stage in self.dockerfile.stages:
            found: list[Link] = []
            for instruction in () if self.replaced[stage.index] else self.executed(stage):
                links, problems = sources(instruction, names, count)
                found += links
                self.problems += problems
            self.links.append(found)

    def executed(self, stage: Stage) -> tuple[Instruction, ...]:
        parent = self.parents[stage.index]
        return executed(stage, self.dockerfile.stages[parent] if parent != EXTERNAL else None)

    def edges(self) -> list[list[int]]:
        return [
            [one for one in (parent, *(link.stage for link in links)) if one != EXTERNAL]
            for parent, links in zip(self.parents, self.links, strict=True)
        ]

    def check_order(self, edges: list[list[int]], needed: frozenset[int]) -> None:
        """Note a way round, or files that are taken from a stage further down."""
        cycle = find_cycle(edges)
        stages = self.dockerfile.stages
        if cycle:
            way = " → ".join(stages[index].title for index in cycle)
            self.problems.append(Problem(f"stages need each other: {way}", stages[cycle[0]].line))
            return
        for index in sorted(needed):
            for link in self.links[index]:
                if link.stage > index:
                    message = f"--from={shown(link.name)}: that stage is defined further down"
                    self.problems.append(Problem(message, link.line, "move it above the stage that copies from it"))

    def build(self, index: int, scopes: dict[int, Scope]) -> ResolvedStage:
        """The stage with its variables; its parent has to be in `scopes` already."""
        stage = self.dockerfile.stages[index]
        replaced = self.replaced[index]
        parent = self.parents[index]
        below = scopes.get(parent)
        opaque = below.opaque if below is not None else replaced or self.bases[index] != SCRATCH
        scope = Scope(self.dockerfile.escape, self.arguments, self.variables, below, opaque)
        instructions = () if replaced else self.executed(stage)
        for position, instruction in enumerate(instructions):
            scope.execute(position, instruction)
        self.problems += [Problem(message, line) for line, message in scope.errors]
        scopes[index] = scope
        return ResolvedStage(
            stage=stage,
            platform=self.platforms[index],
            base=parent if parent != EXTERNAL else stage.name if replaced else self.bases[index],
            uses=self._uses(stage, replaced=replaced),
            executed=instructions,
            scope=scope,
            runs=any(one.keyword == "RUN" for one in instructions),
            replaced=replaced,
        )

    def result(self, order: list[int]) -> Resolved:
        """The stages in an order in which each parent is among them."""
        scopes: dict[int, Scope] = {}
        built = {index: self.build(index, scopes) for index in sorted(order)}
        return Resolved(tuple(built[index] for index in order), self.variables, tuple(self.problems))

    def _uses(self, stage: Stage, *, replaced: bool) -> tuple[Use, ...]:
        word = stage.base_word
        name = stage.name if replaced else self.bases[stage.index]
        parent = self.parents[stage.index]
        first = Use(name, UseKind.FROM, parent, word.line, word.column, self.platforms[stage.index])
        return (first, *(self._use(link) for link in self.links[stage.index]))

    def _use(self, link: Link) -> Use:
        platform = self.platform if link.stage == EXTERNAL else self.platforms[link.stage]
        return Use(link.name, link.kind, link.stage, link.line, link.column, platform)


def inspect(
    dockerfile: Dockerfile,
    *,
    target: str,
    args: Mapping[str, str],
    platform: Platform,
    build_platform: Platform,
    contexts: Collection[str] = (),
) -> Resolved:
    """Like `resolve`, but what BuildKit would refuse is in `problems`; for looking into files before anybody builds."""
    index = target_index(dockerfile.stages, target, dockerfile.path)
    automatic = automatic_values(platform, build_platform, target or dockerfile.stages[-1].name)
    resolver = _resolver(dockerfile, args, automatic, platform, contexts)
    edges = resolver.edges()
    needed = reachable(edges, index)
    resolver.check_order(edges, needed)
    return resolver.result([*sorted(needed - {index}), index])


def survey(
    dockerfile: Dockerfile, *, args: Mapping[str, str], platform: Platform, build_platform: Platform
) -> Resolved:
    """Like `inspect`, but of all stages in the order of the file, needed or not; the default target is the last one."""
    automatic = automatic_values(platform, build_platform, dockerfile.stages[-1].name)
    resolver = _resolver(dockerfile, args, automatic, platform, ())
    return resolver.result([stage.index for stage in dockerfile.stages])


def _resolver(
    dockerfile: Dockerfile,
    args: Mapping[str, str],
    automatic: Mapping[str, str],
    platform: Platform,
    contexts: Collection[str],
) -> _Resolver:
    variables, errors = global_scope(dockerfile.global_args, automatic, args, dockerfile.escape)
    resolver = _Resolver(dockerfile, args, platform, frozenset(map(context_name, contexts)), variables)
    resolver.problems += [Problem(message, line) for line, message in errors]
    resolver.find_links(resolver.find_bases())
    return resolver


def resolve(
    dockerfile: Dockerfile,
    *,
    target: str,
    args: Mapping[str, str],
    platform: Platform,
    build_platform: Platform,
    contexts: Collection[str] = (),
) -> Resolved:
    """The stages that building `target` (empty: the last one) for `platform` needs, with all names expanded.

    `contexts` are the names of `--build-context`. Raises UsageError for an unknown target, and DockerfileError for what
    BuildKit refuses: a way round, a stage that is defined further down, a bad platform or substitution.
    """
    resolved = inspect(
        dockerfile, target=target, args=args, platform=platform, build_platform=build_platform, contexts=contexts
    )
    if resolved.problems:
        first = min(resolved.problems, key=lambda problem: problem.line)
        raise DockerfileError(first.message, path=dockerfile.path, line=first.line, hint=first.hint)
    return resolved
