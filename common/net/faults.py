"""Errors across the wire: to a gRPC status with details, and back into the same class.

The details travel as JSON in trailing metadata. Only errors about another party (`RemoteError`)
are told with their details; anything else is the server's own affair and is told as
`PartyFailed`, without them. What comes back is another party's text: checked and shortened.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
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

DETAILS_KEY = "collude-error-bin"
_PARTS = ("reason", "party", "field", "expected", "got", "hint")
_LONGEST_PART = 300  # bytes; six parts, quoted and in base64, stay under gRPC's 8 KiB of metadata

STATUS: Mapping[type[ColludeError], grpc.StatusCode] = {
    UploadRejected: grpc.StatusCode.INVALID_ARGUMENT,
    WireInvalid: grpc.StatusCode.INVALID_ARGUMENT,
    IdentityRefused: grpc.StatusCode.PERMISSION_DENIED,
    DisclosureRefused: grpc.StatusCode.PERMISSION_DENIED,
    DeadlineExceeded: grpc.StatusCode.DEADLINE_EXCEEDED,
    SessionAborted: grpc.StatusCode.ABORTED,
    PartyFailed: grpc.StatusCode.INTERNAL,
}
"""Status of each error; those not named are FAILED_PRECONDITION."""

_FROM_STATUS: Mapping[grpc.StatusCode, tuple[type[RemoteError], str]] = {
    grpc.StatusCode.DEADLINE_EXCEEDED: (DeadlineExceeded, "did not answer before the deadline"),
    grpc.StatusCode.UNAVAILABLE: (PeerUnreachable, "cannot be reached"),
    grpc.StatusCode.PERMISSION_DENIED: (IdentityRefused, "refuses this party"),
    grpc.StatusCode.UNAUTHENTICATED: (IdentityRefused, "refuses this party"),
    grpc.StatusCode.UNIMPLEMENTED: (ProtocolViolation, "does not serve this"),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (ProtocolViolation, "sent or was sent too much at once"),
}


def _known(kind: type[RemoteError]) -> Iterator[type[RemoteError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _known(below)


def to_status(error: ColludeError) -> tuple[grpc.StatusCode, str, tuple[tuple[str, bytes], ...]]:
    """Return (status code, one-line text, trailing metadata) that tell a peer of the error."""
    told = error if isinstance(error, RemoteError) else PartyFailed("failed; its log says why")
    parts = {name: _short(getattr(told, name)) for name in _PARTS}
    details = json.dumps({"code": told.code} | parts, ensure_ascii=False).encode()
    code = STATUS.get(type(told), grpc.StatusCode.FAILED_PRECONDITION)
    return code, f"[{told.code}] {_short(told.reason)}", ((DETAILS_KEY, details),)


def has_details(error: grpc.aio.AioRpcError) -> bool:
    """Return whether the peer itself raised this error, rather than the link or a clock."""
    return _details(error) is not None


def from_status(error: grpc.aio.AioRpcError, peer: str, address: str) -> RemoteError:
    """Return the error that `peer` told of, or one that says what happened on the way to it."""
    details = _details(error)
    if details is not None:
        return _rebuilt(details, peer)
    kind, reason = _FROM_STATUS.get(error.code(), (PartyFailed, "failed"))
    return kind(
        reason, party=peer, field=address, got=f"{error.code().name}: {_short(error.details())}"
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


def _rebuilt(details: Mapping[str, object], peer: str) -> RemoteError:
    classes = {kind.code: kind for kind in _known(RemoteError)}
    kind = classes.get(str(details.get("code")), PartyFailed)
    parts = {name: _short(details.get(name)) for name in _PARTS}
    reason = parts.pop("reason") or "failed without saying why"
    parts["party"] = parts["party"] or peer
    return kind(reason, **parts)


def _short(value: object) -> str | None:
    """Return a text as one printable line of bounded length; None stays None."""
    if value is None:
        return None
    printable = "".join(c if c.isprintable() else " " for c in str(value)[:_LONGEST_PART])
    return printable.encode()[:_LONGEST_PART].decode("utf-8", "ignore")
