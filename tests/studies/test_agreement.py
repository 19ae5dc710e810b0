"""A simulation that disagrees is seen, and one that agrees is not refused."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from collude.studies.agreement import (
    CEILING,
    agreement,
    allowed,
    counted,
    disagreements,
    z_of_count,
)


@pytest.mark.parametrize(
    ("hits", "trials", "p"),
    [
        (10, 100, 0.1),
        (15, 100, 0.1),
        (5, 100, 0.1),
        (0, 1500, 1e-5),
        (3, 1500, 1e-4),
        (700, 1500, 0.5),
    ],
)
def test_the_score_is_the_mid_p_value_of_the_binomial_law(hits, trials, p) -> None:
    below = binom.cdf(hits - 1, trials, p) + binom.pmf(hits, trials, p) / 2
    assert z_of_count(hits, trials, p) == pytest.approx(norm.ppf(below), abs=1e-6)


def test_certain_events_must_happen() -> None:
    assert z_of_count(7, 7, 1.0) == z_of_count(0, 7, 0.0) == 0
    assert abs(z_of_count(6, 7, 1.0)) > allowed(1000)
    assert abs(z_of_count(1, 7, 0.0)) > allowed(1000)
    assert abs(z_of_count(1500, 1500, 0.1)) > allowed(1000)


def test_scores_of_a_true_law_are_standard() -> None:
    hits = np.random.default_rng(1).binomial(1500, 0.3, size=400)
    scores = [z_of_count(int(h), 1500, 0.3) for h in hits]
    assert np.mean(scores) == pytest.approx(0, abs=0.2)
    assert np.std(scores) == pytest.approx(1, abs=0.15)


def test_more_points_may_deviate_further() -> None:
    assert allowed(1) == pytest.approx(norm.ppf(1 - 5e-4))
    assert allowed(100) == pytest.approx(norm.ppf(1 - 5e-6), abs=1e-6)


def test_a_wrong_formula_is_refused() -> None:
    right, wrong = counted("error", 500, 1000, 0.5), counted("error", 500, 1000, 0.4)
    assert disagreements([right]) == []
    assert disagreements([right, wrong]) == [wrong]
    assert agreement([right])[0].verdict == "holds"
    assert agreement([right, wrong])[0].verdict == "FALSE"
    assert agreement([{"table": "curve"}]) == []


def test_a_ceiling_refuses_only_what_is_above() -> None:
    assert disagreements([{"table": CEILING, "z": -30.0}]) == []
    above = {"table": CEILING, "z": 30.0}
    assert disagreements([above]) == [above]
