"""Every character of a joined text is found again in the file."""

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.dockerfile.reader import scan
from orchestrator.dockerfile.source import SourceText, Word, lines_of, shown

TEXT = """\
\ufeffFROM --platform=$BUILDPLATFORM debian:13 \\
    # the base, with a comment below it

  AS build
RUN --mount=type=cache,target=/x \\
    # why
    curl -o /t \\
\t\thttps://example.com/tool-linux-amd64 && \\

    chmod +x /t
RUN <<EOF && <<-'END'
one
EOF
\ttwo
\tEND
CMD ["sh", "-c", "a \\"b\\" \\
c"]
""".replace("\n", "\r\n")


def at(word: Word) -> str:
    lines = TEXT.split("\n")
    assert word.line == word.end_line
    return lines[word.line - 1][word.column - 1 : word.end_column - 1]


def test_words_stand_where_they_say() -> None:
    build, run, heredocs, command = scan(TEXT, "Dockerfile").instructions
    assert [at(word) for word in build.words] == ["debian:13", "AS", "build"]
    assert at(build.flags[0].word) == "--platform=$BUILDPLATFORM"
    assert [word.line for word in build.words] == [1, 4, 4]
    assert at(run.flags[0].word) == "--mount=type=cache,target=/x"
    assert [at(word) for word in command.words[:2]] == ['"sh"', '"-c"']
    assert (heredocs.heredocs[0].line, heredocs.heredocs[1].line) == (12, 14)


def test_a_body_is_what_the_shell_gets_and_knows_its_places() -> None:
    run = scan(TEXT, "Dockerfile").instructions[1]
    assert "#" not in run.body.text
    offset = run.body.text.index("linux-amd64")
    assert at(run.body.word(offset, offset + len("linux-amd64"))) == "linux-amd64"
    assert run.body.position(offset) == (8, 3 + len("https://example.com/tool-"))
    chmod = run.body.text.index("chmod")
    assert run.body.position(chmod) == (10, 5)


def test_heredoc_bodies_know_their_places() -> None:
    first, second = scan(TEXT, "Dockerfile").instructions[2].heredocs
    assert first.body.text == "one\r\n"
    assert first.body.position(0) == (12, 1)
    assert second.body.position(second.body.text.index("two")) == (14, 2)


def test_strings_of_json_know_the_places_of_their_characters() -> None:
    command = scan(TEXT, "Dockerfile").instructions[3]
    script = command.elements[2]
    assert script.text == 'a "b" c'
    assert script.position(script.text.index("b")) == (16, 23)
    assert script.position(script.text.index("c")) == (17, 1)


def test_comments_are_kept_with_their_places_also_in_continuations() -> None:
    assert [(word.text, word.line, word.column) for word in scan(TEXT, "Dockerfile").comments] == [
        ("# the base, with a comment below it", 2, 5),
        ("# why", 6, 5),
    ]


LINES = st.lists(st.text(alphabet="ab ", min_size=0, max_size=5), min_size=1, max_size=8)


@given(LINES, st.data())
def test_cutting_keeps_places(lines: list[str], data: st.DataObject) -> None:
    whole = lines_of([f"{line}\n" for line in lines], 7)
    start = data.draw(st.integers(0, len(whole.text)))
    end = data.draw(st.integers(start, len(whole.text)))
    cut = whole.cut(start, end)
    assert cut.text == whole.text[start:end]
    assert [cut.position(i) for i in range(len(cut.text))] == [whole.position(i) for i in range(start, end)]


@given(st.lists(st.text(alphabet="xyz", min_size=1, max_size=4), min_size=1, max_size=6), st.data())
def test_a_word_ends_behind_its_last_character(pieces: list[str], data: st.DataObject) -> None:
    joined = SourceText(
        "".join(pieces),
        tuple(sum(map(len, pieces[:index])) for index in range(len(pieces))),
        tuple((index + 1, 5) for index in range(len(pieces))),
    )
    end = data.draw(st.integers(1, len(joined.text)))
    word = joined.word(0, end)
    line, column = joined.position(end - 1)
    assert (word.end_line, word.end_column) == (line, column + 1)


def test_shown_texts_are_one_short_line() -> None:
    assert shown("a\n  b") == "a b"
    assert len(shown("x" * 1000)) == 60
