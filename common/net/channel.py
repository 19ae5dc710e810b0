"""The one place that sets message limits, keepalive and the like, and opens channels and ports."""

import grpc
import grpc.aio

from collude.common.errors import ListenFailed
from collude.common.net.address import Address, parse_address

CHUNK_BYTES = 512 * 1024
"""Body bytes in one chunk. Under 256 KiB the CPU time per byte doubles (measured)."""

INLINE_BYTES = 1024 * 1024
"""Longest body that is delivered, in memory; a longer one is uploaded, by way of the disk."""

MESSAGE_BYTES = 1024 * 1024 + 64 * 1024
"""Largest gRPC message: the largest chunk anyone may send, and its framing."""

Option = tuple[str, int | str]

COMMON: tuple[Option, ...] = (
    ("grpc.max_send_message_length", MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 0),
)

SERVER: tuple[Option, ...] = (
    *COMMON,
    # A second server on the port is an error, not a silent sharer of the calls.
    ("grpc.so_reuseport", 0),
    # Callers' keepalive pings are no flood.
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    # On one connection; the guard counts a party's calls over all of them.
    ("grpc.max_concurrent_streams", 100),
)

CLIENT: tuple[Option, ...] = (
    *COMMON,
    # Parties are called directly, whatever http_proxy says.
    ("grpc.enable_http_proxy", 0),
    # The retries of this package are the only ones.
    ("grpc.enable_retries", 0),
    # Many clients in one process must not share, and outlive, each other's connections.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)


def open_channel(address: str, peer: str, credentials: grpc.ChannelCredentials) -> grpc.aio.Channel:
    """Return a channel to `address` that accepts no certificate but one for the name `peer`."""
    options = (*CLIENT, ("grpc.ssl_target_name_override", peer), ("grpc.default_authority", peer))
    return grpc.aio.secure_channel(address, credentials, options=options)


def bind(server: grpc.aio.Server, address: str, credentials: grpc.ServerCredentials) -> str:
    """Bind a server to one or several addresses; return the first with the port that was taken.

    Args:
        server: before it starts.
        address: `host:port`, or several of them with commas between: where a party is on several
            networks it serves only on those that are named.
        credentials: of `tls.server_credentials`.

    Raises:
        ListenFailed: the port is in use, or the host is none of this machine's.
    """
    bound = [_bind_one(server, each, credentials) for each in address.split(",")]
    return bound[0]


def _bind_one(server: grpc.aio.Server, address: str, credentials: grpc.ServerCredentials) -> str:
    wanted = parse_address(address)
    try:
        port = server.add_secure_port(str(wanted), credentials)
    except RuntimeError:
        port = 0  # some versions of gRPC raise, some return 0
    if port == 0:
        raise ListenFailed(
            "cannot listen on this address",
            field="listen",
            got=address,
            hint="Is the port in use? Choose another, or port 0 for any free one.",
        )
    return str(Address(wanted.host, port))
