import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common.errors import ProtocolViolation
from collude.common.protocol.mailbox import Inbox, Outbox
from collude.common.protocol.parcel import Outgoing, Parcel

A, B = "participant-0", "analyst"


def message(body: bytes) -> Outgoing:
    return Outgoing(B, "r3_upload", b"session", body)


def parcel(sequence: int, body: bytes = b"x") -> Parcel:
    return Parcel(b"session", "r3_upload", A, B, sequence, body)


def filled(count: int, window: int = 4) -> Outbox:
    outbox = Outbox(A, B, resend_after=1.0, window=window)
    for index in range(count):
        outbox.put(message(b"%d" % index))
    return outbox


CHANGES = [{"body": b"y"}, {"round": "r0_join"}, {"session": b"other"}]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("sequence", [0, 2])
def test_inbox_refuses_a_number_repeated_with_another_content(change, sequence):
    inbox = Inbox(A, B)
    inbox.accept(parcel(0))
    inbox.accept(parcel(2))
    with pytest.raises(ProtocolViolation) as caught:
        inbox.accept(dataclasses.replace(parcel(sequence), **change))
    assert caught.value.party == A
    assert [p.sequence for p in inbox.accept(parcel(1))] == [1, 2]


@pytest.mark.parametrize("sequence", [-1, 4, 2**63])
def test_inbox_refuses_what_lies_outside_its_window(sequence):
    inbox = Inbox(A, B, window=4)
    with pytest.raises(ProtocolViolation, match=A):
        inbox.accept(parcel(sequence))
    assert inbox.expected == 0


@pytest.mark.parametrize("change", [{"sender": "participant-1"}, {"receiver": "participant-1"}])
def test_inbox_refuses_parcels_of_other_parties(change):
    inbox = Inbox(A, B)
    with pytest.raises(ProtocolViolation, match="other parties"):
        inbox.accept(dataclasses.replace(parcel(0), **change))


def test_inbox_drops_a_repetition():
    inbox = Inbox(A, B)
    assert inbox.accept(parcel(0)) == [parcel(0)]
    assert inbox.accept(parcel(0)) == []
    assert inbox.expected == 1


@given(order=st.permutations(range(6)), again=st.lists(st.integers(0, 5)))
def test_inbox_restores_the_order(order, again):
    inbox = Inbox(A, B, window=6)
    out = [p for sequence in (*order, *again) for p in inbox.accept(parcel(sequence))]
    assert [p.sequence for p in out] == list(range(6))


def test_outbox_numbers_and_holds_until_acknowledged():
    outbox = filled(3)
    assert [p.sequence for p in outbox.due(0.0)] == [0, 1, 2]
    assert outbox.get(1) == dataclasses.replace(parcel(1), body=b"1")
    outbox.acknowledge(2)
    assert (outbox.unacknowledged, outbox.get(1)) == (1, None)
    outbox.acknowledge(1)
    assert outbox.unacknowledged == 1


@pytest.mark.parametrize("below", [-1, 4])
def test_outbox_refuses_an_acknowledgement_of_what_was_never_sent(below):
    outbox = filled(3)
    with pytest.raises(ProtocolViolation) as caught:
        outbox.acknowledge(below)
    assert caught.value.party == B
    assert outbox.unacknowledged == 3


def test_outbox_is_due_again_only_after_its_patience():
    outbox = filled(1)
    assert len(outbox.due(5.0)) == 1
    assert outbox.due(5.9) == []
    assert outbox.next_due(5.9) == 6.0
    assert len(outbox.due(6.0)) == 1
    outbox.acknowledge(1)
    assert outbox.next_due(6.0) is None


def test_outbox_never_runs_ahead_of_the_window():
    outbox = filled(10, window=4)
    assert [p.sequence for p in outbox.due(0.0)] == [0, 1, 2, 3]
    assert outbox.next_due(0.5) == 1.0
    outbox.acknowledge(3)
    assert outbox.next_due(0.5) == 0.5
    assert [p.sequence for p in outbox.due(0.5)] == [4, 5, 6]
