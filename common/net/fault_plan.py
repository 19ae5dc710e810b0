"""What goes wrong on a simulated link, and how often."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Probabilities and times of faults; the default is a link without any.

    Attributes:
        loss: probability in [0, 1] that one transmission is lost.
        duplicate: probability in [0, 1] that one transmission arrives twice.
        reorder: probability in [0, 1] that one transmission is held back by up to
            `REORDER_FACTOR` times the longest delay, so that later ones overtake it.
        delay: shortest and longest delay of a transmission in simulated seconds, uniform
            between them, 0 < shortest <= longest.
        crash: party -> simulated second from which it is silent.
    """

    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    delay: tuple[float, float] = (0.001, 0.001)
    crash: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: a probability or a delay is out of range.
        """
        for name in ("loss", "duplicate", "reorder"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} must be a probability, not {getattr(self, name)}")
        shortest, longest = self.delay
        if not 0.0 < shortest <= longest < float("inf"):
            raise ValueError(f"delay must be 0 < shortest <= longest, not {self.delay}")


REORDER_FACTOR = 5.0
"""A reordered transmission takes up to this many longest delays more."""
