"""Where a server listens, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path
from urllib.request import urlopen

import pytest

from sfumato.errors import BadInput, Refused
from sfumato.server.run import Tls, bind_socket

ROOT = Path(__file__).parents[2]


def test_a_port_in_use_is_one_sentence() -> None:
    with bind_socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(BadInput, match=f"^Port {port} of 127.0.0.1 is in use. Hint: stop its program"):
            bind_socket("127.0.0.1", port)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_other_machines_are_served_by_tls_only(host: str) -> None:
    with pytest.raises(Refused, match="can be reached from other machines, and TLS is not set up"):
        bind_socket(host, 0)


def test_a_proxy_may_stand_before_it() -> None:
    bind_socket("0.0.0.0", 0, behind_proxy=True).close()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.1"])
def test_this_machine_needs_no_tls(host: str) -> None:
    bind_socket(host, 0).close()


@pytest.mark.parametrize(("host", "port"), [("no.such.host.invalid", 0), ("127.0.0.1", 65536), ("127.0.0.1", -1)])
def test_an_address_that_is_none(host: str, port: int) -> None:
    with pytest.raises(BadInput, match=r"is not an? (address of this machine|port)"):
        bind_socket(host, port)


def test_an_address_of_another_machine() -> None:
    with pytest.raises(BadInput, match=r"192\.0\.2\.1 is not an address of this machine"):
        bind_socket("192.0.2.1", 0, behind_proxy=True)


def test_tls_files_are_looked_at_first(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    with pytest.raises(BadInput, match="There is no file"):
        Tls(certificate, key)
    certificate.write_text("nothing")
    key.write_text("nothing")
    with pytest.raises(BadInput, match="are not a certificate and its key"):
        Tls(certificate, key)


SERVING = textwrap.dedent("""
    import sys
    from sfumato.server.run import bind_socket, serve
    from tests.served import Nouns, app_on

    taken = bind_socket("127.0.0.1", 0)
    print(taken.getsockname()[1], flush=True)
    serve(app_on(Nouns()), taken)
    print("cleaned up", flush=True)
""")


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_server_serves_until_it_is_stopped_and_then_cleans_up(stop: signal.Signals) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [sys.executable, "-c", SERVING]
    with subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        with urlopen(f"http://127.0.0.1:{port}/api/v1/health?secret=Marta", timeout=600) as answer:
            assert json.load(answer)["status"] == "ok"
            assert answer.headers["Server"] is None
        server.send_signal(stop)
        said, log = server.communicate(timeout=600)
    assert (server.returncode, said) == (0, "cleaned up\n")
    assert "GET /health 200" in log
    assert "Marta" not in log
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=600)
