"""The exact error when the answers have different epsilons."""

from collude.codef.numeric.checks import persons
from collude.codef.numeric.scores import Schedule, merged, summed, unit_of
from collude.codef.risk.exact import exact_error
from collude.codef.risk.game import error_of_best
from collude.codef.risk.values import Estimate


def exact_error_mixed(n: float, schedule: Schedule) -> Estimate:
    """Return P_e for answers at several epsilons, the same game as `exact_error`.

    Args:
        n: persons, 2 or more; a float, to 1e64.
        schedule: (epsilon, count) pairs.

    Returns:
        The error probability; exact where the epsilons share a unit that keeps the table of
        scores under 2^19 levels, else with scores rounded to the nearest of so many.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    n, counts = persons(n), merged(schedule)
    if len(counts) <= 1:
        return exact_error(n, *next(iter(counts.items()), (0.0, 0)))
    total = summed(counts, unit_of(counts), laws=2, down=False)
    return Estimate(error_of_best(n, total.mass[0], total.mass[1]))
