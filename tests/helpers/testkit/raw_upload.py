"""One upload stream, frame by frame, by a caller who need not keep to the rules."""

import contextlib
import dataclasses

import grpc.aio

from collude.common.net.authorisation import UPLOAD
from collude.common.net.channel import open_channel
from collude.common.net.framing import header_frame, piece_frame
from collude.common.net.head import head_of, to_wire
from collude.common.net.tls import channel_credentials
from collude.wire.v1 import mail_pb2 as pb


class RawUpload:
    """A stream of `Uploads.Upload`, as its caller sees it."""

    def __init__(self, channel, timeout=20.0):
        method = channel.stream_stream(UPLOAD, None, pb.UploadStatus.FromString)
        self.call = method(None, timeout=timeout)

    async def header(self, parcel, **changes):
        """Send a parcel's header, some of its fields changed."""
        head = dataclasses.replace(head_of(parcel), **changes)
        await self.call.write(header_frame(to_wire(head)))

    async def pieces(self, body, size=256 * 1024):
        """Send some bytes of a body, in pieces of one size."""
        for start in range(0, len(body), size):
            await self.call.write(piece_frame(memoryview(body)[start : start + size]))

    async def stored(self):
        """Return the next number of bytes that the server says it has stored."""
        async for status in self.call:
            if status.WhichOneof("state") == "stored":
                return status.stored
        raise AssertionError("the stream ended")

    async def refusal(self):
        """Return the status code with which the server ends the stream."""
        with contextlib.suppress(grpc.aio.AioRpcError):
            async for _ in self.call:
                pass
        return await self.call.code()


@contextlib.asynccontextmanager
async def raw_upload(address, files, timeout=20.0):
    """Open a stream to the analyst with a party's certificate."""
    async with open_channel(address, "analyst", channel_credentials(files)) as channel:
        yield RawUpload(channel, timeout)
