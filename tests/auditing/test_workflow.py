"""Steps of workflows: files for one architecture in the context of a build for several."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.auditing.engine import Options
from orchestrator.auditing.workflow import audit_workflow


@dataclass(frozen=True)
class Step:
    run: str = ""
    job: str = "build"
    shell: str = ""
    uses: str = ""
    inputs: tuple[tuple[str, str], ...] = ()
    first: int = 10

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        return tuple((self.first + index, 11) for index, _ in enumerate(self.run.split("\n"))) if self.run else ()


BOTH = Step(uses="docker/build-push-action@v6", inputs=(("platforms", "linux/amd64,linux/arm64"),))
GET = "mkdir bin\ncurl -fsSLo bin/tool https://x.example/tool-linux-amd64"


def lines(*steps: Step) -> list[int]:
    return [finding.line for finding in audit_workflow(steps, "ci.yml", Options()).findings]


def test_a_download_into_the_context_of_a_build_for_several_platforms() -> None:
    assert lines(Step(GET), BOTH) == [11]
    assert lines(Step(GET), Step("docker buildx build --platform linux/amd64,linux/arm64 .")) == [11]
    assert lines(Step("GOARCH=amd64 go build -o app ."), BOTH) == [10]


def test_what_is_fine() -> None:
    one = Step(uses="docker/build-push-action@v6", inputs=(("platforms", "linux/amd64"),))
    assert not lines(Step(GET), one)
    assert not lines(Step(GET))
    assert not lines(BOTH, Step(GET))
    assert not lines(Step(GET, job="other"), BOTH)
    assert not lines(
        Step("curl -fsSLo /tmp/t https://x.example/t-linux-amd64 && sudo mv /tmp/t /usr/local/bin/t"), BOTH
    )
    assert not lines(Step("curl -fsSLo bin/t https://x.example/t-linux-${{ matrix.arch }}"), BOTH)
    assert not lines(Step(GET, shell="pwsh"), BOTH)
