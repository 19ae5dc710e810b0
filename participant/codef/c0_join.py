"""The join, silo's side: say who I am and what I run, and commit to my share of the handle key.

Goes on only if enough silos of the pinned roster joined under the same terms, each signed by its
pinned key, and mine is unaltered. The period's id is then a hash that nobody chose.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from collude.codef.period import PeriodTerms
from collude.codef.period.join import JOIN_TAG, check_join, join_items, share_commitment
from collude.common.encoding import digest
from collude.common.errors import IdentityRefused, PeriodAborted
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol import codef_messages as m
from collude.common.protocol.kinds import AnyMessage
from collude.common.protocol.sealed import SessionKey
from collude.participant.codef.c1_key import KeyState
from collude.participant.codef.core import SiloCore
from collude.participant.codef.state import State


@dataclass(frozen=True)
class Joined:
    """Known after the join. Its repr shows no secret.

    Attributes:
        core: this silo.
        terms: of the period.
        session: the period's id.
        silos: that joined, sorted.
        session_keys: X25519 public key by silo.
        commitments: to a share of the handle key, by silo.
        session_key: mine.
        share: mine of the handle key.
        nonce: that hides it.
    """

    core: SiloCore
    terms: PeriodTerms
    session: bytes
    silos: tuple[str, ...]
    session_keys: Mapping[str, bytes]
    commitments: Mapping[str, bytes]
    session_key: SessionKey
    share: bytes = field(repr=False)
    nonce: bytes = field(repr=False)


class JoinState:
    """Waiting for the others' joins."""

    round = Round.CODEF_JOIN
    session = b""

    def __init__(self, core: SiloCore, terms: PeriodTerms) -> None:
        """Draw my share and keys, and sign the join.

        Raises:
            SessionUsed: this silo joined the period before, and was restarted since.
        """
        self._core, self._terms = core, terms
        core.used.use(period_id(terms, core.name))
        self._share, self._nonce = core.fresh("key-share", terms), core.fresh("key-nonce", terms)
        self._key = SessionKey(core.fresh("session-key", terms))
        unsigned = m.CodefJoin(
            roster_hash=terms.roster.hash,
            scenario_digest=terms.scenario_digest,
            terms=terms.hash,
            period=terms.period,
            commitment=share_commitment(terms, core.name, self._nonce, self._share),
            session_key=self._key.public,
            nonce=core.fresh("join-nonce", terms),
            signature=bytes(64),
        )
        signature = core.signing_key.sign(JOIN_TAG, *join_items(core.name, unsigned))
        self._join = replace(unsigned, signature=signature)

    def opening(self) -> Sequence[AnyMessage]:
        """Send the join."""
        return [self._join]

    def receive(self, message: AnyMessage) -> State:
        """Check everybody's join.

        Raises:
            RosterMismatch: somebody runs other terms.
            IdentityRefused: a join is not signed by its silo, or mine was altered.
            PeriodAborted: too few joined, mine is missing, or one stands there twice.
        """
        joins = cast(m.CodefWelcome, message).joins
        names = tuple(j.name for j in joins)
        mine = [j.join for j in joins if j.name == self._core.name]
        if names != tuple(sorted(set(names))) or not mine or len(names) < self._terms.least:
            raise PeriodAborted(
                "the joins are not those of enough silos, mine among them, in order",
                party=COORDINATOR,
                field="codef_join/joins",
                expected=f"{self._terms.least} or more of {', '.join(self._terms.silos)}",
                got=", ".join(names) or "none",
            )
        if mine != [self._join]:
            raise IdentityRefused("my join came back altered", party=COORDINATOR, field="joins")
        for named in joins:
            check_join(self._terms, named.name, named.join)
        return KeyState(self._joined(joins, names))

    def _joined(self, joins: Sequence[m.NamedCodefJoin], names: tuple[str, ...]) -> Joined:
        return Joined(
            core=self._core,
            terms=self._terms,
            session=self._terms.session(joins),
            silos=names,
            session_keys={j.name: j.join.session_key for j in joins},
            commitments={j.name: j.join.commitment for j in joins},
            session_key=self._key,
            share=self._share,
            nonce=self._nonce,
        )


def period_id(terms: PeriodTerms, name: str) -> bytes:
    """Return what a silo notes as used when it joins a period: 32 bytes."""
    return digest(
        "codef/v1/period-joined", terms.roster.hash, terms.scenario_digest, terms.period, name
    )
