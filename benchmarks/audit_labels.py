"""Recall and precision of the audit against hand-made labels, by physical line.

    python benchmarks/audit_labels.py LABELS.jsonl FOLDER

A label is `{"path", "kind": "dockerfile" | "shell", "expect": [{"line", "arguable", "alt_lines"}], "clean"}`, one a
line; the text of a file is `FOLDER/path`, or `FOLDER/repo/path` where there is one. A finding on an arguable line
counts for nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.auditing.engine import Options, audit, audit_script
from orchestrator.core.errors import DockerfileError
from orchestrator.core.finding import Finding, Severity
from orchestrator.dockerfile.parse import parse


@dataclass(slots=True)
class Score:
    """What was found, missed and found wrongly so far."""

    found: int = 0
    false: int = 0
    labels: int = 0
    clean: int = 0
    alarmed: int = 0
    failed: int = 0
    lines: list[str] = field(default_factory=list)


def text_of(entry: dict[str, Any], folder: Path) -> tuple[Path, str] | None:
    """The file of a label, looked for with and without its repository."""
    for path in (folder / entry["path"], folder / entry.get("repo", "") / entry["path"]):
        if path.is_file():
            return path, path.read_bytes().decode("utf-8", "surrogateescape")
    return None


def findings_of(entry: dict[str, Any], text: str) -> tuple[Finding, ...]:
    """What the audit says of a file that is judged by itself."""
    if entry.get("kind") == "shell":
        return audit_script(text, entry["path"], Options()).findings
    return audit(parse(text, entry["path"]), Options()).findings


def judge(entry: dict[str, Any], findings: tuple[Finding, ...], lines: list[str], score: Score) -> None:
    """Compare the lines of the findings with those of the labels."""
    hard = [one for one in entry["expect"] if not one.get("arguable")]
    neutral = {one["line"] for one in entry["expect"] if one.get("arguable")}
    hit: set[int] = set()
    own = [one for one in findings if one.path == entry["path"]]
    for finding in own:
        match = next((one for one in hard if finding.line in {one["line"], *one.get("alt_lines", ())}), None)
        if match is not None:
            hit.add(match["line"])
        elif finding.line not in neutral and finding.severity is not Severity.NOTE:
            score.false += 1
            score.lines.append(f"false  {entry['path']}:{finding.line} {finding.rule} {_line(lines, finding.line)}")
    score.labels += len(hard)
    score.found += len(hit)
    for one in hard:
        if one["line"] not in hit:
            score.lines.append(f"missed {entry['path']}:{one['line']} {one['family']} {_line(lines, one['line'])}")
    if not hard:
        score.clean += 1
        score.alarmed += any(one.line not in neutral and one.severity is not Severity.NOTE for one in own)


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1].strip()[:140] if number <= len(lines) else ""


def report(score: Score, files: int, seconds: float) -> Iterator[str]:
    """The figures, and each line that was judged otherwise than by hand."""
    yield from score.lines
    recall = score.found / max(score.labels, 1)
    precision = score.found / max(score.found + score.false, 1)
    yield f"files {files}, unreadable {score.failed}, {1000 * seconds / max(files, 1):.1f} ms of CPU a file"
    yield f"recall {score.found}/{score.labels} = {recall:.3f}, precision {precision:.3f}"
    yield f"clean files with an alarm {score.alarmed}/{score.clean}"


def main() -> int:
    """Read the labels, audit, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    score, files, seconds = Score(), 0, 0.0
    for line in arguments.labels.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        found = text_of(entry, arguments.folder)
        if found is None:
            continue
        files += 1
        start = time.process_time()
        try:
            findings = findings_of(entry, found[1])
        except DockerfileError as error:
            score.failed += 1
            score.lines.append(f"failed {error}")
            continue
        finally:
            seconds += time.process_time() - start
        judge(entry, findings, found[1].split("\n"), score)
    sys.stdout.write("\n".join(report(score, files, seconds)) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
