"""MA203: how bad it is, one edit for several names, and scripts."""

from orchestrator.auditing.engine import Options, audit
from orchestrator.core.finding import Severity
from orchestrator.dockerfile.parse import parse
from tests.auditing.judged import BOTH, cases, fixed, of_rule

CASES = cases("MA203")


def severity(name: str) -> Severity:
    return of_rule("MA203", CASES[name].text)[0].severity


def test_severity_is_that_of_the_use() -> None:
    assert severity("GOARCH") is Severity.ERROR
    assert severity("a download") is Severity.ERROR
    assert severity("in a label") is Severity.WARNING
    assert severity("in the log") is Severity.NOTE
    assert severity("written to a file") is Severity.ERROR
    assert severity("in the name of a cache") is Severity.WARNING


def test_go_that_runs_on_the_target_is_right_by_luck() -> None:
    (found,) = of_rule("MA203", "FROM golang\nRUN GOARCH=$TARGETARCH go build -o /a .\n")
    assert found.severity is Severity.WARNING


def test_several_names_are_one_finding_and_one_argument() -> None:
    text = "FROM --platform=$BUILDPLATFORM golang AS b\nRUN GOOS=$TARGETOS GOARCH=$TARGETARCH go build -o /a\n"
    text += "FROM debian\nCOPY --from=b /a /a\n"
    assert len(of_rule("MA203", text)) == 1
    assert fixed(text) == text.replace("RUN GOOS", "ARG TARGETARCH TARGETOS\nRUN GOOS")


def test_later_uses_are_related() -> None:
    (found,) = of_rule("MA203", CASES["the first use only"].text)
    assert [one.line for one in found.related] == [3]


def test_windows_line_ends_are_kept() -> None:
    assert fixed("FROM a\r\nRUN x $TARGETARCH\r\n") == "FROM a\r\nARG TARGETARCH\r\nRUN x $TARGETARCH\r\n"


def test_a_script_is_reported_where_it_is_called() -> None:
    script = "#!/bin/sh\ncurl -o /t https://example.com/t-$TARGETARCH\n"
    options = Options(platforms=BOTH, read_script={"install.sh": script}.get)

    def lines(text: str) -> list[int]:
        return [one.line for one in audit(parse(text, "Dockerfile"), options).findings if one.rule == "MA203"]

    copied = "FROM debian\nCOPY install.sh /install.sh\n"
    assert lines(f"{copied}RUN /install.sh\n") == [3]
    assert lines(f"{copied}ARG TARGETARCH\nRUN /install.sh\n") == []
    assert lines(f"{copied}RUN TARGETARCH=$(dpkg --print-architecture) /install.sh\n") == []
