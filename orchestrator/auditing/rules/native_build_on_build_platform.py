"""MA104: machine code that is compiled on the build platform and copied into the image of another one."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import inserted, line_above
from orchestrator.auditing.products import Product, native_products
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.staging import Side
from orchestrator.core.finding import Edit, Fix, Related, Severity


@rule("MA104", Severity.ERROR)
def native_build_on_build_platform(context: Context) -> Iterator[Problem]:
    """A `$BUILDPLATFORM` stage compiles for its own machine, and the result is copied into the image.

    A stage on `$BUILDPLATFORM` is fast because it runs natively. A compiler in it makes code for the machine that
    builds, unless it is told the target: `GOARCH=$TARGETARCH`, `cargo build --target`, a cross compiler, `xx`. Without
    that the arm64 image gets the amd64 program of an amd64 builder, and the build is green. Bundles of JavaScript,
    bytecode of Java, and tools that are only used while building are left alone.

    Bad:
        FROM --platform=$BUILDPLATFORM golang:1.25 AS build
        WORKDIR /src
        COPY . .
        RUN CGO_ENABLED=0 go build -o /out/app .
        FROM debian:13-slim
        COPY --from=build /out/app /usr/local/bin/app

    Good:
        FROM --platform=$BUILDPLATFORM golang:1.25 AS build
        WORKDIR /src
        COPY . .
        ARG TARGETARCH
        RUN CGO_ENABLED=0 GOARCH=$TARGETARCH go build -o /out/app .
        FROM debian:13-slim
        COPY --from=build /out/app /usr/local/bin/app
    """
    for role in context.staging.roles:
        if role.side is not Side.BUILD:
            continue
        for platform in context.staging.platforms(role.stage.index)[:1]:
            for product in _shipped(native_products(context, role.stage.index, platform)):
                yield _problem(context, role.stage.index, product)


def _shipped(products: tuple[Product, ...]) -> list[Product]:
    """The compilations that get into the image: every one of Go, of other tools the last, which includes the others."""
    last = {product.call.name: product for product in products}
    return [product for product in products if product.call.name == "go" or last[product.call.name] is product]


def _problem(context: Context, stage: int, product: Product) -> Problem:
    where = context.dockerfile.stages[product.arrival.stage]
    message = (
        f"{product.title} compiles for the machine that builds, not for the target: the result is copied into "
        f"{where.title if where.name else 'the image'}, so that an arm64 image from an amd64 builder holds an amd64 "
        "program; the build is green"
    )
    related = Related(context.path, product.arrival.word.line, "copied into the target platform here")
    return Problem(product.call.word, message, fix=_fix(context, stage, product), related=(related,))


def _fix(context: Context, stage: int, product: Product) -> Fix | None:
    """For Go it is one variable; other compilers need a tool chain for the target."""
    if product.call.name != "go" or product.call.path or product.instruction.onbuild or product.instruction.json:
        return None
    platform = context.staging.platforms(stage)[0]
    resolved = context.staging.resolved(stage, platform)
    position = next(number for number, one in enumerate(resolved.executed) if one is product.instruction)
    edits: list[Edit] = [inserted(product.call.word, "GOARCH=$TARGETARCH ")]
    if not resolved.scope.is_declared("TARGETARCH", before=position):
        edits.insert(0, line_above(product.instruction, "ARG TARGETARCH"))
    return Fix("compile for the target platform", tuple(edits))
