"""Errors across the wire: to a gRPC status with details, and back into the same class.

The details travel as JSON in trailing metadata. `common/told` says what may be told, and what
is believed.
"""

import json
from collections.abc import Iterable, Mapping
from typing import cast

import grpc
import grpc.aio

from collude.common.errors import (
    ColludeError,
    DeadlineExceeded,
    DisclosureRefused,
    IdentityRefused,
    PartyFailed,
    PeerUnreachable,
    ProtocolViolation,
    RemoteError,
    SessionAborted,
    UploadRejected,
    WireInvalid,
)
from collude.common.told import PARTS, as_told, may_be_told, plain

DETAILS_KEY = "collude-error-bin"

STATUS: Mapping[type[ColludeError], grpc.StatusCode] = {
    UploadRejected: grpc.StatusCode.INVALID_ARGUMENT,
    WireInvalid: grpc.StatusCode.INVALID_ARGUMENT,
    IdentityRefused: grpc.StatusCode.PERMISSION_DENIED,
    DisclosureRefused: grpc.StatusCode.PERMISSION_DENIED,
    DeadlineExceeded: grpc.StatusCode.DEADLINE_EXCEEDED,
    SessionAborted: grpc.StatusCode.ABORTED,
    PartyFailed: grpc.StatusCode.INTERNAL,
    RemoteError: grpc.StatusCode.FAILED_PRECONDITION,
}
"""Status of each error about another party; a class that is not named has its parent's."""

_FROM_STATUS: Mapping[grpc.StatusCode, tuple[type[RemoteError], str]] = {
    grpc.StatusCode.DEADLINE_EXCEEDED: (DeadlineExceeded, "did not answer before the deadline"),
    grpc.StatusCode.UNAVAILABLE: (PeerUnreachable, "cannot be reached"),
    grpc.StatusCode.PERMISSION_DENIED: (IdentityRefused, "refuses this party"),
    grpc.StatusCode.UNAUTHENTICATED: (IdentityRefused, "refuses this party"),
    grpc.StatusCode.UNIMPLEMENTED: (ProtocolViolation, "does not serve this"),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (ProtocolViolation, "sent or was sent too much at once"),
}


def status_of(kind: type[ColludeError]) -> grpc.StatusCode:
    """Return the status under which a peer hears of an error of this class."""
    told = kind if issubclass(kind, RemoteError) else PartyFailed
    return next(STATUS[base] for base in told.__mro__ if base in STATUS)


def to_status(error: ColludeError) -> tuple[grpc.StatusCode, str, tuple[tuple[str, bytes], ...]]:
    """Return (status code, one-line text, trailing metadata) that tell a peer of the error."""
    told = may_be_told(error)
    parts = {name: plain(getattr(told, name)) for name in PARTS}
    details = json.dumps({"code": told.code} | parts, ensure_ascii=False).encode()
    return status_of(type(told)), f"[{told.code}] {plain(told.reason)}", ((DETAILS_KEY, details),)


def has_details(error: grpc.aio.AioRpcError) -> bool:
    """Return whether the peer itself raised this error, rather than the link or a clock."""
    return _details(error) is not None


def from_status(error: grpc.aio.AioRpcError, peer: str, address: str) -> RemoteError:
    """Return the error that `peer` told of, or one that says what happened on the way to it."""
    details = _details(error)
    if details is not None:
        return as_told(str(details.get("code", "")), details, peer, PartyFailed)
    kind, reason = _FROM_STATUS.get(error.code(), (PartyFailed, "failed"))
    return kind(
        reason, party=peer, field=address, got=f"{error.code().name}: {plain(error.details())}"
    )


def _details(error: grpc.aio.AioRpcError) -> dict[str, object] | None:
    metadata = cast("Iterable[tuple[str, str | bytes]]", error.trailing_metadata() or ())
    raw = next((value for key, value in metadata if key == DETAILS_KEY), None)
    if raw is None:
        return None
    try:
        details = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return details if isinstance(details, dict) else {}
