"""Uploads to the product's server over mutual TLS, by way of its disk.

    SIZE CLIENTS keep|use|plain

`use`: the receiver also decodes, checks and hashes each upload, as its session does. `plain`:
without TLS, which the product never does. Each client is a party with its own certificate.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc.aio
import numpy as np

from benchmarks.workers.credentials import RECEIVER, files, make
from benchmarks.workers.transfer import Receiver, arguments, compete
from collude.common.ids import participant_name
from collude.common.net.authorisation import UPLOAD
from collude.common.net.channel import CLIENT, SERVER
from collude.common.net.chunks import Limits
from collude.common.net.framing import read_frame
from collude.common.net.head import Head, from_wire
from collude.common.net.intake import Intake
from collude.common.net.mail_client import MailClient
from collude.common.net.quota import Quota
from collude.common.net.server import PartyServer
from collude.common.net.spool import Spool
from collude.common.net.tls import channel_credentials, server_credentials
from collude.common.net.upload_client import unwatched, upload
from collude.common.net.upload_server import upload_service
from collude.common.protocol.codec import decode_message, digest_of, encode_message
from collude.common.protocol.messages import Upload
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb

MODULE = "benchmarks.workers.collude_upload"
DEADLINE_S = 500.0
WIDTH = 100


def message(size: int) -> bytes:
    """Return a whole upload of about `size` bytes."""
    rows = max(2, size // (8 * (WIDTH + 1)))
    return encode_message(Upload(np.ones((rows, WIDTH)), None, np.zeros(rows, dtype=np.int64)))


class Handler:
    """Takes what comes, and may use it as the session would."""

    def __init__(self, *, use: bool) -> None:
        self._use = use
        self.count = 0

    def expect(self, _peer: str, _head: Head) -> None:
        pass

    async def accept(self, _peer: str, parcel: Parcel) -> None:
        if self._use:
            got = await asyncio.to_thread(decode_message, parcel.body)
            await asyncio.to_thread(digest_of, got)
        self.count += 1


async def serve(folder: Path, clients: int, mode: str) -> None:
    handler, receiver = Handler(use=mode == "use"), Receiver()
    names = [participant_name(i) for i in range(clients)]
    intake = Intake(Spool(folder / "spool"), handler, Quota())
    start = _plain if mode == "plain" else _secure
    address, stop = await start(folder, names, intake)
    receiver.listening(address)
    while handler.count < clients:
        await asyncio.sleep(0.002)
    await stop(2.0)
    receiver.done()


Started = tuple[str, Callable[[float], Awaitable[Any]]]


async def _secure(folder: Path, names: list[str], intake: Intake) -> Started:
    service = upload_service(RECEIVER, names, intake, Limits())
    credentials = server_credentials(files(folder, RECEIVER))
    server = PartyServer("127.0.0.1:0", credentials, names, [service])
    return await server.start(), server.stop


async def _plain(_folder: Path, _names: list[str], intake: Intake) -> Started:
    async def take(frames: Any, context: Any) -> None:
        head = from_wire(await anext(frames))
        await intake.take(head, frames, context.write)
        receipt = pb.Receipt(sequence=head.sequence, sha256=head.sha256)
        await context.write(pb.UploadStatus(receipt=receipt))

    service, method = UPLOAD.strip("/").split("/")
    handler = grpc.stream_stream_rpc_method_handler(
        take, read_frame, pb.UploadStatus.SerializeToString
    )
    server = grpc.aio.server(options=SERVER)
    server.add_generic_rpc_handlers((
        grpc.method_handlers_generic_handler(service, {method: handler}),
    ))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    return f"127.0.0.1:{port}", server.stop


async def send(address: str, folder: Path, parcels: list[Parcel], mode: str) -> None:
    await asyncio.gather(*(_send(address, folder, parcel, mode) for parcel in parcels))


async def _send(address: str, folder: Path, parcel: Parcel, mode: str) -> None:
    if mode == "plain":
        async with grpc.aio.insecure_channel(address, options=CLIENT) as channel:
            await upload(channel, parcel, DEADLINE_S, unwatched)
        return
    credentials = channel_credentials(files(folder, parcel.sender))
    async with MailClient(parcel.sender, RECEIVER, address, credentials, DEADLINE_S) as client:
        await client.deliver(parcel)


def main() -> None:
    serves, words = arguments()
    if serves:
        asyncio.run(serve(Path(words[0]), int(words[1]), words[2]))
        return
    size, clients, mode = int(words[0]), int(words[1]), words[2]

    def prepare(folder: Path) -> Callable[[str], None]:
        make(folder, clients)
        content = message(size)
        parcels = [
            Parcel(b"session", "r3_upload", participant_name(i), RECEIVER, 0, content)
            for i in range(clients)
        ]
        return lambda address: asyncio.run(send(address, folder, parcels, mode))

    compete(MODULE, prepare, clients, mode)


if __name__ == "__main__":
    main()
