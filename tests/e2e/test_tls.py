"""A server with a certificate: whoever trusts it is served, and nobody by anything else."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from sfumato.client.client import connect
from sfumato.composition.create import create_workspace
from sfumato.composition.settings import WorkspaceSettings
from sfumato.errors import NoServer
from tests.e2e.command import PATIENCE
from tests.e2e.served import CHEAP, free_port

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
PASSPHRASE, PASSWORD = "a passphrase of tests", "four words put together"


def certified(folder: Path) -> tuple[Path, Path]:
    """A certificate that vouches for itself, and its key, of this machine."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sfumato of tests")]), datetime.now(UTC)
    made_up = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    kept = folder / "certificate.pem", folder / "key.pem"
    kept[0].write_bytes(made_up.public_bytes(serialization.Encoding.PEM))
    kept[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return kept


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """The port of a workspace that `sfumato serve` serves, and its certificate."""
    certificate, key = certified(tmp_path)
    port = free_port()
    settings = WorkspaceSettings(port=port, certificate=str(certificate), certificate_key=str(key), workers=1)
    create_workspace(
        tmp_path / "w", admin="cora", password=PASSWORD, passphrase=PASSPHRASE, settings=settings, cost=CHEAP
    )
    (tmp_path / "passphrase").write_text(PASSPHRASE, "utf-8")
    command = [sys.executable, "-m", "sfumato", "serve", str(tmp_path / "w"), "--json"]
    with subprocess.Popen(
        [*command, "--passphrase-file", str(tmp_path / "passphrase")],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdout is not None
        assert f'"https://127.0.0.1:{port}"' in server.stdout.readline()
        try:
            yield port, certificate
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(PATIENCE) == 0


def test_whoever_trusts_the_certificate_is_served_and_nobody_otherwise(served: tuple[int, Path]) -> None:
    port, certificate = served
    url = f"https://127.0.0.1:{port}"
    with connect(url, name="cora", password=PASSWORD, authority=certificate, timeout=PATIENCE) as cora:
        assert [person.name for person in cora.people()] == ["cora"]

    with pytest.raises(NoServer, match="does not trust the certificate"):
        connect(url, name="cora", password=PASSWORD)
    with pytest.raises(NoServer, match="was interrupted"):
        connect(f"http://127.0.0.1:{port}", name="cora", password=PASSWORD)

    trusting = ssl.create_default_context(cafile=str(certificate))
    with httpx.Client(verify=trusting, trust_env=False, timeout=PATIENCE) as client:
        signed_in = client.post(f"{url}/api/v1/session", json={"name": "cora", "password": PASSWORD})
    assert "Secure" in signed_in.headers["Set-Cookie"].split("; ")
    assert "max-age" in signed_in.headers["Strict-Transport-Security"]
    with (
        socket.create_connection(("127.0.0.1", port), PATIENCE) as plain,
        trusting.wrap_socket(plain, server_hostname="127.0.0.1") as secure,
    ):
        assert secure.version() == "TLSv1.3"
