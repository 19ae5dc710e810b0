"""The small client of the health service, against the real server."""

import asyncio
import datetime as dt
import socket
import subprocess
import sys
import threading

import pytest

from collude.common.ids import ANALYST
from collude.common.net import pki
from collude.common.net.certificate_check import TlsFiles
from collude.common.net.server import PartyServer
from collude.common.net.tls import server_credentials
from collude.runtime.compose.health import is_serving, target_of

NOW = dt.datetime.now(dt.UTC)


@pytest.fixture(scope="module")
def consortium(tmp_path_factory):
    made = tmp_path_factory.mktemp("health") / "pki"
    pki.init(made, {ANALYST: (), "participant-0": ()}, now=NOW)
    return made


def target(folder, address, party=ANALYST):
    text = (folder / party / "party.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("listen")]
    lines.insert(1, f'listen = "{address}"')
    path = folder / party / "asked.toml"
    path.write_text("\n".join(lines))
    return path


async def asked(folder, party=ANALYST, roster=(ANALYST,), listen="127.0.0.1:0"):
    """Serve as the analyst; return what the client, as `party`, says about that server."""
    mine = folder / ANALYST
    files = TlsFiles(*((mine / name).read_bytes() for name in ("ca.pem", "cert.pem", "key.pem")))
    server = PartyServer(listen, server_credentials(files), roster, ())
    address = await server.start()
    try:
        wanted = target_of(target(folder, f"{address},127.0.0.9:1", party))
        return await asyncio.to_thread(is_serving, wanted)
    finally:
        await server.stop(0)


def test_nobody_listens(consortium) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert not is_serving(target_of(target(consortium, f"127.0.0.1:{port}")))


def test_a_listener_that_hangs_up_is_no_server(consortium) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer():
            listener.accept()[0].close()

        hang_up = threading.Thread(target=answer)
        hang_up.start()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        assert not is_serving(target_of(target(consortium, address)))
        hang_up.join()


def test_another_party_at_the_address_is_not_taken_for_the_own_server(consortium) -> None:
    assert not asyncio.run(asked(consortium, "participant-0", (ANALYST, "participant-0")))


def test_a_server_that_refuses_is_not_healthy(consortium) -> None:
    assert not asyncio.run(asked(consortium, roster=("participant-0",)))


def test_a_server_that_serves_is_healthy(consortium) -> None:
    assert asyncio.run(asked(consortium))


def test_an_ipv6_address_is_read(consortium) -> None:
    assert target_of(target(consortium, "[::1]:7")).host == "::1"


def test_the_command_says_it_by_its_exit_code_and_loads_nothing_heavy(consortium) -> None:
    path = target(consortium, "127.0.0.1:9")
    code = (
        "import sys, runpy; sys.argv = ['health', sys.argv[1]]\n"
        "try: runpy.run_module('collude.runtime.compose.health', run_name='__main__')\n"
        "except SystemExit as ended: print(ended.code)\n"
        "print(sorted({'grpc', 'numpy', 'cryptography', 'pydantic'} & set(sys.modules)))"
    )
    words = [sys.executable, "-I", "-c", code, str(path)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["1", "[]"]
