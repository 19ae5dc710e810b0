"""Signed heads: how parties see that they were shown the same ledger, and prove that not.

A head of length L is the hash of L entries. Whoever signed two different heads of one length
showed two ledgers. Two silos that signed different ones were shown two; or one of them lies.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from collude.codef.ledger.chain import Ledger
from collude.codef.ledger.sessions import genesis
from collude.common.errors import IdentityRefused, LedgerForked, LedgerRejected
from collude.common.protocol.signing import SigningKey, verify
from collude.common.roster import Roster

HEAD_TAG = "codef/v1/head"


@dataclass(frozen=True, slots=True)
class SignedHead:
    """What its signer says the ledger is.

    Attributes:
        ledger: hash of the empty ledger of the roster, which names it.
        length: entries.
        hash: head at this length, 32 bytes.
        signer: a name of the roster: a silo, the coordinator or an auditor.
        signature: Ed25519, by the signer.
    """

    ledger: bytes
    length: int
    hash: bytes
    signer: str
    signature: bytes

    def signed_items(self) -> tuple[bytes | str | int, ...]:
        """Return what the signature covers, after `HEAD_TAG`."""
        return self.ledger, self.length, self.hash, self.signer


def sign_head(ledger: Ledger, signer: str, key: SigningKey) -> SignedHead:
    """Return the head of a party's replica, signed by it."""
    name = ledger.name
    unsigned = SignedHead(name, ledger.length, ledger.head, signer, b"")
    signature = key.sign(HEAD_TAG, *unsigned.signed_items())
    return SignedHead(name, ledger.length, ledger.head, signer, signature)


def check_signed(head: SignedHead, roster: Roster, period: bytes = b"") -> None:
    """Return if a party of the roster signed this head of its ledger, or of a period's.

    Raises:
        LedgerRejected: it did not.
    """
    if head.signer not in roster.keys:
        raise LedgerRejected(
            "a head signed by nobody on the roster", party=head.signer, field="signer"
        )
    if head.ledger != genesis(roster.hash, period):
        raise LedgerRejected("a head of another ledger", party=head.signer, field="ledger")
    try:
        verify(
            roster.keys[head.signer],
            head.signature,
            HEAD_TAG,
            *head.signed_items(),
            party=head.signer,
        )
    except IdentityRefused as error:
        raise LedgerRejected(error.reason, party=head.signer, field="signature") from error


def check_head(head: SignedHead, ledger: Ledger) -> None:
    """Return if another party's head is one that this replica has or had.

    Raises:
        LedgerRejected: it is not signed, or longer than this replica.
        LedgerForked: this replica had another head at this length.
    """
    check_signed(head, ledger.roster, ledger.period)
    if head.length > ledger.length:
        raise LedgerRejected(
            "a head of more entries than were shown to me",
            party=head.signer,
            field="length",
            expected=ledger.length,
            got=head.length,
        )
    if head.length < 0 or head.hash != ledger.hash_at(head.length):
        raise LedgerForked(
            "was shown another ledger, or says so",
            party=head.signer,
            field="hash",
            expected=ledger.hash_at(max(head.length, 0)).hex(),
            got=head.hash.hex(),
        )


@dataclass(frozen=True, slots=True)
class ForkProof:
    """Two signed heads of one ledger and length that differ: whoever holds the roster can check."""

    first: SignedHead
    second: SignedHead

    @property
    def culprit(self) -> str | None:
        """Who signed both, and so is proved to have shown two ledgers; None if two signed."""
        return self.first.signer if self.first.signer == self.second.signer else None

    def check(self, roster: Roster, period: bytes = b"") -> None:
        """Return if this proves a fork.

        Raises:
            LedgerRejected: it does not.
        """
        for head in (self.first, self.second):
            check_signed(head, roster, period)
        same = self.first.length == self.second.length
        if not same or self.first.hash == self.second.hash:
            raise LedgerRejected(
                "two heads do not prove a fork",
                field="hash",
                expected="different hashes at one length",
                got=f"lengths {self.first.length} and {self.second.length}",
            )


def find_fork(heads: Iterable[SignedHead], roster: Roster, period: bytes = b"") -> ForkProof | None:
    """Return a proof among these heads, one that convicts somebody if there is one; else None.

    Raises:
        LedgerRejected: a head is not signed by its signer.
    """
    found: ForkProof | None = None
    seen: list[SignedHead] = []
    for head in heads:
        check_signed(head, roster, period)
        for other in seen:
            proof = ForkProof(other, head)
            if other.length == head.length and other.hash != head.hash:
                if proof.culprit:
                    return proof
                found = found or proof
        seen.append(head)
    return found
