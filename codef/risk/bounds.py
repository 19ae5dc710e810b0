"""Paper 2's bounds on the attacker's error, in their right form, and Gallager's sharper one."""

import math

from collude.codef.leakage import (
    rr_bhattacharyya,
    rr_cutoff_rate,
    rr_epsilon_for_information,
    rr_information,
)
from collude.codef.numeric.checks import (
    answers,
    epsilon_of_answer,
    non_negative,
    persons,
    refuse,
)
from collude.codef.risk.values import Estimate, Guarantee

CONDITION = "the answers are independent given the attributes"
HALVINGS = 200


def critical_silos(n: float, information: float) -> float:
    """Return k* = ln n / I_1, the number of answers around which persons become identifiable.

    A scale, not a limit: at k* the attacker already succeeds two times in three.

    Args:
        n: persons, 2 or more.
        information: nats per answer, 0 or more; 0 gives infinity.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    n, nats = persons(n), float(non_negative("information", information))
    return math.log(n) / nats if nats > 0 else math.inf


def fano_error(n: float, information: float, prior_entropy: float | None = None) -> Guarantee:
    """Return Fano's lower bound on the error: at least this, whatever the attacker does.

    max(0, (H - I - ln 2)/ln(n - 1)) with H = ln n by default; for n = 2 the smallest P with
    H_b(P) >= H - I. Holds for any attributes and for silos chosen as the answers come.

    Args:
        n: persons, 2 or more.
        information: TOTAL nats of all answers, k I_1; not per answer.
        prior_entropy: H in nats of who the target is before any answer, 0 to ln n.

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: paper 2, Theorem 6.4, with ln 2 for its "+1" and ln(n - 1) for every prior.
    """
    n, missing = persons(n), _missing(n, information, prior_entropy)
    if n == 2:  # noqa: PLR2004 -- ln(n - 1) is 0
        return fano_error_tight(n, information, prior_entropy)
    return Guarantee(max(0.0, (missing - math.log(2)) / math.log(n - 1)), CONDITION)


def fano_error_tight(n: float, information: float, prior_entropy: float | None = None) -> Guarantee:
    """Return the smallest P with H_b(P) + P ln(n - 1) >= H - I: Fano's inequality, inverted.

    Arguments, errors and condition as for `fano_error`.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    n, missing = persons(n), _missing(n, information, prior_entropy)
    low, high = 0.0, 1 - 1 / n
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = _binary_entropy(middle) + middle * math.log(n - 1) >= missing
        low, high = (low, middle) if enough else (middle, high)
    return Guarantee(low if missing > 0 else 0.0, CONDITION)


def fano_list_error(n: float, information: float, length: float) -> Guarantee:
    """Return the lower bound on the target being absent from the attacker's best `length` persons.

    Args:
        n: persons, 2 or more.
        information: TOTAL nats of all answers.
        length: persons on the list, 1 to below n.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    n, missing = persons(n), _missing(n, information, None)
    if not 1 <= length < n:
        refuse("length", "1 to below the number of persons", length)
    if n - length <= length:
        return Guarantee(0.0, CONDITION)
    found = (missing - math.log(length) - math.log(2)) / math.log((n - length) / length)
    return Guarantee(max(0.0, found), CONDITION)


def union_bound_error(n: float, epsilon: float, k: float) -> Estimate:
    """Return min(1, (n - 1) ((1 + e^-B)/2)^k): the attacker's error is at most this.

    For fair attributes known to the attacker. It says how well an attack works; it protects
    nobody.

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: paper 2, Theorem 6.5.
    """
    n, epsilon, k = persons(n), epsilon_of_answer(epsilon), answers(k)
    return Estimate(math.exp(min(0.0, math.log(n - 1) - k * rr_cutoff_rate(epsilon))))


def gallager_error(n: float, epsilon: float, k: float) -> Estimate:
    """Return min over rho in [0, 1] of (n - 1)^rho exp(-k E_0(rho)): the error is at most this.

    Below 1 as soon as k passes k*, where the union bound needs about 1.9 k*.
    E_0(rho) = B(epsilon) - (1 + rho) B(epsilon/(1 + rho)), whose derivative is
    I_1(epsilon/(1 + rho)); so the best rho solves I_1(epsilon/(1 + rho)) = ln(n - 1)/k.

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: R. Gallager, Information Theory and Reliable Communication (1968), section 5.6; the
    union bound is its value at rho = 1.
    """
    n, epsilon, k = persons(n), epsilon_of_answer(epsilon), answers(k)
    if k == 0 or epsilon == 0:
        return Estimate(1.0)
    rate = math.log(n - 1) / k
    if rate >= rr_information(epsilon):
        return Estimate(1.0)
    tilted = rr_epsilon_for_information(rate)
    rho = min(1.0, epsilon / tilted - 1) if tilted > 0 else 1.0
    exponent = rr_bhattacharyya(epsilon) - (1 + rho) * rr_bhattacharyya(epsilon / (1 + rho))
    return Estimate(min(1.0, math.exp(rho * math.log(n - 1) - k * exponent)))


def _missing(n: float, information: float, prior_entropy: float | None) -> float:
    """Return H - I, what the attacker still lacks."""
    nats = float(non_negative("information", information))
    if prior_entropy is None:
        return math.log(n) - nats
    if not 0 <= prior_entropy <= math.log(n) * (1 + 1e-12):
        refuse("prior_entropy", f"from 0 to ln n = {math.log(n):.4g} nats", prior_entropy)
    return prior_entropy - nats


def _binary_entropy(p: float) -> float:
    if p <= 0 or p >= 1:
        return 0.0
    return -p * math.log(p) - (1 - p) * math.log1p(-p)
