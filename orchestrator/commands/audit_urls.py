"""Adds to flagged downloads whether the file of the other architecture exists, by asking its server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from orchestrator.auditing.siblings import Download, download_at
from orchestrator.commands.audit_files import Audited
from orchestrator.commands.session import Session
from orchestrator.core.finding import Finding
from orchestrator.registry.downloads import Downloads

_MOST = 100
_HTTP_OK = 200


def with_url_answers(audited: Audited, here: Session) -> Audited:
    """The audit, each download with what HEAD answered for the siblings that it might have."""
    downloads = Downloads()
    asked = 0
    findings = []
    for finding in audited.findings:
        download = _download(finding, audited.texts)
        if download is None or asked == _MOST:
            findings.append(finding)
            continue
        asked += 1
        findings.append(replace(finding, cause=_told(download, downloads, finding.cause)))
    if asked == _MOST:
        here.say(f"not checked: downloads after the first {_MOST}\n")
    return replace(audited, findings=tuple(findings))


def _download(finding: Finding, texts: Mapping[str, str]) -> Download | None:
    text = texts.get(finding.path, "")
    lines = text.splitlines()
    if not 1 <= finding.line <= len(lines) or finding.end_line != finding.line:
        return None
    word = lines[finding.line - 1][finding.column - 1 : finding.end_column - 1]
    return download_at(text, finding.line, finding.column, word)


def _told(download: Download, downloads: Downloads, before: str) -> str:
    for sibling in download.siblings:
        if downloads.status(sibling) == _HTTP_OK:
            return f"{sibling} exists"
    if downloads.status(download.address) != _HTTP_OK:
        return before or f"its server does not answer for {download.address}"
    return f"no file of the other architecture was found beside {download.address}"
