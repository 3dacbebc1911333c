"""A door with mutual TLS before a Unix socket, with certificates made by openssl, as a real `remote` node needs it."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificates:
    """Files of an authority, of the server, and of one client that the authority knows and one that it does not."""

    folder: Path

    def file(self, name: str) -> str:
        """The path of a file such as `client.pem` or `client.key`."""
        return str(self.folder / name)


def make_certificates(folder: Path) -> Certificates:
    """An authority with a server and a client, and a stranger with an authority of its own."""
    for authority, names in {"ca": ("server", "client"), "other": ("stranger",)}.items():
        _openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"),
            *("-subj", f"/CN={authority}", "-keyout", f"{authority}.key", "-out", f"{authority}.pem"),
            folder=folder,
        )
        for name in names:
            _openssl(
                *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"),
                *("-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
                *("-addext", "basicConstraints=critical,CA:FALSE"),
                *("-CA", f"{authority}.pem", "-CAkey", f"{authority}.key"),
                *("-keyout", f"{name}.key", "-out", f"{name}.pem"),
                folder=folder,
            )
    return Certificates(folder)


def _openssl(*arguments: str, folder: Path) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


@contextmanager
def tls_door(certificates: Certificates, socket_path: Path) -> Iterator[int]:
    """A port that lets in whom the authority knows, and hands the connection to a Unix socket."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.file("server.pem"), certificates.file("server.key"))
    context.load_verify_locations(certificates.file("ca.pem"))
    context.verify_mode = ssl.CERT_REQUIRED
    context.set_alpn_protocols(["h2"])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, context, socket_path), daemon=True).start()
        yield listener.getsockname()[1]


def _accept(listener: socket.socket, context: ssl.SSLContext, socket_path: Path) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(connection, context, socket_path), daemon=True).start()


def _serve(connection: socket.socket, context: ssl.SSLContext, socket_path: Path) -> None:
    with (
        connection,
        suppress(OSError),
        context.wrap_socket(connection, server_side=True) as secure,
        socket.socket(socket.AF_UNIX) as inner,
    ):
        inner.connect(str(socket_path))
        back = threading.Thread(target=_pump, args=(inner, secure), daemon=True)
        back.start()
        _pump(secure, inner)
        back.join(5)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while content := source.recv(65536):
            sink.sendall(content)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
