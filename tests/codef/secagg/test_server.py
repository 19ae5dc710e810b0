"""The coordinator's rounds: a bad message costs its sender its place, nobody the session."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.aggregation import (
    aggregation,
    at,
    collect,
    entropy,
    finish,
    flipped,
    hand_out,
    letters_of,
    start,
    terms_of,
    up_to,
)

from collude.codef.secagg import STAGES, Client, Server, Stage, harary_graph
from collude.codef.secagg import messages as m
from collude.codef.secagg.keys import ADVERTISE_TAG, CONSISTENCY_TAG, advertised_items
from collude.codef.secagg.shamir import PRIME
from collude.common.errors import AggregationAborted, ProtocolViolation

P0, P1, P2, P3, P4 = (f"participant-{i}" for i in range(5))


def refused(stage, change, silent=None, **terms):
    """P1's message is changed and refused; the session ends well without P1."""
    fed = aggregation(**terms)
    talk = up_to(fed, stage, silent)
    before = fed.server.missing
    with pytest.raises(ProtocolViolation) as caught:
        fed.server.receive(P1, change(fed, talk.waiting[P1]))
    assert caught.value.party == P1
    assert fed.server.missing == before
    total = finish(talk, dict.fromkeys(STAGES, (P1,)))
    gone = {P1} if STAGES.index(Stage(stage)) < 3 else set()
    gone |= {name for names in (silent or {}).values() for name in names}
    assert fed.server.silos == tuple(name for name in fed.names if name not in gone)
    assert (total == fed.total(fed.server.silos)).all()
    return caught.value


def on(field, change):
    return lambda _, message: replace(message, **{field: change(getattr(message, field))})


@pytest.mark.parametrize("field", ["envelope_key", "mask_key", "self_mask_hash", "signature"])
def test_keys_that_are_not_signed_are_refused(field):
    assert refused("advertise_keys", on(field, flipped)).field == "advertise_keys/signature"


@pytest.mark.parametrize("field", ["roster", "parameters"])
def test_keys_for_other_terms_are_refused(field):
    assert refused("advertise_keys", on(field, flipped)).field == f"advertise_keys/{field}"


@pytest.mark.parametrize("key", [0, 1, PRIME - 1, PRIME, 2**256 - 1])
def test_keys_of_low_order_or_in_another_form_are_refused(key):
    def change(fed, message):
        new = replace(message, mask_key=key.to_bytes(32, "little"))
        items = advertised_items(fed.terms.session, P1, new)
        return replace(new, signature=fed.keys[P1].sign(ADVERTISE_TAG, *items))

    assert refused("advertise_keys", change).field == "advertise_keys/key"


def test_another_silos_key_is_refused():
    fed = aggregation()
    talk = start(fed)
    fed.server.receive(P0, talk.waiting[P0])
    new = replace(talk.waiting[P1], mask_key=talk.waiting[P0].mask_key)
    items = advertised_items(fed.terms.session, P1, new)
    signature = fed.keys[P1].sign(ADVERTISE_TAG, *items)
    with pytest.raises(ProtocolViolation, match="shows too"):
        fed.server.receive(P1, replace(new, signature=signature))


ENVELOPES = {
    "one missing": lambda x: x[1:],
    "none": lambda _: (),
    "one twice": lambda x: at(x, 1, x[0]),
    "one more": lambda x: (*x, x[0]),
    "another order": lambda x: x[::-1],
    "of another sender": lambda x: at(x, 0, replace(x[0], sender=P2)),
    "to itself": lambda x: at(x, 0, replace(x[0], recipient=P1)),
    "short": lambda x: at(x, 0, replace(x[0], ciphertext=x[0].ciphertext[1:])),
}


@pytest.mark.parametrize("change", ENVELOPES.values(), ids=ENVELOPES)
def test_envelopes_that_are_not_one_for_each_neighbour_are_refused(change):
    refused("share_keys", on("envelopes", change))


@pytest.mark.parametrize("change", [lambda w: w[1:], lambda w: w + b"\0", lambda _: b""])
def test_masked_counts_of_another_length_are_refused(change):
    refused("masked_input", on("words", change))


def test_masked_counts_above_the_modulus_are_refused():
    refused("masked_input", on("words", lambda w: b"\xff" * len(w)), bits=20)


def test_a_view_of_other_lists_is_refused():
    def change(fed, message):
        view = flipped(message.view)
        return m.Consistency(view, fed.keys[P1].sign(CONSISTENCY_TAG, fed.terms.session, P1, view))

    assert refused("consistency", change).field == "consistency/view"


def test_a_view_signed_by_another_is_refused():
    assert refused("consistency", on("signature", flipped)).field == "consistency/signature"


SHARES = {
    "one missing": lambda x: x[1:],
    "none": lambda _: (),
    "one twice": lambda x: (*x, x[-1]),
    "another order": lambda x: x[::-1],
    "a stranger's": lambda x: at(x, 0, replace(x[0], name="participant-9")),
    "no field element": lambda x: at(x, 0, replace(x[0], share=b"\xff" * 32)),
    "short": lambda x: at(x, 0, replace(x[0], share=bytes(31))),
}


@pytest.mark.parametrize("change", SHARES.values(), ids=SHARES)
@pytest.mark.parametrize("field", ["self_masks", "mask_keys"])
def test_shares_that_were_not_asked_for_are_refused(field, change):
    if field == "mask_keys" and change is SHARES["another order"]:
        return  # one dead silo has one order
    refused("unmask", on(field, change), {"masked_input": (P4,)})


# --- shares that were shifted, sums that cannot be -------------------------------------------


def shifted(share):
    return ((int.from_bytes(share, "little") + 1) % PRIME).to_bytes(32, "little")


def shift(message, field, name):
    named = [
        replace(s, share=shifted(s.share)) if s.name == name else s for s in getattr(message, field)
    ]
    return replace(message, **{field: tuple(named)})


@pytest.mark.parametrize(
    ("field", "owner"), [("self_masks", P2), ("self_masks", P0), ("mask_keys", P4)]
)
def test_a_silo_that_shifts_a_share_is_named(field, owner):
    fed = aggregation()
    talk = up_to(fed, "unmask", {"masked_input": (P4,)})
    talk.waiting[P1] = shift(talk.waiting[P1], field, owner)
    with pytest.raises(AggregationAborted) as caught:
        collect(talk)
    assert (caught.value.stage, caught.value.party) == ("unmask", P1)
    assert owner in caught.value.reason
    assert fed.server.stage is Stage.ABORTED


def test_without_a_share_to_spare_the_owner_is_named_and_who_sent_shares():
    fed = aggregation(threshold=4)
    talk = up_to(fed, "unmask", {"masked_input": (P4,)})
    talk.waiting[P1] = shift(talk.waiting[P1], "mask_keys", P4)
    with pytest.raises(AggregationAborted) as caught:
        collect(talk)
    assert caught.value.party == P4
    assert P1 in caught.value.got


@pytest.mark.parametrize("field", ["self_masks", "mask_keys"])
def test_a_silo_that_deals_out_another_seed_than_it_advertised_is_named(field, monkeypatch):
    """P4 shares a seed that its hash, or its mask key, was not made of."""
    fed = aggregation()
    talk = up_to(fed, "unmask", {"masked_input": (P4,)} if field == "mask_keys" else {})
    for name in talk.waiting:  # all shares of P4 are those of a polynomial shifted by a constant
        talk.waiting[name] = shift(talk.waiting[name], field, P4)
    with pytest.raises(AggregationAborted) as caught:
        collect(talk)
    assert (caught.value.party, caught.value.field) == (P4, "unmask/shares")


def test_a_sum_above_what_silos_may_count_is_refused():
    """P1 adds 2^31 to what it sends: a client of ours cannot."""
    fed = aggregation()
    talk = up_to(fed, "masked_input")
    words = np.frombuffer(talk.waiting[P1].words, "<u4") + np.uint32(2**31)
    talk.waiting[P1] = m.MaskedInput(words.tobytes())
    with pytest.raises(AggregationAborted) as caught:
        finish(talk)
    assert caught.value.field == "unmask/aggregate"


def test_the_largest_sum_of_those_left_is_taken_and_one_more_is_not():
    for more in (0, 1):
        fed = aggregation(counts=[[1000] * 4] * 5)
        talk = up_to(fed, "masked_input")
        words = np.frombuffer(talk.waiting[P1].words, "<u4") + np.uint32(more)
        talk.waiting[P1] = m.MaskedInput(words.tobytes())
        silent = {"masked_input": (P4,)}
        if more:
            with pytest.raises(AggregationAborted, match="may count"):
                finish(talk, silent)
        else:
            assert finish(talk, silent).tolist() == [4000] * 4


# --- out of place ---------------------------------------------------------------------------


@pytest.mark.parametrize("now", STAGES)
@pytest.mark.parametrize("other", STAGES)
def test_a_message_of_another_stage_is_refused_and_changes_nothing(now, other):
    fed, again = aggregation(), aggregation()
    message = up_to(again, other).waiting[P1]
    talk = up_to(fed, now)
    if now != other:
        with pytest.raises(ProtocolViolation):
            fed.server.receive(P1, message)
        assert fed.server.missing == fed.names
    assert (finish(talk) == fed.total()).all()


@pytest.mark.parametrize("stage", STAGES)
def test_a_message_that_comes_twice_is_refused_and_counts_once(stage):
    fed = aggregation()
    talk = up_to(fed, stage)
    fed.server.receive(P1, talk.waiting[P1])
    with pytest.raises(ProtocolViolation, match="not waited for"):
        fed.server.receive(P1, talk.waiting.pop(P1))
    assert (finish(talk) == fed.total()).all()


@pytest.mark.parametrize("stage", STAGES[1:])
def test_a_silo_that_dropped_out_does_not_come_back(stage):
    fed = aggregation()
    before = STAGES[STAGES.index(stage) - 1]
    late = up_to(aggregation(), stage).waiting[P1]
    talk = letters_of(fed, before, {before: (P1,)})
    hand_out(talk)
    with pytest.raises(ProtocolViolation, match="not waited for"):
        fed.server.receive(P1, late)


@pytest.mark.parametrize("name", ["participant-7", "coordinator", ""])
def test_a_stranger_is_refused(name):
    fed = aggregation()
    talk = start(fed)
    with pytest.raises(ProtocolViolation):
        fed.server.receive(name, talk.waiting[P0])


def test_there_is_no_sum_before_the_end_and_nothing_after_it():
    fed = aggregation()
    with pytest.raises(ProtocolViolation, match="no sum"):
        _ = fed.server.aggregate
    talk = up_to(fed, "unmask")
    message = talk.waiting[P1]
    finish(talk)
    assert fed.server.stage is Stage.DONE
    assert fed.server.missing == ()
    with pytest.raises(ProtocolViolation):
        fed.server.receive(P1, message)
    with pytest.raises(ProtocolViolation):
        fed.server.close()


@pytest.mark.parametrize(("stage", "least"), [(s, 3) for s in STAGES])
def test_too_few_silos_end_the_session_in_their_stage(stage, least):
    fed = aggregation()
    talk = up_to(fed, stage)
    with pytest.raises(AggregationAborted) as caught:
        collect(talk, fed.names[least - 1 :])
    assert (caught.value.stage, caught.value.field) == (stage, f"{stage}/silos")
    assert fed.server.stage is Stage.ABORTED
    with pytest.raises(ProtocolViolation):
        fed.server.close()


def test_fewer_than_k_min_inputs_are_not_summed():
    fed = aggregation(min_silos=5)
    talk = up_to(fed, "masked_input")
    with pytest.raises(AggregationAborted) as caught:
        collect(talk, (P4,))
    assert caught.value.stage == "masked_input"


def test_in_a_sparse_graph_a_silo_whose_neighbours_left_ends_the_session_by_name():
    graph = harary_graph(8, 2, 2, bytes(32))
    fed = aggregation(silos=8, threshold=5, graph=graph)
    middle = fed.names[0]
    around = fed.terms.neighbours(middle, fed.names)
    talk = up_to(fed, "unmask")
    with pytest.raises(AggregationAborted, match="too few shares") as caught:
        collect(talk, around)
    assert caught.value.party in {middle, *around}


def test_server_and_clients_of_other_terms_do_not_meet():
    terms, keys = terms_of(cap=7)
    server = Server(aggregation().terms)
    with pytest.raises(ProtocolViolation, match="parameters"):
        server.receive(P0, Client(terms, P0, [0] * 4, keys[P0], entropy(P0)).start())
