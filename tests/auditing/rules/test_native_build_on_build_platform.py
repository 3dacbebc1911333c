"""MA104: what is related, and how Go is fixed."""

from tests.auditing.judged import cases, fixed, of_rule

CASES = cases("MA104")


def test_the_copy_is_related() -> None:
    (found,) = of_rule("MA104", CASES["go"].text)
    assert [one.line for one in found.related] == [5]


def test_go_is_fixed_with_one_variable_and_one_argument() -> None:
    before = "FROM --platform=$BUILDPLATFORM golang AS b\n"
    after = "FROM debian\nCOPY --from=b /a /b /\n"
    text = f"{before}RUN go build -o /a ./a && go build -o /b ./b\n{after}"
    go = "GOARCH=$TARGETARCH go build"
    assert fixed(text) == f"{before}ARG TARGETARCH\nRUN {go} -o /a ./a && {go} -o /b ./b\n{after}"


def test_other_compilers_are_not_fixed() -> None:
    text = CASES["cargo"].text
    assert fixed(text, unsafe=True) == text
