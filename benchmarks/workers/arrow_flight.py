"""A body as record batches of 1 MiB over Arrow Flight, without TLS.

    SIZE sink|duties

`duties`: the receiver hashes what comes and writes it to a file, flushed every 8 MiB; the sender
hashes what it sends.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import flight

from benchmarks.workers.transfer import MIB, Receiver, arguments, compete

MODULE = "benchmarks.workers.arrow_flight"
FLUSH = 8 * MIB


class Server(flight.FlightServerBase):  # type: ignore[misc]  # no types in that environment
    """Takes one stream, drops it or keeps it, and ends."""

    def __init__(self, folder: Path, mode: str) -> None:
        super().__init__("grpc://127.0.0.1:0")
        self._folder, self._mode = folder, mode
        self.receiver = Receiver()

    def do_put(self, _context: Any, _descriptor: Any, reader: Any, _writer: Any) -> None:
        if self._mode == "duties":
            self._keep(reader)
        else:
            for _ in reader:
                pass

    def _keep(self, reader: Any) -> None:
        checksum, flushed = hashlib.sha256(), 0
        with (self._folder / "body").open("wb", buffering=0) as file:
            for chunk in reader:
                piece = memoryview(chunk.data.column(0).buffers()[1])
                checksum.update(piece)
                flushed += file.write(piece)
                if flushed >= FLUSH:
                    os.fdatasync(file.fileno())
                    flushed = 0
            os.fsync(file.fileno())

    def do_action(self, _context: Any, _action: Any) -> list[bytes]:
        self.receiver.done()
        return []


def main() -> None:
    serves, words = arguments()
    if serves:
        server = Server(Path(words[0]), words[1])
        server.receiver.listening(f"127.0.0.1:{server.port}")
        server.serve()
        return
    size, mode = int(words[0]), words[1]

    def prepare(_folder: Path) -> Callable[[str], None]:
        content = np.ones(size // 8)
        batches = [
            pa.record_batch([pa.array(content[start : start + MIB // 8])], names=["body"])
            for start in range(0, len(content), MIB // 8)
        ]

        def send(address: str) -> None:
            client = flight.connect(f"grpc://{address}")
            writer, reader = client.do_put(
                flight.FlightDescriptor.for_path("body"), batches[0].schema
            )
            if mode == "duties":
                hashlib.sha256(content.data).digest()
            for batch in batches:
                writer.write_batch(batch)
            writer.done_writing()
            reader.read()  # until the receiver has all
            writer.close()
            list(client.do_action("done"))

        return send

    compete(MODULE, prepare, mode)


if __name__ == "__main__":
    main()
