"""TLS as hosts are set up: certificate authorities of one's own, and none; with a certificate that openssl makes."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.image import sha256
from orchestrator.registry.errors import RegistryError
from tests.faults.registry_server import Oddities, RegistryServer
from tests.registry.images import at, fill, make_client, make_image

IMAGE = make_image()
pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = ["-subj", "/CN=registry.test", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    subprocess.run([*request, *names, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


@pytest.fixture
def server(certificate: tuple[Path, Path]) -> Iterator[RegistryServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with RegistryServer(tls=context) as server:
        fill(server, IMAGE)
        yield server


def test_a_certificate_authority_of_ones_own(server: RegistryServer, certificate: tuple[Path, Path]) -> None:
    client = make_client(RegistrySettings(server.address, ca=str(certificate[0])))
    assert client.manifest(at(server.address)).digest == IMAGE.digest
    assert client.traffic.requests == len(server.seen) == 1


def test_without_it_the_certificate_is_not_trusted(server: RegistryServer, tmp_path: Path) -> None:
    other = ssl.create_default_context().get_ca_certs(binary_form=True)[0]
    (tmp_path / "other.pem").write_text(ssl.DER_cert_to_PEM_cert(other))
    client = make_client(RegistrySettings(server.address, ca=str(tmp_path / "other.pem")))
    with pytest.raises(RegistryError, match="is not trusted") as caught:
        client.manifest(at(server.address))
    assert "ca: ca.pem" in caught.value.hint
    assert server.seen == []


def test_insecure_asks_for_no_certificate(server: RegistryServer) -> None:
    client = make_client(RegistrySettings(server.address, insecure=True))
    assert client.manifest(at(server.address)).digest == IMAGE.digest


def test_plain_http_to_a_port_with_tls(server: RegistryServer) -> None:
    with pytest.raises(RegistryError):
        make_client(RegistrySettings(server.address, http=True)).manifest(at(server.address))
    assert server.seen == []


def test_a_redirect_from_tls_to_plain_http_is_refused(certificate: tuple[Path, Path]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with RegistryServer() as storage, RegistryServer(Oddities(blobs_at=storage.address), tls=context) as server:
        fill(server, IMAGE)
        client = make_client(RegistrySettings(server.address, ca=str(certificate[0])))
        with pytest.raises(RegistryError, match="redirects from TLS"):
            client.blob(at(server.address), sha256(IMAGE.layer))
        assert storage.seen == []


@pytest.mark.parametrize("content", [None, "nonsense"])
def test_certificates_that_cannot_be_read(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "ca.pem"
    if content:
        path.write_text(content)
    with pytest.raises(RegistryError, match="cannot be read"):
        make_client(RegistrySettings("ghcr.io", ca=str(path))).manifest(at("ghcr.io"))
