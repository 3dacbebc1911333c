"""What is refused, with its line; and that size and depth are no weapon."""

import random
import time
from pathlib import Path

import pytest

from orchestrator.core.errors import DockerfileError
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.dockerfile.parse import LARGEST, Dockerfile, parse, read
from orchestrator.dockerfile.resolve import inspect


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "no instructions"),
        ("# nothing\n", 1, "no instructions"),
        ("ARG A\n", 1, "no FROM"),
        ("ARG A\n\nRUN x\nFROM a\n", 3, "before the first FROM"),
        ("FROM a\nFORM b\n", 2, "unknown instruction: FORM"),
        ("FROM a\nRUN <<EOF\nx\n", 2, "heredoc EOF has no end"),
        ("FROM a b\n", 1, "FROM takes one image"),
        ("FROM a TO b\n", 1, "FROM takes one image"),
        ("FROM a AS 1b\n", 1, "no name for a stage"),
        ("FROM a\nENV\n", 2, "at least one argument"),
        ("FROM a\nENV a\n", 2, "two arguments"),
        ("FROM a\nENV a=b c\n", 2, "no = in"),
        ("FROM a\nENV =b\n", 2, "must not be blank"),
        ("FROM a\nARG =b\n", 2, "must not be blank"),
        ("FROM a\nCOPY a\n", 2, "at least two"),
        ("FROM a\nWORKDIR\n", 2, "exactly one"),
        ("FROM a\nRUN [1]\n", 2, "strings only"),
        ("FROM a\nONBUILD ONBUILD RUN x\n", 2, "not allowed behind ONBUILD"),
        ("FROM a\nONBUILD FROM b\n", 2, "not allowed behind ONBUILD"),
        ("FROM a\nONBUILD\n", 2, "at least one argument"),
        ("# escape=x\nFROM a\n", 1, "escape"),
        ("# escape=`\n# escape=`\nFROM a\n", 2, "only one escape"),
        ("FROM a\nRUN " + "x" * 70_000, 2, "longer than"),
        ("FROM a\n" * 2_001, 2_001, "more than 2000 stages"),
    ],
)
def test_errors_name_the_line(text: str, line: int, message: str) -> None:
    with pytest.raises(DockerfileError, match=message) as caught:
        parse(text, "api/Dockerfile")
    assert (caught.value.path, caught.value.line) == ("api/Dockerfile", line)


def test_a_misspelt_keyword_gets_a_suggestion() -> None:
    with pytest.raises(DockerfileError) as caught:
        parse("FROM a\nENTRYPIONT x\n", "D")
    assert caught.value.hint == "did you mean ENTRYPOINT?"


def test_keywords_of_other_frontends_are_let_through() -> None:
    parsed = parse("# syntax=devthefuture/dockerfile-x\nFROM a\nINCLUDE b\n", "D")
    assert parsed.directive("syntax") == "devthefuture/dockerfile-x"
    with pytest.raises(DockerfileError):
        parse("# syntax=docker/dockerfile:1.7-labs@sha256:00\nFROM a\nINCLUDE b\n", "D")


def test_stages_have_names_bases_and_platforms() -> None:
    parsed = parse("ARG V=1\nFROM --platform=$BUILDPLATFORM a:$V AS Build\nRUN x\nfrom build\nUSER y\n", "D")
    first, second = parsed.stages
    assert (first.name, first.base_word.text, first.platform) == ("build", "a:$V", "$BUILDPLATFORM")
    assert first.platform_word is not None
    assert (first.platform_word.line, first.platform_word.column) == (2, 6)
    assert (second.name, second.title, second.line, second.platform_word) == ("", "stage 1", 4, None)
    assert [one.keyword for one in parsed.global_args] == ["ARG"]


def test_files_are_read_with_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "Dockerfile"
    content = b"\xef\xbb\xbfFROM a\r\nLABEL x=\xff\xfe\r\n"
    path.write_bytes(content)
    parsed = read(path, "Dockerfile")
    assert "".join(parsed.parts).encode("utf-8", "surrogateescape") == content


@pytest.mark.parametrize("make", [lambda path: None, Path.mkdir])
def test_what_cannot_be_read_is_told(tmp_path: Path, make: object) -> None:
    path = tmp_path / "Dockerfile"
    assert callable(make)
    make(path)
    with pytest.raises(DockerfileError, match="cannot be read"):
        read(path, "Dockerfile")


def test_too_large_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "Dockerfile"
    path.write_bytes(b"#" * (LARGEST + 1))
    with pytest.raises(DockerfileError, match="larger than"):
        read(path, "Dockerfile")


LARGE = {
    "comments of 2 MB": "FROM a\n" + "# comment\n" * 200_000,
    "instructions of 2 MB": "FROM a\n" + "RUN apt-get install -y foo bar baz && rm -rf\n" * 45_000,
    "a RUN of 10,000 lines": "FROM a\nRUN x \\\n" + "  && curl https://example.com/tool \\\n" * 10_000 + " y\n",
    "a RUN of 2 MB, heredoc": "FROM a\nRUN <<E cat \\\n" + "  && curl https://example.com/\\\n" * 60_000 + "\nE\n",
    "a heredoc of 2 MB": "FROM a\nRUN <<E\n" + "  curl https://example.com/tool\n" * 60_000 + "E\n",
    "500 stages": "".join(f"FROM s{i} AS s{i + 1}\nENV A{i}=$A\nCOPY --from=s{i} /a /b\n" for i in range(500)),
    "values that double": "FROM a\nENV A=xxxxxxxx\n" + "ENV A=$A$A\n" * 500,
    "lists in lists": "FROM a\nRUN " + "[" * 60_000,
    "triggers of triggers": "FROM a\n" + "ONBUILD " * 8_000,
}  # fmt: skip


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_large_files_are_done_within_two_seconds(text: str) -> None:
    begin = time.process_time()
    _look(text)
    assert time.process_time() - begin < 2.0


def _look(text: str) -> None:
    """Parse and resolve; nothing but a DockerfileError may come of it."""
    try:
        parsed = parse(text, "Dockerfile")
    except DockerfileError:
        return
    assert "".join(parsed.parts) == text
    for platform in (LINUX_AMD64, LINUX_ARM64):
        inspect(parsed, target="", args={}, platform=platform, build_platform=LINUX_AMD64)


SEED = """\
# syntax=docker/dockerfile:1
ARG V=1 TARGETARCH=amd64
FROM --platform=$BUILDPLATFORM golang:${V:-2} AS build
ARG TARGETARCH
ENV A="x $TARGETARCH" B=${A%x*}
RUN --mount=type=bind,from=tool,target=/t <<EOF
make ARCH=$TARGETARCH
EOF
ONBUILD COPY --from=build /a /b
FROM build AS test
RUN ["sh", "-c", "x \\
  # comment
  y"]
FROM scratch
COPY --from=build --chown=1 ["/a b", "/c"]
HEALTHCHECK --interval=1s CMD x
"""


def test_changed_files_end_in_a_result_or_an_error_that_names_a_line() -> None:
    chance = random.Random(3)
    more = ["\r\n", "\x00", "\ufeff", "é", "${", "<<", "FROM ", "--from=", "\\\n", "[", "$TARGETARCH"]
    alphabet = [*sorted(set(SEED)), *more]
    for _ in range(1500):
        text = SEED
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(text) + 1)
            text = text[:place] + chance.choice(["", chance.choice(alphabet)]) + text[place + chance.randint(0, 4) :]
        _look(text)


def test_parsing_gives_values_that_compare(tmp_path: Path) -> None:
    assert isinstance(parse(SEED, "D"), Dockerfile)
    assert parse(SEED, "D") == parse(SEED, "D")
