"""The coordinator's session: what it refuses of silos, and how it goes on without some."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.hostile import flipped
from testkit.network import rewrite
from testkit.periods import COORDINATOR, Shape, federation, meet
from testkit.periods_faults import P0, P1, P2, P3, SMALL, between, coordinator_refuses

from collude.codef.coordinator.session import MOST_REFUSED
from collude.codef.ledger import sign_entry
from collude.codef.period.waits import JOIN_AGAIN
from collude.common.errors import (
    AggregationAborted,
    DeadlineExceeded,
    IdentityRefused,
    LedgerRejected,
    PeriodAborted,
    ProtocolViolation,
    RosterMismatch,
    SessionAborted,
)
from collude.common.ids import Round
from collude.common.net.fault_plan import FaultPlan
from collude.common.protocol import codef_messages as m
from collude.common.protocol import secagg_messages as s
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.parcel import Parcel

FIVE = Shape(silos=5, persons=4, epochs=2)


def to(**parts):
    return lambda message: replace(message, **{k: v(getattr(message, k)) for k, v in parts.items()})


# --- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "change", "error", "field"),
    [
        (m.CodefJoin, to(roster_hash=flipped), RosterMismatch, "roster_hash"),
        (m.CodefJoin, to(terms=flipped), RosterMismatch, "terms"),
        (m.CodefJoin, to(scenario_digest=flipped), RosterMismatch, "scenario_digest"),
        (m.CodefJoin, to(period=lambda p: p + 1), RosterMismatch, "period"),
        (m.CodefJoin, to(nonce=flipped), IdentityRefused, "codef/v1/join"),
        (m.CodefJoin, to(signature=flipped), IdentityRefused, "codef/v1/join"),
        (m.KeyReveal, to(envelopes=lambda e: e[1:]), PeriodAborted, "codef_key/envelopes"),
        (m.KeyReveal, to(envelopes=lambda e: e[::-1]), PeriodAborted, "codef_key/envelopes"),
        (m.KeyReveal, to(envelopes=lambda e: (*e, e[0])), PeriodAborted, "codef_key/envelopes"),
        (
            m.KeyReveal,
            to(envelopes=lambda e: (replace(e[0], sender=P0), *e[1:])),
            PeriodAborted, "codef_key/envelopes",
        ),
        (m.KeyConfirm, to(signature=flipped), IdentityRefused, "codef/v1/key-confirm"),
        (m.KeyConfirm, to(key_hash=flipped), IdentityRefused, "codef/v1/key-confirm"),
        (m.CommitEntry, to(signature=flipped), LedgerRejected, "signature"),
        (m.CommitEntry, to(commitment=flipped), LedgerRejected, "signature"),
        (m.CommitEntry, to(releases=flipped), LedgerRejected, "signature"),
        (m.LedgerHead, to(signature=flipped), LedgerRejected, "signature"),
        (m.LedgerHead, to(length=lambda n: n + 1), LedgerRejected, "signature"),
        (s.AdvertiseKeys, to(parameters=flipped), ProtocolViolation, "advertise_keys/parameters"),
        (s.AdvertiseKeys, to(roster=flipped), ProtocolViolation, "advertise_keys/roster"),
        (s.AdvertiseKeys, to(signature=flipped), ProtocolViolation, "advertise_keys/signature"),
        (s.ShareKeys, to(envelopes=lambda e: e[1:]), ProtocolViolation, "share_keys/envelopes"),
        (s.MaskedInput, to(words=lambda w: w[1:]), ProtocolViolation, "masked_input/words"),
        (s.Consistency, to(view=flipped), ProtocolViolation, "consistency/view"),
        (s.Consistency, to(signature=flipped), ProtocolViolation, "consistency/signature"),
        (s.Unmask, to(self_masks=lambda x: x[1:]), ProtocolViolation, "unmask/self_masks"),
    ],
)  # fmt: skip
def test_one_silos_message_that_is_wrong_costs_that_silo_its_place_and_nobody_else(
    kind, change, error, field
):
    fed = coordinator_refuses(kind, change, error, field, shape=FIVE)
    book = fed.coordinator.books[0]
    assert fed.coordinator.error is None
    assert len(book.sums) == FIVE.epochs
    for epoch, total in enumerate(book.sums):
        assert np.array_equal(total, fed.true_sum(0, epoch, book.facts[epoch + 1].counted))
    for name in (P0, P2, P3):
        assert fed.silos[name].error is None


def test_a_join_under_other_terms_is_named_with_both_values():
    fed = coordinator_refuses(m.CodefJoin, to(terms=flipped), RosterMismatch, "terms", shape=FIVE)
    error = fed.coordinator.refused[0]
    mine = fed.terms[0].hash.hex()
    assert mine in str(error)
    assert flipped(fed.terms[0].hash).hex() in str(error)
    assert P1 not in fed.coordinator.books[0].silos


def test_too_few_joins_under_the_same_terms_end_the_period_before_it_begins():
    fed = federation(SMALL)
    hands = {name: between(rewrite(m.CodefJoin, to(terms=flipped))) for name in (P1, P2)}
    meet(fed, hands=hands)
    error = fed.coordinator.error
    assert (type(error), error.field) == (PeriodAborted, "codef_join/silos")
    assert P1 in error.reason
    assert P2 in error.reason
    for session in fed.silos.values():
        assert session.round is Round.ABORTED
        assert type(session.error) is PeriodAborted


def test_a_second_commitment_while_the_phase_is_open_is_refused():
    """Over the wire, well signed, to other counts: the first one stands."""
    fed = federation(FIVE)

    def sends(old, message):
        if not isinstance(message, m.CommitEntry):
            return [old]
        second = sign_entry(fed.keys[P1], old.session, P1, bytes(32), message.releases)
        entry = m.CommitEntry(second.commitment, second.releases, b"", second.signature)
        return [old, replace(old, body=encode_message(entry))]

    meet(fed, hands={P1: between(sends)})
    refused = [e for e in fed.coordinator.refused if e.party == P1]
    assert [type(e) for e in refused] == [ProtocolViolation] * FIVE.epochs
    assert refused[0].got == "one that has done its part"
    assert all(
        bytes(32) not in {entry.commitment for entry in phase.entries}
        for phase in fed.coordinator.books[0].ledger.phases
    )
    assert not any(fed.errors.values())


def test_a_commitment_of_another_phase_is_refused_whatever_its_header_says():
    """A silo that replays its entry of the epoch before has committed to nothing in this one."""
    kept = []

    def sends(old, message):
        if not isinstance(message, m.CommitEntry):
            return [old]
        kept.append(message)
        return [replace(old, body=encode_message(kept[0]))]

    fed = meet(federation(FIVE), hands={P1: between(sends)})
    book = fed.coordinator.books[0]
    assert book.facts[1].missing == ()
    assert book.facts[2].missing == (P1,)
    assert type(fed.coordinator.refused[0]) is LedgerRejected


def test_who_has_not_committed_is_not_aggregated():
    """P1 commits too late, and sends keys for the sum that it is not in."""

    def sends(old, message):
        if isinstance(message, m.CommitEntry):
            return []
        if isinstance(message, m.LedgerHead):  # it has no keys; any will do
            keys = s.AdvertiseKeys(*(bytes(32) for _ in range(5)), bytes(64))
            return [old, replace(old, round=Round.ADVERTISE_KEYS.value, body=encode_message(keys))]
        return [old]

    fed = meet(federation(FIVE), hands={P1: between(sends)})
    refused = [e for e in fed.coordinator.refused if e.party == P1]
    assert refused
    assert all(type(e) is ProtocolViolation for e in refused)
    assert [f.missing for f in fed.coordinator.books[0].facts] == [(), (P1,), (P1,)]
    assert not any(fed.errors.values())
    assert all((lease[0] == -1).all() for lease in fed.silos[P1].leases)


def test_what_is_refused_is_kept_up_to_a_limit():
    session = federation(SMALL).coordinator
    session.start(0.0)
    join = federation(SMALL).silos[P0].start(0.0)[0]
    for number in range(MOST_REFUSED + 10):
        session.receive(parcel_of(join, sequence=number, sender="attacker"), 0.0)
    assert len(session.refused) == MOST_REFUSED
    assert session.round is Round.CODEF_JOIN


def parcel_of(outgoing, sender, sequence=0):
    return Parcel(outgoing.session, outgoing.round, sender, COORDINATOR, sequence, outgoing.body)


# --- who is missing --------------------------------------------------------------------------


def silent_from(kind, epoch=0):
    """Send nothing of this class from an epoch on."""
    seen = []

    def sends(old, message):
        if isinstance(message, kind):
            seen.append(message)
            return [old] if len(seen) <= epoch else []
        return [old]

    return between(sends)


STAGES = [
    (m.CodefJoin, PeriodAborted, "codef_join/silos"),
    (m.KeyReveal, PeriodAborted, "codef_key/silos"),
    (m.KeyConfirm, PeriodAborted, "codef_confirm/silos"),
    (m.CommitEntry, PeriodAborted, "codef_commit/silos"),
    (m.LedgerHead, PeriodAborted, "codef_head/silos"),
    (s.AdvertiseKeys, AggregationAborted, "advertise_keys/silos"),
    (s.ShareKeys, AggregationAborted, "share_keys/silos"),
    (s.MaskedInput, AggregationAborted, "masked_input/silos"),
    (s.Consistency, AggregationAborted, "consistency/silos"),
    (s.Unmask, AggregationAborted, "unmask/silos"),
]


@pytest.mark.parametrize(("kind", "error", "field"), STAGES)
@pytest.mark.parametrize("epoch", [0, 1])
def test_too_few_left_in_any_stage_end_the_period_by_name(kind, error, field, epoch):
    if epoch and kind in {m.CodefJoin, m.KeyReveal, m.KeyConfirm}:
        epoch = 0
    hands = {name: silent_from(kind, epoch) for name in (P1, P2)}
    fed = meet(federation(SMALL), hands=hands)
    found = fed.coordinator.error
    assert (type(found), found.field) == (error, field)
    assert found.party
    assert "2" in str(found.got)
    assert len(fed.coordinator.books) == (0 if kind in {x for x, *_ in STAGES[:3]} else 1)
    assert sum(len(book.sums) for book in fed.coordinator.books) == epoch
    for name in (P0, P3):
        assert (type(fed.errors[name]), fed.errors[name].field) == (error, field)


@pytest.mark.parametrize(("kind", "error", "field"), STAGES[3:])
def test_one_that_is_late_takes_the_next_lease_and_is_counted_again(kind, error, field):
    """A silo's message of one stage is lost in epoch 0; from epoch 1 on it is there again."""
    lost = []

    def sends(old, message):
        if isinstance(message, kind) and not lost:
            lost.append(message)
            return []
        return [old]

    shape = replace(FIVE, epochs=3)
    fed = meet(federation(shape), hands={P1: between(sends)})
    assert not any(fed.errors.values()), fed.errors
    book = fed.coordinator.books[0]
    # Whose masked counts came is in the sum, though it fell silent after that.
    missed = (P1,) if kind not in {s.Consistency, s.Unmask} else ()
    assert book.facts[1].missing == (missed if kind is not m.LedgerHead else ())
    assert book.facts[-1].missing == ()
    for epoch, total in enumerate(book.sums):
        assert np.array_equal(total, fed.true_sum(0, epoch, book.facts[epoch + 1].counted))


def test_a_silo_left_behind_in_the_first_stage_waits_for_all_the_others():
    """Others fall silent in every later stage, each a whole deadline long: it is still there."""
    shape = Shape(silos=9, persons=2, epochs=1, threshold=5)
    names = [f"participant-{i}" for i in range(9)]
    kinds = [s.AdvertiseKeys, s.ShareKeys, s.MaskedInput, s.Consistency]
    hands = {name: silent_from(kind) for name, kind in zip(names[1:5], kinds, strict=True)}
    fed = meet(federation(shape), hands=hands)
    assert not any(fed.errors.values()), fed.errors
    assert fed.silos["participant-1"].round is Round.DONE
    assert fed.network.now > 4 * shape.deadline_s


def test_a_silo_that_is_gone_is_waited_for_once():
    """Of each stage that it is missing in, the first takes a deadline; the others are quick."""
    shape = Shape(silos=5, persons=4, epochs=6)
    plan = FaultPlan(crash={P1: 0.02})
    fed = meet(federation(shape), plan=plan)
    assert fed.coordinator.error is None
    assert type(fed.coordinator.left[P1]) is DeadlineExceeded
    assert fed.coordinator.left[P1].party == P1
    assert fed.network.now < 3 * shape.deadline_s


def test_the_next_period_waits_again_for_who_was_late_and_not_for_who_quit():
    shape = Shape(silos=5, persons=4, epochs=1, periods=2)
    plan = FaultPlan(crash={P1: 0.02})
    fed = meet(federation(shape), plan=plan)
    late = fed.network.now
    assert fed.coordinator.round is Round.DONE
    assert late > JOIN_AGAIN * shape.deadline_s
    fed = federation(shape)

    def quits(old, message):
        if isinstance(message, m.CommitEntry):
            told = fed.silos[P1].give_up(SessionAborted("was interrupted", party=P1), 0.0)
            return list(told)
        return [old]

    meet(fed, hands={P1: between(quits)})
    assert fed.coordinator.round is Round.DONE
    assert type(fed.coordinator.left[P1]) is SessionAborted
    assert fed.network.now < shape.deadline_s
    assert [book.facts[-1].missing for book in fed.coordinator.books] == [(P1,), (P1,)]


def test_an_unreachable_coordinator_is_named_by_all():
    fed = meet(federation(SMALL), plan=FaultPlan(crash={COORDINATOR: 0.01}))
    for session in fed.silos.values():
        error = session.error
        assert (type(error), error.party) == (DeadlineExceeded, COORDINATOR)
        assert error.field == f"{error.reason.split()[-1]}/deadline_s"


def test_ended_from_outside_it_tells_everybody_and_nothing_more():
    fed = federation(SMALL)
    fed.coordinator.start(0.0)
    told = fed.coordinator.give_up(SessionAborted("was interrupted", party=COORDINATOR), 1.0)
    assert [each.receiver for each in told] == list(fed.terms[0].silos)
    assert fed.coordinator.finished
    assert fed.coordinator.give_up(SessionAborted("again", party=COORDINATOR), 2.0) == []
    assert fed.coordinator.deadline is None


# --- what leases come from -------------------------------------------------------------------


@pytest.mark.parametrize("person", [0, 3, 7])
@pytest.mark.parametrize("by", [1, 2, 1 << 31])
def test_one_word_of_one_masked_input_changes_that_persons_lease_or_ends_it(person, by):
    """Corrupted on the way to the coordinator, which cannot see it: masked words are uniform."""
    shape = Shape(silos=5, persons=8, epochs=3, attributes=6, policy="success",
                  numbers={"max_success": 0.6})  # fmt: skip
    honest = meet(federation(shape))
    done = []

    def sends(old, message):
        if not isinstance(message, s.MaskedInput) or done:
            return [old]
        done.append(True)
        words = np.frombuffer(message.words, dtype="<u4").copy()
        words += np.eye(1, shape.persons, person, dtype="<u4")[0] * np.uint32(by)
        return [replace(old, body=encode_message(s.MaskedInput(words.tobytes())))]

    fed = meet(federation(shape), hands={P1: between(sends)}, record=True)
    if by >= 1 << 30:
        error = fed.coordinator.error
        assert (type(error), error.field) == (AggregationAborted, "unmask/aggregate")
        return
    wrong, right = fed.coordinator.books[0].sums[0], honest.coordinator.books[0].sums[0]
    assert wrong[person] == right[person] + by
    others = np.arange(shape.persons) != person
    assert np.array_equal(wrong[others], right[others])
    policy, n = fed.terms[0].policy, shape.silos
    grants = [policy.grant(total, n, shape.slots).total for total in (wrong, right)]
    leases = (decode_message(p.body) for name in fed.silos for p in fed.received(name, m.Adapt))
    slots = sum(lease.slots for lease in leases if lease.epoch == 1)
    assert np.array_equal(slots, grants[0])
    assert np.array_equal(grants[0][others], grants[1][others])
    assert grants[0][person] < grants[1][person]


def test_what_is_said_of_a_period_holds_no_count():
    fed = meet(federation(SMALL))
    for facts in fed.coordinator.books[0].facts:
        assert sum(facts.persons_by_level) == SMALL.persons
    assert str(fed.coordinator.books[0].sums[0][0]) not in {"0"}
    assert "sums" not in repr(fed.coordinator.books[0])
