"""MA103: an image that is made of the files of the platform that builds it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import without_flag
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.staging import Role, Side, lineage
from orchestrator.core.finding import Fix, Related, Severity

_TASKS = re.compile(
    r"(?:^|[-_.])(?:authors|check|checks|ci|coverage|docs?|format|generated?|gen|govulncheck|lint|linters?|mocks?|mod"
    r"|outdated|shfmt|test|tests|unit|update|validate|vendor|vet)(?:$|[-_.])",
    re.IGNORECASE,
)
"""Stages and files that are built for what happens while building; nobody runs their image."""


@rule("MA103", Severity.ERROR)
def final_stage_on_build_platform(context: Context) -> Iterator[Problem]:
    """The stage that becomes the image is on `$BUILDPLATFORM`.

    BuildKit builds every platform of the list from the files of the builder's platform and writes the asked-for
    architecture into each image. All entries of the list then hold the same amd64 (or arm64) programs; the build is
    green, and users on the other architecture get "exec format error". `$BUILDPLATFORM` is for stages that only prepare
    files. A final stage from `scratch` has the target platform whatever its flag says.

    Bad:
        FROM --platform=$BUILDPLATFORM node:24 AS build
        WORKDIR /app
        COPY . .
        RUN npm ci && npm run build
        FROM --platform=$BUILDPLATFORM nginx:1.29
        COPY --from=build /app/dist /usr/share/nginx/html

    Good:
        FROM --platform=$BUILDPLATFORM node:24 AS build
        WORKDIR /app
        COPY . .
        RUN npm ci && npm run build
        FROM nginx:1.29
        COPY --from=build /app/dist /usr/share/nginx/html
    """
    if not context.staging.roles:
        return
    role = context.staging.roles[context.staging.target]
    if role.side is not Side.BUILD or _is_task(context, role):
        return
    message = (
        "the image is built from files of the builder's platform: every entry of the list holds the same programs, "
        "the build is green, and on the other architecture they do not run"
    )
    flag = role.stage.instruction.flag("platform")
    if role.decided_by == role.stage.index and flag is not None:
        fix = Fix("build the image for the target platform", (without_flag(flag, role.stage.base_word),), safe=False)
        yield Problem(flag.word, message, fix=fix)
        return
    origin = context.dockerfile.stages[role.decided_by]
    related = Related(context.path, origin.line, f"{origin.title} is on the builder's platform")
    yield Problem(
        role.stage.base_word, f"{role.stage.base_word.text} is on $BUILDPLATFORM: {message}", related=(related,)
    )


def _is_task(context: Context, role: Role) -> bool:
    """Whether nobody runs the image: names say that it is for a check, or it only names the default stage."""
    stages = context.dockerfile.stages
    built_from = [stages[one] for one in lineage(context.staging.surveys[context.platforms[0]], role.stage.index)]
    if any(one.keyword in {"CMD", "ENTRYPOINT"} for stage in built_from for one in stage.instructions):
        return False
    if len(built_from) > 1 and not role.stage.instructions:
        return True
    file = context.path.replace("\\", "/").rpartition("/")[2]
    return bool(_TASKS.search(role.stage.name) or _TASKS.search(file))
