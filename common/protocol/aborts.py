"""Errors as messages: what one party tells another when it refuses or gives up."""

from collude.common.errors import ColludeError, RemoteError, SessionAborted
from collude.common.protocol.messages import Abort
from collude.common.told import PARTS, as_told, may_be_told, plain


def to_abort(error: ColludeError, party: str | None = None) -> Abort:
    """Return the message that tells another party about `error`.

    Args:
        error: what happened; of a `LocalError` only its class is told.
        party: the party at fault, where the error names none.
    """
    told = may_be_told(error, party)
    values = {name: plain(getattr(told, name)) or "" for name in PARTS}
    return Abort(code=told.code, **(values | {"party": values["party"] or party or ""}))


def from_abort(abort: Abort, sender: str) -> RemoteError:
    """Return the error that `sender` told us about, of the same class where we know its code.

    Whoever blames nobody has ended its own part.
    """
    parts = {name: getattr(abort, name) for name in PARTS}
    return as_told(abort.code, parts, sender, SessionAborted)
