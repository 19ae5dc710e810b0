"""Nothing starts on terms that cannot hold."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.aggregation import aggregation, entropy, finish, start, terms_of

from collude.codef.secagg import Client, Modulus, complete_graph, harary_graph, majority
from collude.codef.secagg.counts import checked_counts
from collude.common.errors import ParameterInvalid

REFUSED = {
    "one silo": {"silos": 1, "threshold": 1, "min_silos": 1},
    "two silos": {"silos": 2, "threshold": 2, "min_silos": 2},
    "t = 1": {"threshold": 1, "least_threshold": 1},
    "t below a majority": {"threshold": 2},
    "t below policy": {"threshold": 3, "least_threshold": 4},
    "t above K": {"threshold": 6},
    "K c_max = 2^w": {"silos": 4, "cap": 64, "bits": 8},
    "K c_max over 2^w": {"silos": 5, "cap": 2**32 // 5 + 1},
    "cap 0": {"cap": 0},
    "no persons": {"length": 0},
    "K_min 0": {"min_silos": 0},
    "K_min above K": {"min_silos": 6},
    "graph of others": {"graph": complete_graph(6, 3)},
    "short session": {"session": bytes(31)},
}


@pytest.mark.parametrize("terms", REFUSED.values(), ids=REFUSED)
def test_terms_that_cannot_hold_are_refused(terms):
    with pytest.raises(ParameterInvalid):
        terms_of(**terms)


def test_the_largest_cap_that_is_taken_does_not_wrap():
    cap = (2**8 - 1) // 5
    fed = aggregation(cap=cap, bits=8, counts=[[cap] * 4] * 5)
    assert finish(start(fed)).tolist() == [5 * cap] * 4
    with pytest.raises(ParameterInvalid):
        terms_of(cap=cap + 1, bits=8)


@pytest.mark.parametrize(("silos", "colluders", "t"), [(3, 0, 2), (4, 0, 3), (6, 2, 5), (9, 3, 7)])
def test_a_majority_leaves_two_lists_no_two_honest_sets(silos, colluders, t):
    assert majority(silos, colluders) == t
    assert 2 * t > silos + colluders >= 2 * (t - 1)


def test_every_term_changes_the_hash():
    made, _ = terms_of()
    others = [
        replace(made, length=5), replace(made, cap=999), replace(made, threshold=4),
        replace(made, modulus=Modulus(16), cap=1000), replace(made, min_silos=4),
        replace(made, graph=harary_graph(5, 2, 2, bytes(32))),
        replace(made, graph=harary_graph(5, 2, 2, bytes([1] * 32))),
    ]  # fmt: skip
    assert len({made.hash, *(other.hash for other in others)}) == 8
    assert replace(made, session=bytes(32)).hash == made.hash


COUNTS = {
    "negative": [1, -1, 0, 0], "above the cap": [0, 0, 1001, 0], "short": [1, 2, 3],
    "long": [1, 2, 3, 4, 5], "a table": [[1, 2, 3, 4]], "floats": [1.0, 2.0, 3.0, 4.0],
    "truth values": [True, False, True, True], "words": ["1", "2", "3", "4"],
    "beyond 64 bits": [2**70, 0, 0, 0], "nothing": [],
}  # fmt: skip


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_counts_that_are_none_are_refused_and_not_shown(counts):
    terms, keys = terms_of()
    name = terms.silos[0]
    with pytest.raises(ParameterInvalid) as caught:
        Client(terms, name, counts, keys[name], entropy(name))
    assert caught.value.field == "counts"
    assert "1001" not in str(caught.value)


def test_counts_that_decrease_within_a_period_are_refused():
    assert checked_counts([1, 2], 2, 9, previous=[1, 1]).tolist() == [1, 2]
    with pytest.raises(ParameterInvalid, match="no less than before"):
        checked_counts([1, 2], 2, 9, previous=[0, 3])


def test_a_copy_of_the_counts_is_taken():
    counts = np.array([1, 2, 3, 4])
    checked = checked_counts(counts, 4, 10)
    counts[0] = 9
    assert checked.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["participant-9", "coordinator", ""])
def test_a_client_that_is_none_of_the_silos_is_refused(name):
    terms, keys = terms_of()
    with pytest.raises(ParameterInvalid, match="silos"):
        Client(terms, name, [0] * 4, keys["participant-0"], entropy("x"))


def test_a_client_with_another_signing_key_is_refused():
    terms, keys = terms_of()
    with pytest.raises(ParameterInvalid, match="pinned"):
        Client(terms, "participant-0", [0] * 4, keys["participant-1"], entropy("participant-0"))
