"""MA209: what is related, and what is shown."""

from tests.auditing.judged import cases, of_rule

CASES = cases("MA209")


def test_the_copy_is_related_and_the_question_is_shown() -> None:
    (found,) = of_rule("MA209", CASES["dpkg through a variable"].text)
    assert [one.line for one in found.related] == [6]
    assert found.message.startswith("dpkg --print-architecture tells")
    assert (found.line, found.column) == (3, 13)
