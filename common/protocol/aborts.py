"""Errors as messages: what one party tells another when it refuses or gives up."""

from collude.common import errors as e
from collude.common.protocol.messages import Abort

_FIELDS = ("party", "field", "expected", "got", "hint")


def _remote_errors() -> dict[str, type[e.RemoteError]]:
    kinds: list[type[e.RemoteError]] = [e.RemoteError, *e.RemoteError.__subclasses__()]
    return {kind.code: kind for kind in kinds}


def to_abort(error: e.ColludeError, party: str | None = None) -> Abort:
    """Return the message that tells another party about `error`.

    Args:
        error: what happened; nothing of it may be secret.
        party: the party at fault, where the error names none.
    """
    values = {name: getattr(error, name) or "" for name in _FIELDS}
    values["party"] = error.party or party or ""
    return Abort(code=error.code, reason=error.reason, **values)


def from_abort(abort: Abort, sender: str) -> e.RemoteError:
    """Return the error that `sender` told us about, of the same class where we know its code."""
    kind = _remote_errors().get(abort.code, e.SessionAborted)
    values = {name: getattr(abort, name) or None for name in _FIELDS}
    return kind(abort.reason or f"{sender} gave up without a reason", **values)
