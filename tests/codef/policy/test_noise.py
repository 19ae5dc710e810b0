"""What an answer on a grid leaks, beside what the formulas say of one that is not."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from collude.codef.accounting import gaussian_composition
from collude.codef.leakage import gaussian_information, gaussian_sigma, rr_information
from collude.codef.policy import GaussianAnswers, RandomizedResponse
from collude.codef.policy.noise import LEAST_SIGMA, OFF_GRID, STEPS_PER_BIT
from collude.codef.risk import success_bound, success_bound_gaussian


def on_the_grid(
    sigma: float, centre: int = 0, reach: float = 12.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return steps and their mass under the discrete Gaussian."""
    far = math.ceil(reach * sigma) + abs(centre) + 10
    z = np.arange(-far, far + 1)
    mass = np.exp(-((z - centre) ** 2) / (2 * sigma**2))
    return z, mass / mass.sum()


def distance_of_rounded(sigma: float) -> float:
    z, mass = on_the_grid(sigma)
    rounded = ndtr((z + 0.5) / sigma) - ndtr((z - 0.5) / sigma)
    return 0.5 * float(np.abs(mass - rounded).sum())


@pytest.mark.parametrize("sigma", [1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0])
def test_an_answer_on_the_grid_is_nearly_a_rounded_gaussian(sigma):
    """The bound that `OFF_GRID` takes, 1/(24 s^2), down to one step of noise."""
    assert distance_of_rounded(sigma) <= 1 / (24 * sigma**2)


def test_the_distance_falls_as_the_derivation_says():
    half_mean = 2 * math.exp(-0.5) / math.sqrt(2 * math.pi)  # of |N^2 - 1|, by parts
    assert distance_of_rounded(64.0) * 64**2 == pytest.approx(half_mean / 24, rel=1e-3)
    assert half_mean < 0.5
    assert OFF_GRID < 1e-10


@pytest.mark.parametrize("step", [8, 16, 64])
def test_the_grid_leaks_no_more_information(step):
    """The sum over grid points is the integral to the last digits, on far coarser grids too."""
    for sigma in (1.0, 3.73, 20.0):
        s = sigma * step
        z, one = on_the_grid(s, centre=step, reach=9)
        ratio = ((z - step) ** 2 - z**2) / (2 * s**2)  # ln P_0/P_1
        nats = math.log(2) - float((one * np.logaddexp(0, ratio)).sum())
        assert nats == pytest.approx(gaussian_information(1.0, sigma), rel=1e-9)


def test_the_noise_is_the_smallest_that_is_private_rounded_up_to_a_step():
    noise = GaussianAnswers(1e-5)
    for epsilon in (0.1, 1.0, 8.0):
        least = gaussian_sigma(epsilon, 1e-5, calibration="analytic")
        assert 0 <= noise.sigma(epsilon) - least < 1.001 / STEPS_PER_BIT
        # the accountant's epsilon of one answer, by another way
        assert gaussian_composition(1.0, noise.sigma(epsilon), 1, 1e-5) <= epsilon * (1 + 1e-9)
    assert noise.sigma(30.0) >= LEAST_SIGMA


def test_safe_counts_are_the_last_that_the_bound_allows():
    flips, gauss = RandomizedResponse(), GaussianAnswers(1e-5)
    assert flips.safe_count(500, 1.0, 0.1) == 12
    assert success_bound(500, [(1.0, 12)]) <= 0.1 < success_bound(500, [(1.0, 13)])
    count = gauss.safe_count(500, 1.0, 0.1)
    sigma = gauss.sigma(1.0)
    bounds = [success_bound_gaussian(500, 1.0, sigma, k) for k in (count, count + 1)]
    assert bounds[0] + count * OFF_GRID <= 0.1 < bounds[1] + (count + 1) * OFF_GRID


def test_the_grid_is_paid_for():
    """At a risk that the bound of k answers meets exactly, the grid makes it k - 1."""
    gauss = GaussianAnswers(1e-5)
    bound = float(success_bound_gaussian(500, 1.0, gauss.sigma(1.0), 145))
    assert gauss.safe_count(500, 1.0, bound) == 144
    assert gauss.safe_count(500, 1.0, bound + 146 * OFF_GRID) == 145


def test_information_is_that_of_the_formulas():
    assert RandomizedResponse().information(0.5) == rr_information(0.5)
    gauss = GaussianAnswers(1e-6)
    assert gauss.information(1.0) == gaussian_information(1.0, gauss.sigma(1.0))
