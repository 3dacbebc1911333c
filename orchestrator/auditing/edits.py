"""Changes to a Dockerfile as rules propose them."""

from __future__ import annotations

from orchestrator.core.finding import Edit
from orchestrator.dockerfile.instruction import Assignment, Flag, Instruction
from orchestrator.dockerfile.source import Word


def replaced(word: Word, text: str) -> Edit:
    """Another text in the place of a word."""
    return Edit(word.line, word.column, word.end_line, word.end_column, text)


def inserted(word: Word, text: str) -> Edit:
    """A text in front of a word."""
    return Edit(word.line, word.column, word.line, word.column, text)


def line_above(instruction: Instruction, text: str) -> Edit:
    """A line of its own above an instruction."""
    return Edit(instruction.line, 1, instruction.line, 1, f"{text}{line_end(instruction)}")


def line_end(instruction: Instruction) -> str:
    """How the lines of the file end."""
    return "\r\n" if "\r\n" in instruction.raw else "\n"


def without_flag(flag: Flag, following: Word) -> Edit:
    """A flag and the spaces behind it removed."""
    if flag.word.end_line == following.line:
        return Edit(flag.word.line, flag.word.column, following.line, following.column, "")
    return replaced(flag.word, "")


def without_assignment(instruction: Instruction, assignment: Assignment) -> Edit:
    """One `NAME=value` of an instruction removed, the whole instruction where it has no other."""
    words = instruction.words
    if len(words) < 2:
        return Edit(instruction.line, 1, instruction.end_line + 1, 1, "")
    position = next(
        index
        for index, word in enumerate(words)
        if (word.line, word.column) == (assignment.name_word.line, assignment.name_word.column)
    )
    word = words[position]
    if position + 1 < len(words) and words[position + 1].line == word.end_line:
        return Edit(word.line, word.column, words[position + 1].line, words[position + 1].column, "")
    if position and words[position - 1].end_line == word.line:
        before = words[position - 1]
        return Edit(before.end_line, before.end_column, word.end_line, word.end_column, "")
    return replaced(word, "")


def without_default(assignment: Assignment) -> Edit:
    """`NAME=value` without its `=value`."""
    name = assignment.name_word
    end = assignment.value or name
    return Edit(name.end_line, name.end_column, end.end_line, end.end_column, "")
