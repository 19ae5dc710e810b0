"""A silo in a sparse graph: too few silos in all, and too few of its own neighbours."""

from dataclasses import replace

import pytest
from testkit.aggregation import P0, aggregation, letters_of

from collude.codef.secagg import harary_graph
from collude.common.errors import AggregationAborted

SILOS, THRESHOLD = 8, 5
STAGES = ["advertise_keys", "share_keys"]


def refused(stage, keep_neighbours, left):
    """P0 is shown `left` silos, with its two neighbours or without one of them."""
    graph = harary_graph(SILOS, 2, 2, bytes(32))
    fed = aggregation(silos=SILOS, threshold=THRESHOLD, graph=graph)
    letter = letters_of(fed, stage).letters[P0]
    around = fed.terms.neighbours(P0, fed.names)
    first = [P0, *around] if keep_neighbours else [P0, around[0]]
    others = [name for name in fed.names if name not in {P0, *around}]
    shown = {*first, *others[: left - len(first)]}
    assert len(shown) == left
    if stage == "advertise_keys":
        letter = replace(letter, silos=tuple(n for n in letter.silos if n.name in shown))
    else:
        envelopes = tuple(e for e in letter.envelopes if e.sender in shown)
        silos = tuple(n for n in letter.silos if n in shown)
        letter = replace(letter, silos=silos, envelopes=envelopes)
    client = fed.clients[P0]
    if keep_neighbours and left >= THRESHOLD:
        return client.receive(letter)
    with pytest.raises(AggregationAborted) as caught:
        client.receive(letter)
    assert caught.value.stage == stage
    return caught.value


@pytest.mark.parametrize("stage", STAGES)
def test_too_few_silos_are_refused_though_my_neighbours_are_there(stage):
    assert refused(stage, keep_neighbours=True, left=4).expected == "5 or more"


@pytest.mark.parametrize("stage", STAGES)
def test_without_enough_neighbours_nothing_is_sent_though_others_are_there(stage):
    error = refused(stage, keep_neighbours=False, left=7)
    assert error.reason == "too few of my neighbours are left"


@pytest.mark.parametrize("stage", STAGES)
def test_with_both_it_goes_on(stage):
    assert refused(stage, keep_neighbours=True, left=5)
