"""From lease to noise: what is refused, and that nobody's lease is exceeded."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.counted import HEURISTIC, scenario

from collude.codef.leakage import gaussian_vector_information, rr_information
from collude.codef.period.planned import settings_of
from collude.codef.policy import allot, policy_of
from collude.common.errors import ReleaseRefused, ScenarioInvalid
from collude.participant import r2_count
from collude.participant.r2_count import (
    GRID,
    clipped,
    count,
    on_grid,
    rule_of,
)

P0 = "participant-0"
RULE = rule_of(scenario())
TABLED = rule_of(
    scenario(HEURISTIC["method"], policy="paper", noise_table=HEURISTIC["noise_table"])
)
WIDTH = 8


def lease(levels, slots):
    return np.array(levels, dtype=np.int64), np.array(slots, dtype=np.int64)


def noise(levels, slots, persons, rule=RULE):
    return count(rule, lease(levels, slots), np.array(persons), WIDTH, P0)


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [RULE, TABLED])
def test_without_a_lease_nothing_may_be_uploaded(rule):
    with pytest.raises(ReleaseRefused) as caught:
        count(rule, None, np.array([0]), WIDTH, P0)
    assert (caught.value.party, caught.value.field) == (P0, "lease")


@pytest.mark.parametrize("rule", [RULE, TABLED])
@pytest.mark.parametrize(("levels", "slots"), [([0, -1], [1, 0]), ([0, 1], [1, 0])])
def test_one_withheld_person_is_enough(rule, levels, slots):
    with pytest.raises(ReleaseRefused) as caught:
        noise(levels, slots, [0, 0, 1], rule)
    assert "withheld" in caught.value.got
    assert noise(levels, slots, [0, 0], rule)  # the other person is not here


def test_the_refusal_names_no_person():
    with pytest.raises(ReleaseRefused) as caught:
        noise([0] * 41 + [-1], [1] * 41 + [0], [41, 3])
    assert "41" not in str(caught.value)


def test_a_level_that_the_table_lacks_is_refused():
    bare = replace(TABLED, table={1.0: 0.05})
    assert noise([0], [1], [0], bare).anchor_noise == 0.05
    with pytest.raises(ScenarioInvalid) as caught:
        noise([1], [1], [0], bare)
    assert caught.value.field == "codef.noise_table"


def test_without_codef_there_is_no_rule():
    assert rule_of(scenario(enabled=False)) is None


# --- that the lease is kept --------------------------------------------------------------------


def divergence(signal, sigma):
    """KL(N(signal, sigma^2 I) || N(0, sigma^2 I)) in nats, entry by entry."""
    return math.fsum((x * x) / (2 * sigma**2) for x in np.ravel(signal))


def test_sigma_is_where_the_divergence_of_m_clipped_rows_is_the_lease():
    made = noise([0, 2], [3, 2], [0, 0, 0, 1])
    rows = clipped(np.random.default_rng(0).standard_normal((3, WIDTH)) * 100, RULE.clip)
    assert made.rows_per_person == 3
    assert made.nats == 2 * rr_information(0.25)
    assert divergence(rows, made.private_noise) == pytest.approx(made.nats, rel=1e-6)


@given(
    holdings=st.lists(st.integers(0, 19), min_size=1, max_size=40),
    seed=st.integers(0, 10_000),
    width=st.integers(1, 500),
)
def test_nobodys_lease_is_exceeded_whoever_has_how_many_rows(holdings, seed, width):
    """Brute force over persons: the nats of each one's own rows at the sigma of all."""
    rng = np.random.default_rng(seed)
    levels, slots = rng.integers(0, 4, 20), rng.integers(1, 6, 20)
    persons = np.array(holdings)
    made = count(RULE, lease(levels, slots), persons, width, P0)
    for person in set(holdings):
        rows = holdings.count(person)
        granted = slots[person] * rr_information(RULE.levels[levels[person]])
        spent = rows * RULE.clip**2 / (2 * made.private_noise**2)
        assert spent <= granted
        assert gaussian_vector_information(RULE.clip, made.private_noise, width, rows) <= granted
    assert made.bound <= made.nats


def test_all_uploads_of_a_federation_stay_within_the_budget():
    """One person with rows at every silo, under leases as the policy makes them."""
    nothing = np.zeros(60, dtype=np.int64)
    silos = [f"participant-{i}" for i in range(7)]
    settings = scenario(p=7, slots_per_lease=3)
    rule = rule_of(settings)
    grant = policy_of(settings_of(settings)[0]).grant(nothing, 7, 3)
    spent = 0.0
    for name, lot in allot(grant, silos, 3, b"s").items():
        made = count(rule, tuple(lot), np.array([5, 5, 9]), WIDTH, name)
        spent += 2 * rule.clip**2 / (2 * made.private_noise**2)
    assert 0 < spent <= rule.upload.total <= 0.5 * math.log(60)


def test_a_binary_secret_tells_less_than_the_lease():
    """Monte Carlo of the information itself: two sets of rows as far apart as clipping allows."""
    made = noise([0], [4], [0, 0])
    rows, sigma, rng = 2, made.private_noise, np.random.default_rng(8)
    one = np.zeros((rows, WIDTH))
    one[:, 0] = RULE.clip
    draws = 40_000
    # The other set is -one; only the first column tells anything.
    y = RULE.clip + sigma * rng.standard_normal((draws, rows))
    ratio = (2 * RULE.clip * y / sigma**2).sum(axis=1)
    told = math.log(2) - np.logaddexp(0.0, -ratio)
    error = 4 * told.std() / math.sqrt(draws)
    assert told.mean() - error <= made.nats
    assert told.mean() >= 0.3 * made.nats  # the test sees the information: half of sigma fails


# --- the method without a bound ----------------------------------------------------------------


def test_the_table_gives_the_noise_of_the_noisiest_level_here_and_promises_nothing():
    made = noise([0, 1], [1, 1], [0, 1], TABLED)
    assert (made.anchor_noise, made.private_noise) == (0.2, None)
    assert (made.clip, made.bound) == (None, None)
    assert noise([0, 1], [1, 1], [0], TABLED).anchor_noise == 0.05
    assert TABLED.guarantee == r2_count.HEURISTIC
    assert "no guarantee" in TABLED.guarantee
    assert not TABLED.bounded


def test_the_facts_have_levels_and_noise_and_no_person():
    facts = noise([0, 2], [3, 2], [0, 1, 1]).facts()
    assert set(facts) == {
        "level", "sigma", "anchor_noise", "clip", "rows_per_person", "nats", "bound",
    }  # fmt: skip
    assert (facts["level"], facts["rows_per_person"], facts["anchor_noise"]) == (0.25, 2, None)


# --- clipping and the grid ---------------------------------------------------------------------


@given(st.integers(1, 20), st.integers(1, 30), st.floats(1e-6, 1e6), st.integers(0, 1000))
def test_clipped_rows_are_no_longer_than_c_and_keep_their_direction(n, d, c, seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-8, 8, (n, 1))
    made = clipped(rows, c)
    lengths, before = np.linalg.norm(made, axis=1), np.linalg.norm(rows, axis=1)
    assert (lengths <= c * (1 + 1e-12)).all()
    short = before <= c
    assert np.array_equal(made[short], rows[short])
    assert np.allclose(made * before[:, None], rows * lengths[:, None], rtol=1e-9)


def test_a_row_of_zeros_stays_and_none_clips_nothing():
    assert np.array_equal(clipped(np.zeros((2, 3)), 1.0), np.zeros((2, 3)))
    rows = np.full((2, 3), 1e9)
    assert clipped(rows, None) is rows


@pytest.mark.parametrize("sigma", [1e-3, 0.7, 1.0, 1234.5])
def test_the_grid_is_far_finer_than_the_noise_and_shared_by_all_values(sigma):
    rows = np.random.default_rng(2).standard_normal((50, 4)) * 3 * sigma
    made = on_grid(rows, sigma)
    step = 2.0 ** math.floor(math.log2(sigma)) * GRID
    assert np.array_equal(np.rint(made / step) * step, made)
    assert np.abs(made - rows).max() <= step / 2 <= sigma * 2.0**-20
