"""The round table of CoDef: which message may come when, on every side, as data.

A message that is not in the table of where a party stands is refused and changes nothing. The
coordinator moves when it closes a stage; silos and the querier move when a message comes.
"""

from collections.abc import Mapping
from types import MappingProxyType

from collude.common.ids import Round
from collude.common.protocol import codef_messages as c
from collude.common.protocol import release_messages as r
from collude.common.protocol import secagg_messages as s
from collude.common.protocol.messages import Abort

SETUP = (Round.CODEF_JOIN, Round.CODEF_KEY, Round.CODEF_CONFIRM)
AGGREGATION = (
    Round.ADVERTISE_KEYS,
    Round.SHARE_KEYS,
    Round.MASKED_INPUT,
    Round.CONSISTENCY,
    Round.UNMASK,
)
EPOCH = (Round.CODEF_RELEASE, Round.CODEF_COMMIT, Round.CODEF_HEAD, *AGGREGATION)
"""The rounds of one epoch, in order; `CODEF_ADAPT` stands before each epoch and after the last."""

SILO_SENDS: Mapping[Round, type] = MappingProxyType({
    Round.CODEF_JOIN: c.CodefJoin,
    Round.CODEF_KEY: c.KeyReveal,
    Round.CODEF_CONFIRM: c.KeyConfirm,
    Round.CODEF_COMMIT: c.CommitEntry,
    Round.CODEF_HEAD: c.LedgerHead,
    Round.ADVERTISE_KEYS: s.AdvertiseKeys,
    Round.SHARE_KEYS: s.ShareKeys,
    Round.MASKED_INPUT: s.MaskedInput,
    Round.CONSISTENCY: s.Consistency,
    Round.UNMASK: s.Unmask,
})
"""What a silo sends in a round; the coordinator collects it from every silo that is left."""

COORDINATOR_SENDS: Mapping[Round, type] = MappingProxyType({
    Round.CODEF_JOIN: c.CodefWelcome,
    Round.CODEF_KEY: c.KeyReveals,
    Round.CODEF_CONFIRM: c.KeyConfirms,
    Round.CODEF_ADAPT: c.Adapt,
    Round.CODEF_COMMIT: c.CommittedPhase,
    Round.CODEF_HEAD: c.LedgerHeads,
    Round.ADVERTISE_KEYS: s.AdvertisedKeys,
    Round.SHARE_KEYS: s.SharedKeys,
    Round.MASKED_INPUT: s.InputsReceived,
    Round.CONSISTENCY: s.UnmaskRequest,
})
"""With what the coordinator ends a round; nothing ends `UNMASK` but the next lease."""

_NEXT: Mapping[Round, Round] = MappingProxyType({
    Round.CODEF_JOIN: Round.CODEF_KEY,
    Round.CODEF_KEY: Round.CODEF_CONFIRM,
    Round.CODEF_CONFIRM: Round.CODEF_ADAPT,
    Round.CODEF_ADAPT: Round.CODEF_RELEASE,
    Round.CODEF_COMMIT: Round.CODEF_HEAD,
    Round.CODEF_HEAD: Round.ADVERTISE_KEYS,
    Round.ADVERTISE_KEYS: Round.SHARE_KEYS,
    Round.SHARE_KEYS: Round.MASKED_INPUT,
    Round.MASKED_INPUT: Round.CONSISTENCY,
    Round.CONSISTENCY: Round.UNMASK,
})


def _silo_table() -> dict[tuple[Round, type], Round]:
    table = {(now, COORDINATOR_SENDS[now]): following for now, following in _NEXT.items()}
    for now in AGGREGATION:  # also one that was left behind takes the next lease, once it has
        table[now, c.Adapt] = Round.CODEF_RELEASE  # closed the last one: never before the heads
    table[Round.CODEF_RELEASE, c.CommittedPhase] = Round.CODEF_HEAD  # the others went on
    table[Round.CODEF_RELEASE, r.Query] = Round.CODEF_RELEASE
    for now in (Round.CODEF_ADAPT, *EPOCH[1:]):  # a question outside the window is withheld
        table[now, r.Query] = now
    return table


SILO: Mapping[tuple[Round, type], Round] = MappingProxyType(_silo_table())
"""(round, message that came) -> next round. From the release a silo goes on by itself, to commit;
an `Adapt` that is the last leads to the end."""

COORDINATOR: Mapping[tuple[Round, type], Round] = MappingProxyType({
    (now, kind): now for now, kind in SILO_SENDS.items()
})
"""What the coordinator collects in each round; it goes on when the stage is closed."""

QUERIER_TAKES: Mapping[type, frozenset[Round]] = MappingProxyType({
    r.Window: frozenset({Round.WINDOW}),
    r.Answer: frozenset({Round.ANSWER}),
    Abort: frozenset({Round.ANSWER, Round.WINDOW}),
    r.Receipts: frozenset({Round.RECEIPT}),
})
"""What a silo says to a querier, and in which rounds. In `ANSWER` an `Abort` stands for an answer,
in `WINDOW` for all windows to come."""

QUERIER: Mapping[tuple[Round, type], Round] = MappingProxyType({
    (now, kind): now for now in (Round.WINDOW, Round.QUERY) for kind in QUERIER_TAKES
})
"""In `WINDOW` the querier waits for the silos' next windows, in `QUERY` for answers. Silos are not
in step, so every message may come in both: what each silo may say next is its link's to know."""
