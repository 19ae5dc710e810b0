"""The best attacker of a small game, found by trying everything it can do.

It chooses, answer by answer, whom to compare with whom (any attributes) and at which epsilon, as
far as a rule about what was used so far allows it. Scores are what matters of the past: a person
whose attribute an answer contradicts falls back by that answer's epsilon.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache

Used = tuple[int, ...]


def best_success(n: int, grid: Sequence[float], allowed: Callable[[Used], bool]) -> float:
    """Return the success probability of the best adaptive attacker, exactly.

    Args:
        n: persons, few.
        grid: epsilons, each a whole multiple of the smallest.
        allowed: whether so many answers at each epsilon of the grid may have been given.
    """
    unit = min(grid)
    steps = [round(epsilon / unit) for epsilon in grid]
    # By symmetry only the number of ones on each score matters, and one half of all splits.
    splits = [bits for bits in itertools.product((0, 1), repeat=n) if bits[0] == 0 and any(bits)]

    def after(scores: Used, bits: Used, answer: int, step: int) -> Used:
        pairs = zip(scores, bits, strict=True)
        return tuple(sorted(score + step * (bit != answer) for score, bit in pairs))

    @cache
    def worth(scores: Used, used: Used) -> float:
        """Return the sum over persons of P(answers so far to come | person) times being named."""
        best = max(math.exp(-unit * score) for score in scores)
        for index, step in enumerate(steps):
            more = (*used[:index], used[index] + 1, *used[index + 1 :])
            if allowed(more):
                best = max(best, *(asked(scores, bits, step, more) for bits in splits))
        return best

    def asked(scores: Used, bits: Used, step: int, used: Used) -> float:
        kept = 1 / (1 + math.exp(-step * unit))
        total = 0.0
        for answer in (0, 1):
            then = after(scores, bits, answer, step)
            lowest = then[0]
            moved = tuple(score - lowest for score in then)
            total += kept * math.exp(-unit * lowest) * worth(moved, used)
        return total

    return worth((0,) * n, (0,) * len(grid)) / n
