"""The standard gRPC health service: whether a party serves, for whoever watches its container."""

from typing import Final

import grpc
import grpc.aio

from collude.common.net.authorisation import HEALTH

_SERVICE, _, _METHOD = HEALTH.lstrip("/").partition("/")

SERVING: Final = b"\x08\x01"
"""A `HealthCheckResponse` whose `status` (field 1) is `SERVING` (1), in protobuf's encoding.

The service is defined by grpc/health/v1/health.proto, which is not ours. Of it this is all that
is needed, so no stubs of it stand beside ours.
"""


def register_health(server: grpc.aio.Server) -> None:
    """Put the health service on a server before it starts."""
    handler = grpc.unary_unary_rpc_method_handler(_check)
    service = grpc.method_handlers_generic_handler(_SERVICE, {_METHOD: handler})
    server.add_generic_rpc_handlers((service,))


async def _check(request: bytes, context: "grpc.aio.ServicerContext[bytes, bytes]") -> bytes:
    if request:  # names one service; the answer is for all of them together
        await context.abort(grpc.StatusCode.NOT_FOUND, "ask for the whole server: leave it empty")
    return SERVING
