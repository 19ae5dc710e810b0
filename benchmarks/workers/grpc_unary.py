"""A body as one protobuf message in one unary call over mutual TLS.

SIZE
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from benchmarks.workers.credentials import RECEIVER, SENDER, files, make
from benchmarks.workers.transfer import Receiver, arguments, body, compete
from collude.common.net.tls import channel_credentials, server_credentials
from collude.wire.v1 import mail_pb2 as pb

MODULE = "benchmarks.workers.grpc_unary"
ANY_SIZE = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
SERVICE, METHOD = "bench.Unary", "Send"


async def serve(folder: Path) -> None:
    receiver, came = Receiver(), asyncio.Event()

    async def take(request: pb.Chunk, _context: Any) -> pb.Receipt:
        came.set()
        return pb.Receipt(sequence=len(request.data))

    handler = grpc.unary_unary_rpc_method_handler(
        take, pb.Chunk.FromString, pb.Receipt.SerializeToString
    )
    server = grpc.aio.server(options=ANY_SIZE)
    generic = grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler})
    server.add_generic_rpc_handlers((generic,))
    credentials = server_credentials(files(folder, RECEIVER))
    port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    receiver.listening(f"127.0.0.1:{port}")
    await came.wait()
    await server.stop(2.0)
    receiver.done()


async def send(address: str, folder: Path, content: bytes) -> None:
    credentials = channel_credentials(files(folder, SENDER))
    options = (*ANY_SIZE, ("grpc.ssl_target_name_override", RECEIVER))
    async with grpc.aio.secure_channel(address, credentials, options=options) as channel:
        method = channel.unary_unary(
            f"/{SERVICE}/{METHOD}", pb.Chunk.SerializeToString, pb.Receipt.FromString
        )
        await method(pb.Chunk(data=content))


def main() -> None:
    serves, words = arguments()
    if serves:
        asyncio.run(serve(Path(words[0])))
        return

    def prepare(folder: Path) -> Callable[[str], None]:
        make(folder)
        content = body(int(words[0]))
        return lambda address: asyncio.run(send(address, folder, content))

    compete(MODULE, prepare)


if __name__ == "__main__":
    main()
