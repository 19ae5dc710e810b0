"""The round table: everything about which message may come when lives here.

Rule 1: a transition that is not in the table is refused and changes nothing.
Rule 2: this file knows no party's state, only roles, rounds and message classes.

`PLANS` says which rounds a method runs. `TAKES` says which message ends a round on each side;
the analyst waits until every participant's has come. In `r4_align` and `r5_deliver` it waits
for nobody but itself: there the table says `OwnWork`. `transitions` joins the two.
"""

from collections.abc import Mapping
from itertools import pairwise

from collude.common.errors import ProtocolViolation
from collude.common.ids import Role, Round
from collude.common.methods import MethodTraits
from collude.common.protocol import messages as m

_ANCHOR = (Round.ANCHOR_COMMIT, Round.ANCHOR_REVEAL, Round.ANCHOR_CONFIRM)

_LEARN = (Round.UPLOAD, Round.ALIGN, Round.DELIVER, Round.EVALUATE, Round.DONE)

WITH_ANCHOR = (Round.JOIN, *_ANCHOR, *_LEARN)
WITHOUT_ANCHOR = (Round.JOIN, *_LEARN)
WITHOUT_UPLOAD = (Round.JOIN, Round.EVALUATE, Round.DONE)

PLANS: Mapping[str, tuple[Round, ...]] = {
    "local": WITHOUT_UPLOAD,
    "c-gdp": WITH_ANCHOR,  # the common transform is made of the joint seed
    "c-gdp-noise": WITH_ANCHOR,
    "i-gdp": WITHOUT_ANCHOR,
    "aa-gdp": WITH_ANCHOR,
    "aa-gdp-noise": WITH_ANCHOR,
    "naa-gdp": WITH_ANCHOR,
}


def plan_of(traits: MethodTraits) -> tuple[Round, ...]:
    """Return the rounds of a method with these traits; `PLANS` is this for the built-in ones."""
    if not traits.uploads:
        return WITHOUT_UPLOAD
    return WITH_ANCHOR if traits.anchor or traits.common_secret else WITHOUT_ANCHOR


class OwnWork:
    """Not a message: what a round waits for when its party has to compute, not to listen."""


TAKES: Mapping[tuple[Role, Round], type] = {
    (Role.PARTICIPANT, Round.JOIN): m.Welcome,
    (Role.PARTICIPANT, Round.ANCHOR_COMMIT): m.AnchorCommits,
    (Role.PARTICIPANT, Round.ANCHOR_REVEAL): m.AnchorReveals,
    (Role.PARTICIPANT, Round.ANCHOR_CONFIRM): m.AnchorConfirms,
    (Role.PARTICIPANT, Round.UPLOAD): m.UploadReceipt,
    (Role.PARTICIPANT, Round.DELIVER): m.Delivery,
    (Role.PARTICIPANT, Round.EVALUATE): m.Finished,
    (Role.ANALYST, Round.JOIN): m.Join,
    (Role.ANALYST, Round.ANCHOR_COMMIT): m.AnchorCommit,
    (Role.ANALYST, Round.ANCHOR_REVEAL): m.AnchorReveal,
    (Role.ANALYST, Round.ANCHOR_CONFIRM): m.AnchorConfirm,
    (Role.ANALYST, Round.UPLOAD): m.Upload,
    (Role.ANALYST, Round.ALIGN): OwnWork,
    (Role.ANALYST, Round.DELIVER): OwnWork,
    (Role.ANALYST, Round.EVALUATE): m.Evaluation,
}

RESTARTABLE = frozenset(_ANCHOR)
"""Rounds from which a session may go back to the join without somebody."""

TERMINAL = frozenset({Round.DONE, Round.ABORTED})

Transitions = Mapping[tuple[Role, Round, type], Round]


def plan_for(role: Role, plan: tuple[Round, ...]) -> tuple[Round, ...]:
    """Return the rounds of a plan in which this role has a part."""
    return tuple(r for r in plan if r in TERMINAL or (role, r) in TAKES)


def transitions(plan: tuple[Round, ...]) -> Transitions:
    """Return (role, round, message class) -> next round for one plan.

    A participant that has a plan's last message is done; an `Abort` ends any open round; a
    `Restart` leads from any part of the anchor round back to the join.
    """
    table: dict[tuple[Role, Round, type], Round] = {}
    for role in (Role.PARTICIPANT, Role.ANALYST):
        for current, following in pairwise(plan_for(role, plan)):
            table[role, current, TAKES[role, current]] = following
            table[role, current, m.Abort] = Round.ABORTED
    for current in RESTARTABLE & set(plan):
        table[Role.PARTICIPANT, current, m.Restart] = Round.JOIN
    return table


def next_round(
    table: Transitions, role: Role, current: Round, message: m.Message | OwnWork, party: str
) -> Round:
    """Return the round that follows when `message` has come from `party`.

    Raises:
        ProtocolViolation: the message does not belong in this round.
    """
    try:
        return table[role, current, type(message)]
    except KeyError:
        expected = [kind.__name__ for (r, now, kind) in table if (r, now) == (role, current)]
        raise ProtocolViolation(
            f"a message does not belong in round {current}",
            party=party,
            field="kind",
            expected=" or ".join(expected) or "nothing: the session is over",
            got=type(message).__name__,
        ) from None
