"""A silo's session: what comes out of place changes nothing, and it answers once."""

import pytest
from testkit.aggregation import (
    P0,
    P1,
    P2,
    P3,
    P4,
    WITHOUT_P4,
    aggregation,
    entropy,
    letters_of,
    start,
    terms_of,
    up_to,
)

from collude.codef.secagg import STAGES, Client, Stage
from collude.codef.secagg import messages as m
from collude.common.errors import ParameterInvalid, ProtocolViolation


@pytest.mark.parametrize("now", STAGES[:4])
@pytest.mark.parametrize("other", STAGES[:4])
def test_a_letter_of_another_stage_is_refused_and_changes_nothing(now, other):
    if now == other:
        return
    fed, again = aggregation(), aggregation()
    letter = letters_of(again, other).letters[P0]
    talk = letters_of(fed, now)
    with pytest.raises(ProtocolViolation) as caught:
        fed.clients[P0].receive(letter)
    assert type(letter).__name__ == caught.value.got
    assert fed.clients[P0].stage is now
    fed.clients[P0].receive(talk.letters[P0])


def test_a_second_unmask_request_is_refused():
    fed = aggregation()
    request_ = letters_of(fed, "consistency").letters[P0]
    assert isinstance(fed.clients[P0].receive(request_), m.Unmask)
    with pytest.raises(ProtocolViolation, match="over"):
        fed.clients[P0].receive(request_)
    assert fed.clients[P0].stage is Stage.DONE


def test_a_message_that_is_none_is_refused():
    fed = aggregation()
    start(fed)
    for nothing in (None, b"", fed.clients[P1].start()):
        with pytest.raises(ProtocolViolation):
            fed.clients[P0].receive(nothing)


def test_a_session_is_not_started_again_later():
    fed = aggregation()
    up_to(fed, "share_keys")
    with pytest.raises(ProtocolViolation, match="once"):
        fed.clients[P0].start()


def test_a_silo_that_gives_up_is_out():
    fed = aggregation()
    talk = letters_of(fed, "share_keys")
    fed.clients[P0].give_up()
    with pytest.raises(ProtocolViolation):
        fed.clients[P0].receive(talk.letters[P0])
    assert fed.clients[P0]._state is None


def test_what_is_shared_holds_one_secret_of_each_neighbour():
    fed = aggregation()
    letter = letters_of(fed, "consistency", WITHOUT_P4).letters[P0]
    sent = fed.clients[P0].receive(letter)
    assert [named.name for named in sent.self_masks] == [P0, P1, P2, P3]
    assert [named.name for named in sent.mask_keys] == [P4]


def test_counts_above_the_cap_are_this_partys_fault():
    terms, keys = terms_of(cap=5)
    with pytest.raises(ParameterInvalid):
        Client(terms, P0, [6, 0, 0, 0], keys[P0], entropy(P0))
