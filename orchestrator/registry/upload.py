"""Putting blobs into a registry: in one piece, or taken over from another repository of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

from orchestrator.core.errors import MabuildError
from orchestrator.registry.authorizer import Need
from orchestrator.registry.errors import RegistryError
from orchestrator.registry.session import Call, Session
from orchestrator.registry.wire import Answer, joined

_BINARY = (("Content-Type", "application/octet-stream"),)


def upload(session: Session, need: Need, body: bytes | Path, digest: str) -> None:
    """Upload a blob in one piece; what breaks off starts again with an upload of its own."""
    call = Call(need, f"the blob {digest}", "POST", f"{need.repository}/blobs/uploads/")
    session.retried(call, lambda: _attempt(session, call, body, digest))


def mount(session: Session, need: Need, digest: str, source: str) -> bool:
    """Ask the registry to take a blob over; False where it wants an upload instead, which is then called off."""
    query = urlencode({"mount": digest, "from": source})
    call = Call(need, f"the blob {digest}", "POST", f"{need.repository}/blobs/uploads/?{query}")
    answer = session.answer(call)
    if answer.status == 201:
        return True
    with suppress(MabuildError):
        session.open(replace(call, method="DELETE", path=_location(answer, need))).close()
    return False


def _attempt(session: Session, call: Call, body: bytes | Path, digest: str) -> None:
    begun = session.open(call).answer(session.http.limits.answer)
    location = _location(begun, call.need)
    url = f"{location}{'&' if '?' in location else '?'}{urlencode({'digest': digest})}"
    put = replace(call, method="PUT", path=url, headers=_BINARY, body=body, is_long=True)
    session.open(put).answer(session.http.limits.answer)


def _location(answer: Answer, need: Need) -> str:
    location = answer.header("location")
    if not location:
        raise RegistryError(f"{need.endpoint.authority} does not say where to upload to")
    return joined(answer.url, location)
