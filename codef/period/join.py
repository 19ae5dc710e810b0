"""What a join and the handle key are made of, as every side computes them."""

from collections.abc import Mapping, Sequence

from collude.codef.period.terms import PeriodTerms
from collude.common.encoding import digest
from collude.common.errors import IdentityRefused, PeriodAborted
from collude.common.protocol.codef_messages import CodefJoin, KeyConfirm
from collude.common.protocol.signing import verify
from collude.common.protocol.terms import require_same

JOIN_TAG = "codef/v1/join"
CONFIRM_TAG = "codef/v1/key-confirm"


def join_items(name: str, join: CodefJoin) -> tuple[bytes | str | int, ...]:
    """Return what a join's signature covers, after `JOIN_TAG`."""
    return (
        *(name, join.roster_hash, join.scenario_digest, join.terms, join.period),
        *(join.commitment, join.session_key, join.nonce),
    )


def check_join(terms: PeriodTerms, name: str, join: CodefJoin) -> None:
    """Return if a silo joined, under the same terms.

    Raises:
        IdentityRefused: its signature does not verify, or it is no silo.
        RosterMismatch: it runs other terms; both values are named.
    """
    if name not in terms.silos:
        raise IdentityRefused("is no silo of the roster", party=name, field="joins")
    for field, mine in (
        ("roster_hash", terms.roster.hash),
        ("scenario_digest", terms.scenario_digest),
        ("terms", terms.hash),
        ("period", terms.period),
    ):
        require_same(name, field, mine, getattr(join, field))
    key = terms.roster.keys[name]
    verify(key, join.signature, JOIN_TAG, *join_items(name, join), party=name)


def share_commitment(terms: PeriodTerms, name: str, nonce: bytes, share: bytes) -> bytes:
    """Return the commitment to a silo's share of the handle key; the 32-byte nonce hides it."""
    return digest(
        "codef/v1/key-share", terms.roster.hash, terms.hash, terms.period, name, nonce, share
    )


def handle_key(session: bytes, shares: Mapping[str, bytes]) -> bytes:
    """Return the 32-byte key under which handles stand for persons: a hash over all shares."""
    items = (part for name in sorted(shares) for part in (name, shares[name]))
    return digest("codef/v1/handle-key", session, *items)


def key_hash(session: bytes, key: bytes) -> bytes:
    """Return the hash by which silos compare the key: 32 bytes."""
    return digest("codef/v1/handle-key-hash", session, key)


def confirm_items(
    session: bytes, name: str, contributors: Sequence[str], hash_: bytes
) -> tuple[bytes | str | int, ...]:
    """Return what a confirmation's signature covers, after `CONFIRM_TAG`."""
    return session, name, len(contributors), *contributors, hash_


def check_confirm(terms: PeriodTerms, session: bytes, name: str, confirm: KeyConfirm) -> None:
    """Return if a silo signed this confirmation.

    Raises:
        IdentityRefused: it did not.
        PeriodAborted: it is no silo.
    """
    if name not in terms.silos:
        raise PeriodAborted("is no silo of the roster", party=name, field="confirms")
    items = confirm_items(session, name, confirm.contributors, confirm.key_hash)
    verify(terms.roster.keys[name], confirm.signature, CONFIRM_TAG, *items, party=name)
