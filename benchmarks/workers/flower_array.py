"""An array from a client to the server as Flower carries it, in one unary call without TLS.

    SIZE

numpy -> ArrayRecord -> protobuf -> gRPC -> protobuf -> ArrayRecord -> numpy: the library's own
conversions, without its processes, its queues and its waiting in between.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import numpy as np
from flwr.app import ArrayRecord
from flwr.common.serde import array_record_from_proto, array_record_to_proto
from flwr.proto.recorddict_pb2 import ArrayRecord as ArrayRecordProto

from benchmarks.workers.transfer import Receiver, arguments, compete

MODULE = "benchmarks.workers.flower_array"
ANY_SIZE = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
SERVICE, METHOD = "bench.Flower", "Push"
WIDTH = 100


async def serve() -> None:
    receiver, came = Receiver(), asyncio.Event()

    async def take(request: Any, _context: Any) -> bytes:
        (array,) = array_record_from_proto(request).to_numpy_ndarrays()
        came.set()
        return str(array.shape).encode()

    handler = grpc.unary_unary_rpc_method_handler(take, ArrayRecordProto.FromString)
    server = grpc.aio.server(options=ANY_SIZE)
    generic = grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler})
    server.add_generic_rpc_handlers((generic,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    receiver.listening(f"127.0.0.1:{port}")
    await came.wait()
    await server.stop(2.0)
    receiver.done()


async def send(address: str, array: Any) -> None:
    async with grpc.aio.insecure_channel(address, options=ANY_SIZE) as channel:
        method = channel.unary_unary(
            f"/{SERVICE}/{METHOD}", ArrayRecordProto.SerializeToString, None
        )
        await method(array_record_to_proto(ArrayRecord([array])))


def main() -> None:
    serves, words = arguments()
    if serves:
        asyncio.run(serve())
        return

    def prepare(_folder: Path) -> Callable[[str], None]:
        array = np.ones((max(1, int(words[0]) // (8 * WIDTH)), WIDTH))
        return lambda address: asyncio.run(send(address, array))

    compete(MODULE, prepare)


if __name__ == "__main__":
    main()
