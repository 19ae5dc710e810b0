"""Asks a party's gRPC health service, from inside its container, with the standard library alone.

    python -I -m collude.runtime.compose.health PARTY_FILE

Exit code 0 if the party serves, 1 if not. The engine asks every few seconds, for as long as the
container runs: 0.04 s of CPU each time, nearly all of it the start of Python, where loading gRPC
and this package's own client takes 0.1 s before it has called anybody. So it speaks the little of
HTTP/2 (RFC 9113, RFC 7541) that one call takes.
"""

import socket
import ssl
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

TIMEOUT_S = 3.0

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RST_STREAM, _SETTINGS, _GOAWAY = 0x0, 0x1, 0x3, 0x4, 0x7
_END_STREAM, _END_HEADERS = 0x1, 0x4
_FRAME_HEAD = 9
_PATH = b"/grpc.health.v1.Health/Check"
_EMPTY_MESSAGE = bytes(5)
"""Not compressed, of length 0: the question about the whole server."""
_SERVING = b"\x00\x00\x00\x00\x02\x08\x01"
"""Not compressed, of length 2: `status` (field 1) is `SERVING` (1)."""


class Target(NamedTuple):
    """A party's first port, and its own files, with which it calls itself."""

    name: str
    host: str
    port: int
    ca: Path
    cert: Path
    key: Path


def target_of(party_file: Path) -> Target:
    """Return what a party file says about where it serves."""
    folder = party_file.absolute().parent
    document = tomllib.loads(party_file.read_text(encoding="utf-8"))
    party, tls = document["party"], document["tls"]
    address = (party.get("listen") or party["disclosure_listen"]).split(",")[0]
    host, _, port = address.rpartition(":")
    paths = (folder / tls[name] for name in ("ca", "cert", "key"))
    return Target(party["name"], host.strip("[]"), int(port), *paths)


def is_serving(target: Target) -> bool:
    """Return whether the party answers, with its own certificate, that it serves."""
    context = ssl.create_default_context(cafile=str(target.ca))
    context.load_cert_chain(target.cert, target.key)
    context.set_alpn_protocols(["h2"])
    try:
        with (
            socket.create_connection((target.host, target.port), TIMEOUT_S) as plain,
            context.wrap_socket(plain, server_hostname=target.name) as connection,
        ):
            connection.sendall(_question(target.name.encode()))
            return _answer(connection) == _SERVING
    except OSError:  # TLS errors are among them
        return False


def _question(authority: bytes) -> bytes:
    fields = (
        b"\x83\x87"  # :method POST, :scheme https
        + b"\x04" + _text(_PATH)
        + b"\x01" + _text(authority)
        + b"\x0f\x10" + _text(b"application/grpc")
        + b"\x00" + _text(b"te") + _text(b"trailers")
    )  # fmt: skip
    return (
        _PREFACE
        + _frame(_SETTINGS, 0, 0, b"")
        + _frame(_HEADERS, _END_HEADERS, 1, fields)
        + _frame(_DATA, _END_STREAM, 1, _EMPTY_MESSAGE)
    )


def _text(value: bytes) -> bytes:
    return bytes([len(value)]) + value  # under 127 bytes, no Huffman coding


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def _answer(connection: ssl.SSLSocket) -> bytes:
    """Return the body of the answer; what there is of it when the call or connection ends."""
    body = b""
    while len(body) < len(_SERVING):
        head = _exactly(connection, _FRAME_HEAD)
        payload = _exactly(connection, int.from_bytes(head[:3]))
        kind, flags = head[3:5] if len(head) == _FRAME_HEAD else (_GOAWAY, 0)
        if kind == _DATA:
            body += payload
        ended = kind in {_DATA, _HEADERS} and flags & _END_STREAM
        if ended or kind in {_RST_STREAM, _GOAWAY}:
            break
    return body


def _exactly(connection: ssl.SSLSocket, count: int) -> bytes:
    received = b""
    while len(received) < count and (more := connection.recv(count - len(received))):
        received += more
    return received


def main() -> None:
    """Exit with 0 if the party of the file serves, else with 1."""
    sys.exit(0 if is_serving(target_of(Path(sys.argv[1]))) else 1)


if __name__ == "__main__":
    main()
