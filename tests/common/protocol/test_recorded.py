"""A recorded endpoint: everything is noted before it is looked at, and nothing is changed."""

import pytest
from testkit.examples import EXAMPLES
from testkit.federation import P0, federation, parties

from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.common.protocol.codec import encode_message
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.recorded import Recorded
from collude.common.transcript import MemoryTranscript

FED = federation()
PARCEL = Parcel(b"", "r0_join", P0, ANALYST, 0, encode_message(EXAMPLES[m.Join]))


class Full:
    """A transcript that cannot be written."""

    def record(self, parcel):
        raise OSError("no space left")


def test_what_cannot_be_noted_is_not_looked_at():
    session = parties(FED).analyst
    recorded = Recorded(session, Full())
    recorded.start(0.0)
    with pytest.raises(OSError, match="no space"):
        recorded.receive(PARCEL, 0.0)
    assert session.refused == []


def test_what_is_refused_is_noted_too():
    session, transcript, moves = parties(FED).analyst, MemoryTranscript(), []
    recorded = Recorded(session, transcript, moved=lambda: moves.append(session.round))
    recorded.start(0.0)
    recorded.receive(PARCEL, 0.0)
    recorded.receive(Parcel(b"", "r0_join", "nobody", ANALYST, 0, b""), 0.0)
    recorded.expire(1.0)
    assert len(session.refused) == 2
    assert transcript.parcels[0] == PARCEL
    assert len(transcript.parcels) == 2
    assert len(moves) == 4


def test_it_is_the_endpoint_in_everything_else():
    session = parties(FED).analyst
    recorded = Recorded(session, MemoryTranscript())
    recorded.start(2.0)
    assert (recorded.name, recorded.deadline, recorded.finished) == (ANALYST, 26.0, False)
    recorded.expire(26.0)
    assert (recorded.deadline, recorded.finished) == (None, True)
