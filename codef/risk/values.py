"""A number that is promised and a number that is expected are two types.

Both are floats: they print, compare and serialise as numbers. Only a `Guarantee` holds whatever
the attributes are and however the attacker chooses; it carries the condition it holds under.
Arithmetic gives plain floats, so nothing computed from a promise passes for one.
"""

from typing import Self


class Estimate(float):
    """What one attacker achieves in one game, computed exactly or nearly: not a promise."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Say that it is an estimate."""
        return f"Estimate({float(self):.6g})"


class Guarantee(float):
    """A bound for every attacker, under a condition.

    Attributes:
        condition: what must be true for the bound to hold, in words.
    """

    condition: str

    def __new__(cls, value: float, condition: str = "") -> Self:
        """Keep the condition beside the number."""
        made = super().__new__(cls, value)
        made.condition = condition
        return made

    def __repr__(self) -> str:
        """Say what it depends on: the number alone would be read as unconditional."""
        return f"Guarantee({float(self):.6g}, if {self.condition})"
