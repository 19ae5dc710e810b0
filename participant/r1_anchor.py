"""Round 1, participant's side: agree on a joint seed that the analyst does not learn.

Commit to a random share, reveal it to every other participant in a sealed envelope once all
commitments are in, check each reveal against its commitment, then sign what came out and go on
only when all participants have signed the same. The seed is a hash over all shares, so it is
as random as the most honest participant's share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from collude.common.errors import AnchorAborted
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.common.protocol.anchor import (
    COMMIT_TAG,
    CONFIRM_TAG,
    commitment_to,
    confirm_items,
    joint_seed,
    seed_hash,
)
from collude.common.protocol.sealed import open_sealed, seal
from collude.common.protocol.signing import verify
from collude.common.randomness import SEED_BYTES
from collude.common.secret import Secret
from collude.participant.core import Core
from collude.participant.joint import material_hash
from collude.participant.r0_join import Joined


def _check_names(kind: str, names: Sequence[str], expected: Sequence[str]) -> None:
    if tuple(names) != tuple(expected):
        raise AnchorAborted(
            f"the {kind} are not those of all participants",
            party=ANALYST,
            field=kind,
            expected=", ".join(expected),
            got=", ".join(names) or "none",
        )


def _check_mine(kind: str, sent: m.Message, came_back: Sequence[m.Message]) -> None:
    # Before the signatures: who altered mine also broke my signature, and the fault is not mine.
    if list(came_back) != [sent]:
        raise AnchorAborted(f"mine among the {kind} is not what I sent", party=ANALYST, field=kind)


@dataclass(frozen=True, slots=True, repr=False)
class Committed(Secret):
    """Known after the commitments: mine opened, the others' closed."""

    joined: Joined
    nonce: bytes
    share: bytes
    commitments: Mapping[str, bytes]


@dataclass(frozen=True, slots=True, repr=False)
class Seeded(Secret):
    """Known after the reveals: the joint seed, not yet known to be everybody's."""

    joined: Joined
    seed: bytes


class CommitState:
    """Waiting for everybody's commitment."""

    def __init__(self, core: Core, joined: Joined) -> None:
        """Draw the share and its nonce."""
        self._core, self._joined = core, joined
        self._share = core.fresh("anchor-share")
        self._nonce = core.fresh("anchor-nonce")
        mine = commitment_to(joined.session, core.name, self._nonce, self._share)
        signature = core.signing_key.sign(COMMIT_TAG, joined.session, core.name, mine)
        self._commit = m.AnchorCommit(mine, signature)

    def opening(self) -> Sequence[m.Message]:
        """Send the commitment."""
        return [self._commit]

    def receive(self, message: m.Message) -> Committed:
        """Check that everybody committed, and that mine is unaltered.

        Raises:
            AnchorAborted: a commitment is missing, or mine was altered.
            IdentityRefused: a commitment is not signed by its party.
        """
        commits = cast(m.AnchorCommits, message).commits
        core, session = self._core, self._joined.session
        _check_names("commits", [c.name for c in commits], core.terms.participants)
        _check_mine("commits", self._commit, [c.commit for c in commits if c.name == core.name])
        for named in commits:
            items = (session, named.name, named.commit.commitment)
            key = core.key_of(named.name)
            verify(key, named.commit.signature, COMMIT_TAG, *items, party=named.name)
        commitments = {c.name: c.commit.commitment for c in commits}
        return Committed(self._joined, self._nonce, self._share, commitments)


class RevealState:
    """Waiting for the envelopes addressed to me."""

    def __init__(self, core: Core, committed: Committed) -> None:
        """Keep what is known."""
        self._core, self._known = core, committed

    def opening(self) -> Sequence[m.Message]:
        """Send my share, sealed for each other participant."""
        return [m.AnchorReveal(tuple(self._sealed(p) for p in self._core.peers))]

    def _sealed(self, peer: str) -> m.SealedShare:
        joined, core = self._known.joined, self._core
        route = core.route(joined.session, core.name, peer)
        ephemeral = core.fresh(f"anchor-ephemeral/{peer}")
        payload = self._known.share + self._known.nonce
        return seal(payload, route, joined.session_keys[peer], ephemeral)

    def receive(self, message: m.Message) -> Seeded:
        """Open the envelopes, check each against its commitment, and make the seed.

        Raises:
            AnchorAborted: an envelope is missing, does not open, or does not match.
        """
        envelopes = cast(m.AnchorReveals, message).envelopes
        _check_names("reveals", [e.sender for e in envelopes], self._core.peers)
        shares = {e.sender: self._opened(e) for e in envelopes}
        shares[self._core.name] = self._known.share
        return Seeded(self._known.joined, joint_seed(self._known.joined.session, shares))

    def _opened(self, sealed: m.SealedShare) -> bytes:
        session = self._known.joined.session
        route = self._core.route(session, sealed.sender, self._core.name)
        payload = open_sealed(sealed, route, self._core.session_key)
        share, nonce = payload[:SEED_BYTES], payload[SEED_BYTES:]
        made = commitment_to(session, sealed.sender, nonce, share)
        if len(payload) != 2 * SEED_BYTES or made != self._known.commitments[sealed.sender]:
            raise AnchorAborted(
                "a revealed share does not match its commitment",
                party=sealed.sender,
                field="commitment",
                expected=self._known.commitments[sealed.sender].hex(),
                got=made.hex(),
            )
        return share


class ConfirmState:
    """Waiting for everybody's confirmation."""

    def __init__(self, core: Core, seeded: Seeded) -> None:
        """Sign what I hold, as hashes."""
        self._core, self._known = core, seeded
        joined = seeded.joined
        unsigned = (
            core.terms.participants,
            seed_hash(seeded.seed),
            material_hash(core.terms.method, seeded.seed, joined.anchor_rows, joined.width),
        )
        signature = core.signing_key.sign(
            CONFIRM_TAG, *confirm_items(joined.session, core.name, *unsigned)
        )
        self._confirm = m.AnchorConfirm(*unsigned, signature)

    def opening(self) -> Sequence[m.Message]:
        """Send the confirmation."""
        return [self._confirm]

    def receive(self, message: m.Message) -> Seeded:
        """Check that everybody holds the same seed and the same integer stream.

        Raises:
            AnchorAborted: somebody is missing or holds another seed.
            IdentityRefused: a confirmation is not signed by its party.
        """
        confirms = cast(m.AnchorConfirms, message).confirms
        core = self._core
        _check_names("confirms", [c.name for c in confirms], core.terms.participants)
        _check_mine("confirms", self._confirm, [c.confirm for c in confirms if c.name == core.name])
        for named in confirms:
            self._check(named)
        return self._known

    def _check(self, named: m.NamedAnchorConfirm) -> None:
        confirm, session = named.confirm, self._known.joined.session
        items = confirm_items(
            session, named.name, confirm.contributors, confirm.seed_hash, confirm.stream_hash
        )
        key = self._core.key_of(named.name)
        verify(key, confirm.signature, CONFIRM_TAG, *items, party=named.name)
        for field in ("contributors", "seed_hash", "stream_hash"):
            mine, theirs = getattr(self._confirm, field), getattr(confirm, field)
            if mine != theirs:
                raise AnchorAborted(
                    f"holds another {field.replace('_', ' ')}",
                    party=named.name,
                    field=field,
                    expected=mine.hex() if isinstance(mine, bytes) else ", ".join(mine),
                    got=theirs.hex() if isinstance(theirs, bytes) else ", ".join(theirs),
                    hint="Somebody was shown other reveals; start again with fresh randomness.",
                )
