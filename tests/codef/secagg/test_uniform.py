"""What the coordinator receives is uniform, whatever was counted, and hangs on every seed.

Everything is under fixed seeds. A true uniform source would fail a test here with the stated
probability, for one choice of seeds.
"""

import numpy as np
import pytest
from scipy.stats import chi2, norm
from testkit.aggregation import aggregation, entropy, up_to

from collude.codef.secagg import Client, harary_graph
from collude.codef.secagg.keys import self_mask_key
from collude.codef.secagg.prg import add_masks

SILOS, LENGTH = 6, 16_384
FALSE_ALARM = 1e-6
"""Of one whole test: divided among all the statistics in it."""


def received(counts, bits=32, graph=None, reseeded=None):
    """The masked counts of all silos, shape (K, m), as they reach the coordinator."""
    cap = min(1000, (2**bits - 1) // SILOS)
    shape = {"silos": SILOS, "threshold": 4, "length": LENGTH, "cap": cap, "bits": bits}
    fed = aggregation(counts=counts, graph=graph, **shape)
    if reseeded:
        key, vector = fed.keys[reseeded], fed.counts[reseeded]
        fed.clients[reseeded] = Client(fed.terms, reseeded, vector, key, entropy(reseeded, 99))
    came, take = {}, fed.server.receive

    def listening(name, message):
        came[name] = message  # the last one is the masked input
        take(name, message)

    fed.server.receive = listening
    up_to(fed, "consistency")
    return np.array([np.frombuffer(came[n].words, fed.terms.modulus.dtype) for n in fed.names])


COUNTS = {
    "nothing": np.zeros((SILOS, LENGTH), int),
    "the cap": np.full((SILOS, LENGTH), 1000),
    "one person": np.eye(SILOS, LENGTH, dtype=int) * 1000,
    "a ramp": np.arange(SILOS * LENGTH).reshape(SILOS, LENGTH) % 1001,
}


def bytes_statistic(words):
    """Chi-square of the bytes against 256 equal cells: 255 degrees of freedom."""
    observed = np.bincount(words.view(np.uint8), minlength=256)
    expected = words.nbytes / 256
    return float(((observed - expected) ** 2 / expected).sum())


def bits_statistic(words, bits):
    """The largest deviation of any bit's frequency from one half, in standard deviations."""
    ones = np.array([(words >> words.dtype.type(i) & 1).mean() for i in range(bits)])
    return float(np.abs(ones - 0.5).max() * 2 * np.sqrt(words.size))


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_every_silos_masked_counts_are_uniform_bytes(counts):
    vectors = received(counts)
    limit = chi2.isf(FALSE_ALARM / SILOS, 255)
    assert max(bytes_statistic(vector) for vector in vectors) < limit
    assert bytes_statistic(counts[0].astype("<u4")) > 100 * limit  # what it finds without a mask


@pytest.mark.parametrize("bits", [8, 13, 32, 47, 64])
def test_every_bit_below_the_modulus_is_even(bits):
    vectors = received(COUNTS["nothing"], bits)
    limit = norm.isf(FALSE_ALARM / 2 / bits / SILOS)
    assert max(bits_statistic(vector, bits) for vector in vectors) < limit
    assert int(vectors.max()) < 2**bits
    unmasked = (np.arange(LENGTH) % 101).astype(vectors.dtype)
    assert bits_statistic(unmasked, bits) > 10 * limit  # what it finds without a mask


def test_two_silos_masked_counts_go_together_no_more_than_chance():
    vectors = received(COUNTS["the cap"]).astype(np.float64)
    pairs = SILOS * (SILOS - 1) // 2
    limit = norm.isf(FALSE_ALARM / 2 / (2 * pairs)) / np.sqrt(LENGTH)
    together = np.corrcoef(vectors)
    shifted = [np.corrcoef(vectors[i, 1:], vectors[i, :-1])[0, 1] for i in range(SILOS)]
    assert np.abs(together - np.eye(SILOS)).max() < limit
    assert np.abs(shifted).max() < limit


def test_without_self_masks_only_the_sum_of_all_is_open():
    """Self masks are known: pair masks cancel in the sum of all silos, and in no smaller one."""
    counts = COUNTS["a ramp"]
    fed = aggregation(silos=SILOS, threshold=4, length=LENGTH, cap=1000, counts=counts)
    seeds = {name: client._state._seeds.self_mask for name, client in fed.clients.items()}
    vectors = received(counts)
    for vector, name in zip(vectors, fed.names, strict=True):
        add_masks(vector, [], [self_mask_key(fed.terms.session, seeds[name])])
    limit = chi2.isf(FALSE_ALARM / 2 / SILOS, 255)
    for left_out in range(SILOS):
        partial = np.delete(vectors, left_out, axis=0).sum(axis=0, dtype=np.uint32)
        assert bytes_statistic(vectors[left_out]) < limit
        assert bytes_statistic(partial) < limit
    assert (vectors.sum(axis=0, dtype=np.uint32) == counts.sum(axis=0)).all()


# --- one changed seed -----------------------------------------------------------------------


def changed(before, after):
    """For each silo the share of words that differ, and whether the differences are uniform."""
    differ = [(one != two).mean() for one, two in zip(before, after, strict=True)]
    even = [bytes_statistic(one - two) for one, two in zip(before, after, strict=True)]
    return np.array(differ), np.array(even)


def test_one_changed_seed_changes_all_that_the_coordinator_receives():
    before = received(COUNTS["a ramp"])
    differ, even = changed(before, received(COUNTS["a ramp"], reseeded="participant-2"))
    assert (differ > 1 - 3 / LENGTH).all()  # a word stays with probability 2^-32
    assert even.max() < chi2.isf(FALSE_ALARM / SILOS, 255)


def test_in_a_sparse_graph_it_changes_its_own_and_its_neighbours():
    graph = harary_graph(SILOS, 2, 2, bytes(32))
    before = received(COUNTS["a ramp"], graph=graph)
    differ, even = changed(
        before, received(COUNTS["a ramp"], graph=graph, reseeded="participant-2")
    )
    near = list(graph.holders(2))
    far = [silo for silo in range(SILOS) if silo not in near]
    assert (differ[near] > 1 - 3 / LENGTH).all()
    assert even[near].max() < chi2.isf(FALSE_ALARM / SILOS, 255)
    assert (differ[far] == 0).all()


def test_the_same_seeds_give_the_same_vectors_and_other_counts_other_ones():
    one, again, other = (received(COUNTS[name]) for name in ("nothing", "nothing", "the cap"))
    assert (one == again).all()
    assert (other - one == 1000).all()  # same keys, same masks: a session is never used twice
