"""The two kernels against 50 digits, from where they vanish to where they overflow."""

import mpmath
import numpy as np
import pytest

from collude.codef.numeric.entropy import excess, log_cosh

mpmath.mp.dps = 50


@pytest.mark.parametrize("x", [1e-12, 1e-6, 0.01, 0.5, 0.999999, 1.0, 1.000001, 5.0, 40.0, 700.0])
def test_log_cosh_to_the_last_digits(x: float) -> None:
    exact = mpmath.log(mpmath.cosh(mpmath.mpf(x)))
    assert float(log_cosh(np.array(x))) == pytest.approx(float(exact), rel=1e-15)
    assert log_cosh(np.array(-x)) == log_cosh(np.array(x))


def test_log_cosh_at_its_ends() -> None:
    assert log_cosh(np.array(0.0)) == 0
    assert log_cosh(np.array(np.inf)) == np.inf


@pytest.mark.parametrize(
    "u", [-0.999999, -0.5, -0.3, -0.2999, -1e-4, -1e-9, 1e-12, 1e-3, 0.2999, 0.3, 0.9, 4.0, 1e30]
)
def test_excess_to_the_last_digits(u: float) -> None:
    exact = (1 + mpmath.mpf(u)) * mpmath.log1p(mpmath.mpf(u)) - mpmath.mpf(u)
    assert float(excess(np.array(u))) == pytest.approx(float(exact), rel=4e-15)


def test_excess_at_its_ends() -> None:
    assert excess(np.array([-1.0, 0.0])).tolist() == [1.0, 0.0]
