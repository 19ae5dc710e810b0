"""Serving uploads: the stream in front of an intake."""

from collections.abc import AsyncIterator, Collection

import grpc

from collude.common.errors import ProtocolViolation
from collude.common.ids import Round
from collude.common.net.authorisation import UPLOAD
from collude.common.net.channel import INLINE_BYTES
from collude.common.net.chunks import Expected, Limits, read_head
from collude.common.net.framing import Frame, read_frame
from collude.common.net.guard import Context
from collude.common.net.head import Head
from collude.common.net.identity import peer_name
from collude.common.net.intake import Intake
from collude.common.net.server import Service
from collude.wire.v1 import mail_pb2 as pb


def upload_service(name: str, roster: Collection[str], intake: Intake, limits: Limits) -> Service:
    """Return the service Uploads of the party `name`, to be put on a `PartyServer`.

    Args:
        name: the party that serves.
        roster: names that may upload.
        intake: takes what comes.
        limits: how long a body may be.
    """
    uploads = _Uploads(name, roster, intake, limits)
    service, method = UPLOAD.strip("/").split("/")
    # Not the generated registration: a piece of a body is not copied through protobuf.
    handler = grpc.stream_stream_rpc_method_handler(
        uploads.upload,
        request_deserializer=read_frame,
        response_serializer=pb.UploadStatus.SerializeToString,
    )
    generic = grpc.method_handlers_generic_handler(service, {method: handler})
    return lambda server: server.add_generic_rpc_handlers((generic,))


class _Uploads:
    """Between the wire and the intake; errors are put into a status by the guard."""

    def __init__(self, name: str, roster: Collection[str], intake: Intake, limits: Limits) -> None:
        self._name, self._roster = name, roster
        self._intake, self._limits = intake, limits

    async def upload(self, frames: AsyncIterator[Frame], context: Context) -> None:
        peer = peer_name(context.auth_context(), self._roster)
        head = await self._head(frames, Expected(peer, self._name, self._limits))

        async def tell(status: pb.UploadStatus) -> None:
            await context.write(status)

        # Else gRPC cannot end the call with a reason if it is interrupted in its first answer.
        await context.send_initial_metadata(())
        await self._intake.take(head, frames, tell)
        receipt = pb.Receipt(sequence=head.sequence, sha256=head.sha256)
        await tell(pb.UploadStatus(receipt=receipt))

    async def _head(self, frames: AsyncIterator[Frame], expected: Expected) -> Head:
        first = await anext(frames, None)
        head = read_head(first if isinstance(first, pb.ParcelHeader) else None, expected)
        if head.round not in _ROUNDS:  # it becomes part of a file's name
            raise _refused(head, "round", "a round of the protocol", repr(head.round))
        if head.length <= INLINE_BYTES:
            raise _refused(head, "length", f"over {INLINE_BYTES} bytes", head.length)
        return head


_ROUNDS = frozenset(round_.value for round_ in Round)


def _refused(head: Head, field: str, expected: str, got: object) -> ProtocolViolation:
    return ProtocolViolation(
        "this cannot be uploaded", party=head.sender, field=field, expected=expected, got=got
    )
