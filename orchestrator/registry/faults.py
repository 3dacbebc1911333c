"""Turns what urllib3 raises into a sentence for people, and says whether asking again can help."""

from __future__ import annotations

from orchestrator.registry.errors import RegistryError

_NOT_TLS = ("WRONG_VERSION_NUMBER", "PACKET_LENGTH", "RECORD_LAYER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL")


def connection_error(error: Exception, authority: str) -> RegistryError:
    """The error for a request to a host that brought no whole answer."""
    from http.client import HTTPException

    from urllib3 import exceptions

    match error:
        case exceptions.SSLError():
            return _tls_error(error, authority)
        case exceptions.NameResolutionError():
            return _name_error(error, authority)
        case exceptions.ProxyError():
            return RegistryError(f"the proxy before {authority} does not answer", hint="see HTTPS_PROXY and NO_PROXY")
        case exceptions.NewConnectionError():
            return RegistryError(
                f"{authority} refuses connections",
                hint="is the registry running, and is its port right?",
                transient=True,
            )
        case exceptions.TimeoutError():
            return RegistryError(f"{authority} does not answer in time", transient=True)
        case exceptions.ProtocolError() | OSError() | HTTPException():
            return RegistryError(f"{authority} broke the connection off", transient=True)
        case _:
            return RegistryError(f"{authority} cannot be asked: {type(error).__name__}")


def _tls_error(error: Exception, authority: str) -> RegistryError:
    text = str(error).upper()
    if any(word in text for word in _NOT_TLS):
        return RegistryError(
            f"{authority} does not speak TLS",
            hint=f'for a registry on plain HTTP: `registries: {{"{authority}": {{http: true}}}}` in the manifest',
        )
    if "CERTIFICATE" in text or "HOSTNAME" in text:
        return RegistryError(
            f"the certificate of {authority} is not trusted",
            hint=f'for a certificate authority of your own: `registries: {{"{authority}": {{ca: ca.pem}}}}`',
        )
    return RegistryError(f"no TLS connection to {authority}", transient=True)


def _name_error(error: Exception, authority: str) -> RegistryError:
    import socket

    cause = error.__cause__
    is_passing = isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_AGAIN
    return RegistryError(
        f"the name {authority} cannot be resolved",
        hint="is it spelled right, and is there a network?",
        transient=is_passing,
    )
