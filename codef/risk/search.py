"""The last whole number at which a growing function is still small enough."""

from collections.abc import Callable


def last_at_most(risk: Callable[[int], float], limit: float, guess: float, ceiling: int) -> int:
    """Return the largest k in [0, ceiling] with risk(k) <= limit.

    Args:
        risk: never falls, and is at most `limit` at 0.
        limit: what may not be exceeded.
        guess: where to begin, above 0; within a factor of a few it saves time.
        ceiling: largest answer.
    """
    low, high, at_low, at_high = _bracket(risk, limit, min(max(1, int(guess)), ceiling), ceiling)
    by_halves = False
    while high - low > 1:
        middle = (low + high) // 2
        if not by_halves and at_high > at_low:
            share = (limit - at_low) / (at_high - at_low)
            middle = min(max(low + int(share * (high - low)), low + 1), high - 1)
        found = risk(middle)
        shrunk = high - low
        if found <= limit:
            low, at_low = middle, found
        else:
            high, at_high = middle, found
        by_halves = not by_halves and high - low > shrunk // 2
    return low


def _bracket(
    risk: Callable[[int], float], limit: float, start: int, ceiling: int
) -> tuple[int, int, float, float]:
    """Return low and high, at most a factor 2 apart, on either side of the answer."""
    low, high, at_low, at_high = 0, start, risk(0), risk(start)
    if at_high > limit:
        while high > 1 and low == 0:
            middle = high // 2
            found = risk(middle)
            if found <= limit:
                low, at_low = middle, found
            else:
                high, at_high = middle, found
        return low, high, at_low, at_high
    while at_high <= limit:
        low, at_low = high, at_high
        if high >= ceiling:
            return ceiling, ceiling + 1, at_low, 1.0
        high = min(2 * high, ceiling)
        at_high = risk(high)
    return low, high, at_low, at_high
