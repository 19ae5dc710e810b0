"""A body over a TLS socket, and nothing else; or with the duties of an upload.

    SIZE sink|duties

`duties`: the receiver hashes what comes and writes it to a file, flushed every 8 MiB, as an
upload is; the sender hashes what it sends.
"""

import hashlib
import os
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

from benchmarks.workers.credentials import RECEIVER, SENDER, make
from benchmarks.workers.transfer import Receiver, arguments, body, compete

MODULE = "benchmarks.workers.raw_tls"
CHUNK = 512 * 1024
FLUSH = 8 * 1024 * 1024


def context(folder: Path, party: str, protocol: int) -> ssl.SSLContext:
    made = ssl.SSLContext(protocol)
    own = folder / "pki" / party
    made.load_cert_chain(own / "cert.pem", own / "key.pem")
    made.load_verify_locations(own / "ca.pem")
    made.verify_mode = ssl.CERT_REQUIRED
    return made


def serve(folder: Path, size: int, mode: str) -> None:
    receiver = Receiver()
    listener = socket.create_server(("127.0.0.1", 0))
    receiver.listening(f"127.0.0.1:{listener.getsockname()[1]}")
    plain, _ = listener.accept()
    secure = context(folder, RECEIVER, ssl.PROTOCOL_TLS_SERVER).wrap_socket(plain, server_side=True)
    with secure:
        (keep if mode == "duties" else drop)(secure, size, folder / "body")
        secure.sendall(b"!")
    receiver.done()


def drop(secure: ssl.SSLSocket, size: int, _path: Path) -> None:
    buffer = bytearray(CHUNK)
    while size:
        size -= secure.recv_into(buffer)


def keep(secure: ssl.SSLSocket, size: int, path: Path) -> None:
    buffer, checksum, flushed = memoryview(bytearray(CHUNK)), hashlib.sha256(), 0
    with path.open("wb", buffering=0) as file:
        os.posix_fallocate(file.fileno(), 0, size)
        while size:
            got = secure.recv_into(buffer)
            checksum.update(buffer[:got])
            file.write(buffer[:got])
            size, flushed = size - got, flushed + got
            if flushed >= FLUSH:
                os.fdatasync(file.fileno())
                flushed = 0
        os.fsync(file.fileno())


def main() -> None:
    serves, words = arguments()
    if serves:
        serve(Path(words[0]), int(words[1]), words[2])
        return
    size, mode = int(words[0]), words[1]

    def prepare(folder: Path) -> Callable[[str], None]:
        make(folder)
        content = memoryview(body(size))
        secure = context(folder, SENDER, ssl.PROTOCOL_TLS_CLIENT)

        def send(address: str) -> None:
            host, port = address.split(":")
            with (
                socket.create_connection((host, int(port))) as plain,
                secure.wrap_socket(plain, server_hostname=RECEIVER) as tls,
            ):
                if mode == "duties":
                    hashlib.sha256(content).digest()
                for start in range(0, size, CHUNK):
                    tls.sendall(content[start : start + CHUNK])
                tls.recv(1)

        return send

    compete(MODULE, prepare, size, mode)


if __name__ == "__main__":
    main()
