"""The gate: whom and what it does not let in, and that it then stands where it stood."""

from dataclasses import replace

import pytest
from testkit.examples import EXAMPLES
from testkit.federation import P0, P1, core, federation

from collude.common.errors import ProtocolViolation, WireInvalid
from collude.common.ids import ANALYST, Role, Round
from collude.common.protocol import messages as m
from collude.common.protocol.codec import encode_message
from collude.common.protocol.gate import PATIENCE, Gate
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.rounds import TAKES, OwnWork, plan_for

SESSION = bytes(range(32))
ROLES = (Role.PARTICIPANT, Role.ANALYST)


def terms(method="naa-gdp"):
    return core(federation(method), P0).terms


def gate(role=Role.ANALYST, round_=Round.UPLOAD, method="naa-gdp") -> Gate:
    made = Gate(P0 if role is Role.PARTICIPANT else ANALYST, role, terms(method))
    made.session = SESSION
    made.enter(round_, 0.0)
    return made


def parcel(kind=m.Upload, **changes) -> Parcel:
    honest = Parcel(SESSION, Round.UPLOAD.value, P1, ANALYST, 0, encode_message(EXAMPLES[kind]))
    return replace(honest, **changes)


def refuses(gate_: Gate, arrived: Parcel, error=ProtocolViolation) -> None:
    before = dict(vars(gate_))
    with pytest.raises(error) as caught:
        gate_.admit(arrived)
    assert caught.value.party == arrived.sender
    assert vars(gate_) == before


def test_the_parcel_that_all_refusals_start_from_is_let_in():
    assert gate().admit(parcel()) == EXAMPLES[m.Upload]


@pytest.mark.parametrize("sender", [ANALYST, "attacker", "coordinator", "participant-9", "", "P1"])
def test_a_party_that_has_no_part_is_refused(sender):
    refuses(gate(), parcel(sender=sender))


def test_a_participant_listens_to_nobody_but_the_analyst():
    stands = gate(Role.PARTICIPANT, Round.UPLOAD)
    receipt = parcel(m.UploadReceipt, sender=ANALYST, receiver=P0)
    assert stands.admit(receipt) == EXAMPLES[m.UploadReceipt]
    for sender in (P0, P1, "attacker"):
        refuses(stands, replace(receipt, sender=sender))
        refuses(stands, replace(parcel(m.Abort), sender=sender))


def test_a_participant_that_was_left_out_is_no_peer_any_more():
    stands = gate()
    stands.terms = stands.terms.again((P1,))
    refuses(stands, parcel())
    refuses(stands, parcel(m.Abort))
    stands.admit(parcel(sender=P0))


@pytest.mark.parametrize("session", [b"", bytes(32), SESSION[:-1], SESSION + b"\0"])
def test_a_message_of_another_session_is_refused(session):
    refuses(gate(), parcel(session=session))


@pytest.mark.parametrize("round_", [r.value for r in Round if r is not Round.UPLOAD] + ["", "r9"])
def test_a_message_of_another_round_is_refused(round_):
    refuses(gate(), parcel(round=round_))


def test_a_join_must_be_of_no_session():
    stands = gate(round_=Round.JOIN)
    join = parcel(m.Join, round=Round.JOIN.value)
    refuses(stands, join)
    stands.admit(replace(join, session=b""))


@pytest.mark.parametrize("body", [b"", b"\0\0\0\1", bytes(100)])
def test_what_cannot_be_decoded_is_refused(body):
    refuses(gate(), parcel(body=body), WireInvalid)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("method", ["local", "i-gdp", "naa-gdp"])
def test_in_every_round_every_message_that_is_not_awaited_is_refused(method, role):
    for round_ in (*plan_for(role, terms(method).plan), Round.ABORTED):
        stands = gate(role, round_, method)
        session = b"" if round_ is Round.JOIN else SESSION
        sender = ANALYST if role is Role.PARTICIPANT else P1
        for kind in EXAMPLES:
            arrived = parcel(kind, session=session, round=round_.value, sender=sender)
            if (role, round_, kind) in stands.table:
                stands.admit(arrived)
                continue
            refuses(stands, arrived)


def test_an_abort_is_let_in_from_any_round_and_session():
    abort = parcel(m.Abort, session=b"", round=Round.JOIN.value)
    assert gate().admit(abort) == EXAMPLES[m.Abort]


@pytest.mark.parametrize("round_", [Round.DONE, Round.ABORTED])
def test_after_the_end_nothing_is_let_in_and_there_is_no_deadline(round_):
    stands = gate(round_=round_)
    assert stands.closed
    assert stands.deadline is None
    for kind in EXAMPLES:
        refuses(stands, parcel(kind, round=round_.value))


@pytest.mark.parametrize("role", ROLES)
def test_every_open_round_has_a_deadline(role):
    for round_ in plan_for(role, terms().plan)[:-1]:
        stands = gate(role, round_)
        works = TAKES[role, round_] is OwnWork
        wait = terms().deadline_s * PATIENCE.get(round_, 1.0)
        share = 0.8 if role is Role.ANALYST else 1.0
        assert stands.works == works
        assert stands.deadline == (0.0 if works else pytest.approx(wait * share))


def test_the_analyst_gives_up_before_those_who_wait_for_it():
    for round_ in plan_for(Role.ANALYST, terms().plan)[:-1]:
        if (Role.PARTICIPANT, round_) in TAKES:
            assert gate(Role.ANALYST, round_).deadline < gate(Role.PARTICIPANT, round_).deadline


@pytest.mark.parametrize("role", ROLES)
def test_an_answer_is_stamped_with_its_own_round_and_session(role):
    for kind, (sender, round_) in {k: key for key, k in TAKES.items() if k is not OwnWork}.items():
        if sender is role:
            continue
        stands = gate(role, Round.ABORTED)
        outgoing = stands.outgoing(P1, EXAMPLES[kind])
        assert (outgoing.receiver, outgoing.round) == (P1, round_.value)
        assert outgoing.session == (b"" if round_ is Round.JOIN else SESSION)
        assert outgoing.body == encode_message(EXAMPLES[kind])


def test_before_a_budget_period_is_over_the_analyst_waits_for_many_deadlines():
    patient = Gate(ANALYST, Role.ANALYST, replace(terms(), join_deadlines=20.0))
    patient.enter(Round.JOIN, 100.0)
    assert patient.deadline == 100.0 + 0.8 * 20 * 30
    patient.hurry(110.0)  # the first join has come
    assert patient.deadline == 110.0 + 0.8 * 30
    patient.hurry(120.0)  # the next ones give nobody more time
    assert patient.deadline == 110.0 + 0.8 * 30
    patient.enter(Round.UPLOAD, 110.0)
    assert patient.deadline == 110.0 + 0.8 * 30


def test_a_restarted_session_waits_for_no_period():
    patient = replace(terms(), join_deadlines=20.0)
    assert patient.again((P1,)).join_deadlines == 1.0


def test_nobody_hurries_a_session_that_is_over():
    over = gate(round_=Round.DONE)
    over.hurry(5.0)
    assert over.deadline is None
