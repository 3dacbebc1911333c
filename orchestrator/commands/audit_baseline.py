"""The baseline of an audit: a file of findings that are known, so that only new ones are told."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.auditing.baseline import LARGEST, baseline_text, known_fingerprints, without_known
from orchestrator.commands.audit_files import Audited
from orchestrator.commands.session import Session
from orchestrator.core.errors import UsageError
from orchestrator.report.summary import plural


def against_baseline(audited: Audited, file: str, here: Session) -> Audited:
    """Without the findings that the file holds. A file that does not exist yet is written from what was found."""
    lines = {path: text.splitlines() for path, text in audited.texts.items()}

    def source_line(path: str, line: int) -> str:
        found = lines.get(path, [])
        return found[line - 1] if 1 <= line <= len(found) else ""

    path = here.directory / file
    if not path.exists():
        here.write(baseline_text(audited.findings, source_line), file)
        here.say(
            f"{plural(len(audited.findings), 'finding')} written into {file}: from now on only new ones are told\n"
        )
        return replace(audited, findings=(), ignored=audited.ignored + len(audited.findings))
    try:
        with path.open(encoding="utf-8") as opened:
            text = opened.read(LARGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the baseline {file} cannot be read: {error}") from error
    new = without_known(audited.findings, known_fingerprints(text), source_line)
    return replace(audited, findings=new, ignored=audited.ignored + len(audited.findings) - len(new))
