"""The pair of silos that leaks only together, against the table of its eight outcomes."""

import itertools
import math

import numpy as np
import pytest

from collude.codef.budget import joint_information, single_information
from collude.codef.leakage import rr_information, xor_information
from collude.common.errors import ParameterInvalid


def pair_law(epsilon: float) -> np.ndarray:
    """P(Z, Y_1, Y_2) with X_1 = U, X_2 = Z xor U."""
    q = 1 / (1 + math.exp(epsilon))
    law = np.zeros((2, 2, 2))
    for z, u, y1, y2 in itertools.product((0, 1), repeat=4):
        law[z, y1, y2] += (q if y1 != u else 1 - q) * (q if y2 != z ^ u else 1 - q) / 4
    return law


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0, 20.0])
def test_the_closed_form_is_the_tables_information(epsilon: float) -> None:
    law = pair_law(epsilon)
    assert xor_information(epsilon) == pytest.approx(joint_information(law), rel=1e-9)
    assert single_information(law) == pytest.approx([0, 0], abs=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "ratio"), [(0.2, 0.98680), (0.5, 0.92170), (1.0, 0.73532), (2.0, 0.358)]
)
def test_the_papers_leading_order_and_how_far_it_is_off(epsilon: float, ratio: float) -> None:
    found = xor_information(epsilon, unit="bits") / (epsilon**4 / (32 * math.log(2)))
    assert found == pytest.approx(ratio, abs=0.6 * 10 ** -len(str(ratio).split(".")[1]))


def test_small_and_large_epsilon() -> None:
    assert xor_information(1e-3) == pytest.approx(1e-12 / 32, rel=1e-6)
    assert xor_information(1e-6) == pytest.approx(1e-24 / 32, rel=1e-9)
    assert xor_information(50.0) == pytest.approx(math.log(2))
    assert xor_information(0.0) == 0
    assert xor_information(np.array([1.0, 2.0])).shape == (2,)


def test_what_is_charged_covers_the_pair() -> None:
    for epsilon in (0.01, 0.5, 1.0, 5.0):
        assert xor_information(epsilon) < 2 * rr_information(epsilon)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ParameterInvalid, match="unit"):
        xor_information(1.0, unit="bytes")
    with pytest.raises(ParameterInvalid, match="epsilon"):
        xor_information(-1.0)
