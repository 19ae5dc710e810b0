"""Shares of a budget, and answers that leak together what none leaks alone."""

import itertools
import math

import numpy as np
import pytest

from collude.codef.budget import (
    joint_information,
    refuse_undercharged,
    silo_budgets,
    silo_epsilons,
    single_information,
)
from collude.codef.leakage import rr_information, xor_information
from collude.codef.risk import exact_error, success_bound
from collude.common.errors import ParameterInvalid


def law_of_pair(epsilon: float, *, shared_noise: bool) -> np.ndarray:
    """P(Z, Y_1, Y_2) of X_1 = U, X_2 = Z xor U, with noise of its own each, or the same."""
    q = 1 / (1 + math.exp(epsilon))
    law = np.zeros((2, 2, 2))
    for z, u, a, b in itertools.product((0, 1), repeat=4):
        mass = (q if a else 1 - q) * (q if b else 1 - q) / 4
        law[z, u ^ a, z ^ u ^ (a if shared_noise else b)] += mass
    return law


def test_the_xor_pair_is_detected_where_leakage_was_measured_silo_by_silo() -> None:
    law = law_of_pair(1.0, shared_noise=False)
    alone = single_information(law)
    assert alone == pytest.approx([0, 0], abs=1e-12)
    assert joint_information(law) == pytest.approx(xor_information(1.0))
    with pytest.raises(ParameterInvalid, match="dependent"):
        refuse_undercharged(law, alone)
    refuse_undercharged(law, [rr_information(1.0)] * 2)  # what the policy charges is enough


def test_shared_noise_defeats_even_the_full_charge_and_is_detected() -> None:
    law = law_of_pair(0.5, shared_noise=True)
    assert joint_information(law) == pytest.approx(math.log(2))
    with pytest.raises(ParameterInvalid, match="dependent"):
        refuse_undercharged(law, [rr_information(0.5)] * 2)


def test_independent_answers_pass() -> None:
    q = 1 / (1 + math.e)
    channel = np.array([[1 - q, q], [q, 1 - q]])
    law = 0.5 * channel[:, :, None] * channel[:, None, :]
    assert single_information(law) == pytest.approx([rr_information(1.0)] * 2)
    assert joint_information(law) < 2 * rr_information(1.0)
    refuse_undercharged(law, single_information(law))


@pytest.mark.parametrize("bad", [[0.5, 0.5], [[0.5, 0.6]], [[-0.5, 1.5]], [[math.nan, 1.0]]])
def test_what_is_no_law_is_refused(bad) -> None:
    for call in (joint_information, single_information):
        with pytest.raises(ParameterInvalid, match="joint"):
            call(bad)


def test_a_known_number_of_silos_needs_no_coordination() -> None:
    """n = 500, 100 silos, gamma = .25: epsilon = .355, success .113, at most .130."""
    silos = {f"silo-{index}": 1.0 for index in range(100)}
    epsilon = silo_epsilons(500, 0.25, silos)["silo-0"]
    assert round(epsilon, 3) == 0.355
    assert round(1 - exact_error(500, epsilon, 100), 3) == 0.113
    assert round(success_bound(500, [(epsilon, 100)]), 3) == 0.130


def test_weights_share_the_budget() -> None:
    parts = silo_budgets(500, 0.5, {"clinic": 1.0, "school": 3.0, "closed": 0.0})
    assert sum(parts.values()) == pytest.approx(0.5 * math.log(500))
    assert parts["school"] == 3 * parts["clinic"]
    epsilons = silo_epsilons(500, 0.5, {"clinic": 1.0, "school": 3.0, "closed": 0.0})
    assert epsilons["closed"] == 0
    assert epsilons["school"] == math.inf  # more than a bit can leak
    assert silo_epsilons(2, 0.5, {"a": 1.0, "b": 1.0})["a"] < 2


@pytest.mark.parametrize("bad", [{}, {"a": 0.0}, {"a": -1.0, "b": 2.0}, {"a": math.inf}])
def test_bad_weights_are_refused(bad) -> None:
    with pytest.raises(ParameterInvalid, match="weights"):
        silo_budgets(500, 0.5, bad)
