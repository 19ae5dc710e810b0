"""Ids of phases and sessions: whoever agrees on one agrees on all that came before it."""

from collude.common.encoding import digest


def genesis(roster: bytes, period: bytes = b"") -> bytes:
    """Return the head of the empty ledger of a roster with this hash: 32 bytes.

    With the id of a period it is that period's own ledger: heads of two periods that have one
    length prove no fork.
    """
    return digest("codef/v1/genesis", roster, *((period,) if period else ()))


def commit_session(roster: bytes, terms: bytes, epoch: int, head: bytes) -> bytes:
    """Return sid_commit, the 32-byte id of an epoch's commit phase.

    Args:
        roster: hash of the roster.
        terms: hash of the session's terms.
        epoch: from 0.
        head: of the ledger before the phase.
    """
    return digest("codef/v1/sid-commit", roster, terms, epoch, head)


def aggregation_session(session: bytes, head: bytes, attempt: int = 0) -> bytes:
    """Return sid_agg, the 32-byte id under which a phase's counts are aggregated.

    Args:
        session: sid_commit.
        head: of the ledger after the phase, so that all commitments precede all keys.
        attempt: from 0; a session that was aborted is tried again under another id, since under
            the same one a silo would use its keys twice.
    """
    return digest("codef/v1/sid-agg", session, head, attempt)
