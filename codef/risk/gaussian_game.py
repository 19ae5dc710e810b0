"""The error of the attacker with Gaussian answers, in the game with fair attributes.

Turn every answer so that the target's own value is +mu: y_j = mu + N_j. Another person differs
from the target in a random subset A of the silos and is better if sum_{j in A} y_j < 0. Unlike
with bits, that chance pi depends on the answers, so the game is an average over them. The sum of
the answers matters most and is integrated; the rest is a fixed low-discrepancy sample up to 64
answers, and their variance alone beyond.
"""

import math

import numpy as np

from collude.codef.numeric.checks import Array, answers, floats, persons, positive
from collude.codef.numeric.normal import grid
from collude.codef.numeric.subsets import by_halves, by_saddlepoint, by_table
from collude.codef.risk.game import lost_by_lot
from collude.codef.risk.values import Estimate

ROWS = 1056
SAMPLES = 12
SUM_SPAN = 5.5
SUM_NODES = 64
HALVES_TO = 16
TABLE_TO = 64
SPREAD_NODES = 9
VALUE_NODES = 40


def exact_error_gaussian(n: float, sensitivity: float, sigma: float, k: float) -> Estimate:
    """Return P_e of the best attacker after k Gaussian answers about bits `sensitivity` apart.

    The game of `exact_error`: fair attributes, silos chosen beforehand. Computed by integration,
    within about 0.005 as long as n is well below 2^k (where n is near 2^k and k is over 64 the
    error is larger). Not a guarantee: see `success_bound_gaussian`.

    Args:
        n: persons, 2 or more; a float, to 1e64.
        sensitivity: distance of the two values, above 0.
        sigma: standard deviation of the noise, above 0.
        k: answers, 0 to 2^53.

    Returns:
        The error probability; 1 - 1/n for k = 0.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    n, k = persons(n), answers(k)
    mu = positive("sensitivity", sensitivity) / positive("sigma", sigma) / 2
    if k == 0:
        return Estimate(1 - 1 / n)
    beaten, weights = _sampled(mu, k) if k <= TABLE_TO else _by_variance(mu, k)
    return Estimate(float(weights @ _error(n, k, beaten)))


def _error(n: float, k: int, beaten: Array) -> Array:
    """Return the error given pi; a person equal to the target in every silo shares by lot."""
    kept = np.log1p(-np.minimum(beaten, 1 - 1e-16))
    better = -np.expm1((n - 1) * kept)
    equal = np.minimum(math.exp(-k * math.log(2)) / np.exp(kept), 1)
    lost = lost_by_lot(n, floats(np.maximum(equal, 1e-300)))
    return floats(better + lost - better * lost)


def _sampled(mu: float, k: int) -> tuple[Array, Array]:
    """Return pi and weights: nodes for the mean of the answers, a sample for the rest."""
    samples = 1 if k == 1 else SAMPLES  # one answer is its own mean
    nodes, weights = grid(SUM_SPAN, ROWS // samples)
    rest = _normal_rows(ROWS, k)
    rest -= rest.mean(axis=1, keepdims=True)
    y = mu + np.repeat(nodes, samples)[:, None] / math.sqrt(k) + rest
    beaten = by_halves(y) if k <= HALVES_TO else by_table(y)
    return beaten, np.repeat(weights, samples) / samples


def _by_variance(mu: float, k: int) -> tuple[Array, Array]:
    """Return pi and weights: nodes for the mean and the variance of the answers.

    Given both, the answers are taken as normally spread, which k > 64 of them are.
    """
    nodes, weights = _hermite(SUM_NODES)
    spread, spread_weights = _hermite(SPREAD_NODES)
    free = k - 1  # chi-square by Wilson and Hilferty's cube
    variance = free * (1 - 2 / (9 * free) + spread * math.sqrt(2 / (9 * free))) ** 3 / k
    values, value_weights = _hermite(VALUE_NODES)
    mean = np.repeat(mu + nodes / math.sqrt(k), SPREAD_NODES)
    y = mean[:, None] + np.tile(np.sqrt(variance), SUM_NODES)[:, None] * values
    beaten = by_saddlepoint(k * mean, y, k * value_weights)
    return beaten, np.outer(weights, spread_weights).ravel()


def _hermite(nodes: int) -> tuple[Array, Array]:
    x, weights = np.polynomial.hermite_e.hermegauss(nodes)
    return floats(x), floats(weights / weights.sum())


def _normal_rows(rows: int, columns: int) -> Array:
    """Return a fixed low-discrepancy sample of standard normals: Kronecker's, by Box and Muller."""
    pairs = (columns + 1) // 2
    roots = np.sqrt(_primes(2 * pairs))
    uniform = (np.arange(1, rows + 1)[:, None] * roots) % 1
    radius = np.sqrt(-2 * np.log(uniform[:, :pairs]))
    angle = 2 * math.pi * uniform[:, pairs:]
    both = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return floats(both[:, :columns])


def _primes(count: int) -> Array:
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return floats(found)
