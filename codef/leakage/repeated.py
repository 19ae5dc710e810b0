"""What one silo leaks that answers about the same bit again and again, with fresh noise."""

import numpy as np

from collude.codef.numeric.binomial import reach, window
from collude.codef.numeric.checks import answers, epsilon_of_answer
from collude.codef.numeric.entropy import log_cosh


def rr_repeated_information(epsilon: float, count: float) -> float:
    """Return the nats that `count` answers about the same bit leak: below count * I_1 and ln 2.

    Budgets charge I_1 for each, which is safe and wasteful: a silo that keeps its first noisy
    answer and repeats it leaks I_1 once.

    Args:
        epsilon: of each answer, 0 to 700.
        count: answers, 0 or more.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    epsilon, count = epsilon_of_answer(epsilon), answers(count)
    if epsilon == 0 or count == 0:
        return 0.0
    t = epsilon / 2
    q = float(np.exp(-epsilon) / (1 + np.exp(-epsilon)))
    flips = window(*reach(count, q))
    half_odds, mass = (count - 2 * flips.middles) * t, flips.masses(count, q, 1 - q)
    if epsilon >= 1:
        missing = float((mass * np.logaddexp(0, -2 * half_odds)).sum())
        return float(np.log(2)) - missing
    # ln 2 - ln(1 + e^-2x) = x - ln cosh x for half the log-odds x, whose mean is known
    return count * t * float(np.tanh(t)) - float((mass * log_cosh(half_odds)).sum())
