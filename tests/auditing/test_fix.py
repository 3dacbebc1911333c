"""Fixes: taken whole or not at all, in single quotes, never beside a checksum, and shown as a diff."""

from __future__ import annotations

import pytest

from orchestrator.auditing.fix import apply_fixes, diff
from orchestrator.core.finding import Edit, Finding, Fix, Severity
from tests.auditing.judged import findings, fixed


def finding(*edits: Edit, safe: bool = True) -> Finding:
    return Finding("MA000", "x", Severity.ERROR, "m", "Dockerfile", 1, 1, fix=Fix("t", edits, safe))


def test_edits_are_applied_from_the_end() -> None:
    found = [finding(Edit(1, 1, 1, 2, "AAA")), finding(Edit(2, 1, 3, 1, "")), finding(Edit(1, 3, 1, 3, "-"))]
    assert apply_fixes("abc\nd\ne\n", found).text == "AAAb-c\ne\n"


def test_of_two_fixes_that_touch_the_first_is_taken_whole() -> None:
    first, second = finding(Edit(1, 1, 1, 3, "x")), finding(Edit(1, 2, 1, 4, "y"), Edit(2, 1, 2, 2, "z"))
    result = apply_fixes("abc\nd\n", [first, second])
    assert result.text == "xc\nd\n"
    assert result.applied == (first,)


def test_the_same_edit_twice_is_one() -> None:
    result = apply_fixes("a\n", [finding(Edit(1, 1, 1, 1, "ARG\n")), finding(Edit(1, 1, 1, 1, "ARG\n"))])
    assert result.text == "ARG\na\n"
    assert len(result.applied) == 2


def test_unsafe_fixes_are_applied_on_demand_only() -> None:
    one = finding(Edit(1, 1, 1, 2, "x"), safe=False)
    assert apply_fixes("a", [one]).text == "a"
    assert apply_fixes("a", [one], unsafe=True).text == "x"


def test_edits_beyond_the_end_stay_inside() -> None:
    assert apply_fixes("a", [finding(Edit(5, 1, 9, 1, "b"))]).text == "ab"


def test_diff() -> None:
    assert diff("a\nb\n", "a\nc\n", "D").splitlines()[:2] == ["--- a/D", "+++ b/D"]
    assert diff("a", "b", "D").endswith("+b\n\\ No newline at end of file\n")
    assert diff("a\n", "a\n", "D") == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "FROM a\r\nADD https://dl.k8s.io/v1/bin/linux/amd64/kubectl /k\r\n",
            "FROM a\r\nARG TARGETARCH\r\nADD https://dl.k8s.io/v1/bin/linux/${TARGETARCH}/kubectl /k\r\n",
        ),
        (
            "FROM a\nRUN curl -O 'https://dl.k8s.io/v1/bin/linux/amd64/kubectl'  # why\n",
            "FROM a\nARG TARGETARCH\nRUN curl -O 'https://dl.k8s.io/v1/bin/linux/'\"${TARGETARCH}\"'/kubectl'  # why\n",
        ),
        (
            "FROM a\nARG TARGETARCH\nRUN curl -O https://ziglang.org/download/zig-linux-x86_64.tar.xz\n",
            "FROM a\nARG TARGETARCH\nRUN curl -O https://ziglang.org/download/zig-linux-$(uname -m).tar.xz\n",
        ),
        (
            "FROM golang\nENV GOARCH=amd64\nRUN go build\n",
            "FROM golang\nARG TARGETARCH\nENV GOARCH=${TARGETARCH}\nRUN go build\n",
        ),
        (
            "FROM a\nRUN echo 'deb [arch=amd64] https://x.example a' > /etc/x\n",
            "FROM a\nRUN echo 'deb [arch='\"$(dpkg --print-architecture)\"'] https://x.example a' > /etc/x\n",
        ),
        ("FROM a\nRUN apt-get install -y b:amd64 c\n", "FROM a\nRUN apt-get install -y b c\n"),
    ],
)
def test_safe_fixes_keep_everything_else(before: str, after: str) -> None:
    assert fixed(before) == after
    assert fixed(after) == after


@pytest.mark.parametrize(
    "text",
    [
        "FROM a\nRUN curl -O https://dl.k8s.io/v1/bin/linux/amd64/kubectl && echo 'x  kubectl' | sha256sum -c\n",
        "FROM a\nADD --checksum=sha256:x https://dl.k8s.io/v1/bin/linux/amd64/kubectl /k\n",
        "FROM a\nRUN curl -O https://nobody.example/t-amd64\n",
        "FROM --platform=$BUILDPLATFORM a AS b\nRUN curl -O https://ziglang.org/z-x86_64\nFROM a\nCOPY --from=b /z /\n",
        "FROM a\nADD https://ziglang.org/download/zig-linux-x86_64.tar.xz /\n",
        "FROM a\nRUN curl -O https://nodejs.org/dist/v20.0.0/node-v20.0.0-linux-x64.tar.xz\n",
    ],
)
def test_what_no_safe_fix_may_change(text: str) -> None:
    assert findings(text)
    assert apply_fixes(text, findings(text)).text == text


def test_unsafe_fixes_of_library_paths() -> None:
    text = "FROM a AS b\nFROM a\nCOPY --from=b /usr/lib/x86_64-linux-gnu/libz.so.1 /l/\n"
    text += "RUN ls /usr/lib/x86_64-linux-gnu/x\n"
    after = fixed(text, unsafe=True)
    assert "/usr/lib/*-linux-gnu/libz.so.1" in after
    assert "/usr/lib/$(uname -m)-linux-gnu/x" in after
