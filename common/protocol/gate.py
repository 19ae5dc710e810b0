"""A session's doorkeeper: which round it is, what may come in, and until when.

The gate holds no protocol knowledge but the round table. `admit` raises and changes nothing
if a parcel does not belong; only `enter` changes the round.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from collude.common.errors import ColludeError, ProtocolViolation
from collude.common.ids import ANALYST, Role, Round
from collude.common.protocol import messages as m
from collude.common.protocol.aborts import to_abort
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.parcel import Outgoing, Parcel
from collude.common.protocol.rounds import TAKES, TERMINAL, OwnWork, next_round, plan_for
from collude.common.protocol.terms import Terms

PATIENCE: Mapping[Round, float] = {Round.DELIVER: 10.0, Round.EVALUATE: 10.0}
"""How many deadlines to wait where others compute for long; 1 in the other rounds."""

SHARE: Mapping[Role, float] = {Role.ANALYST: 0.8, Role.PARTICIPANT: 1.0}
"""The analyst gives up a little earlier, so its reason reaches those who wait for it."""

_ROUND_OF = {kind: round_ for (_, round_), kind in TAKES.items()}


class Gate:
    """Where one party of a session stands."""

    def __init__(self, name: str, role: Role, terms: Terms) -> None:
        """Stand before the first round."""
        self.name = name
        self.role = role
        self.terms = terms
        self.table = terms.table()
        self.round = plan_for(role, terms.plan)[0]
        self.session = b""
        self.deadline: float | None = None

    @property
    def peers(self) -> tuple[str, ...]:
        """Who may send anything to this party."""
        return self.terms.participants if self.role is Role.ANALYST else (ANALYST,)

    @property
    def closed(self) -> bool:
        """Whether the session is over, well or not."""
        return self.round in TERMINAL

    @property
    def works(self) -> bool:
        """Whether this round waits for its own party's work: its deadline has come at once."""
        return TAKES.get((self.role, self.round)) is OwnWork

    def enter(self, round_: Round, now: float) -> None:
        """Stand in `round_` from time `now` (seconds), with a new deadline."""
        self.round = round_
        if self.works:
            self.deadline = now
            return
        patience = self.terms.join_deadlines if round_ is Round.JOIN else PATIENCE.get(round_, 1.0)
        self.deadline = None if self.closed else now + self._wait(patience)

    def hurry(self, now: float) -> None:
        """Wait no longer than one deadline from now: what was waited for has begun to come."""
        if self.deadline is not None:
            self.deadline = min(self.deadline, now + self._wait(1.0))

    def _wait(self, patience: float) -> float:
        return self.terms.deadline_s * patience * SHARE[self.role]

    def following(self, message: m.Message | OwnWork) -> Round:
        """Return the round that an admitted message, or the own work, leads to."""
        return next_round(self.table, self.role, self.round, message, self.name)

    def admit(self, parcel: Parcel) -> m.Message:
        """Return the parcel's message if it belongs here and now.

        Raises:
            ProtocolViolation: of another session, another round, or not expected in this one.
            WireInvalid: it cannot be decoded.
        """
        if parcel.sender not in self.peers:
            raise ProtocolViolation(
                "a message of a party that has no part here",
                party=parcel.sender,
                field="sender",
                expected=" or ".join(self.peers),
                got=parcel.sender,
            )
        message = cast(m.Message, decode_message(parcel.body, parcel.sender))  # the table decides
        if not isinstance(message, m.Abort):
            self._check_place(parcel)
        next_round(self.table, self.role, self.round, message, parcel.sender)
        return message

    def _check_place(self, parcel: Parcel) -> None:
        session = b"" if self.round is Round.JOIN else self.session
        for field, expected, got in (
            ("session", session.hex() or "none yet", parcel.session.hex() or "none yet"),
            ("round", self.round.value, parcel.round),
        ):
            if expected != got:
                raise ProtocolViolation(
                    f"a message of another {field}",
                    party=parcel.sender,
                    field=field,
                    expected=expected,
                    got=got,
                )

    def outgoing(self, receiver: str, message: m.Message) -> Outgoing:
        """Return a message ready for the link, stamped with its round and session."""
        round_ = _ROUND_OF.get(type(message), self.round)
        session = b"" if round_ is Round.JOIN else self.session
        return Outgoing(receiver, round_.value, session, encode_message(message))

    def aborts(self, error: ColludeError, receivers: Sequence[str]) -> list[Outgoing]:
        """Return the news of `error` for each receiver."""
        abort = to_abort(error, self.name)
        return [self.outgoing(receiver, abort) for receiver in receivers]
