"""What a policy is given and what it returns."""

from dataclasses import dataclass
from typing import Protocol

from collude.codef.numeric.checks import answers, epsilon_of_answer, non_negative, refuse


@dataclass(frozen=True)
class PersonState:
    """What was answered about a person in this budget period, and what is asked for next.

    Attributes:
        spent: (epsilon, count) of every answer given, also of leases that may have been used.
        lease_slots: answers that the next lease would allow, 1 or more.
        spent_nats: information spent if it was summed elsewhere (rounded up), else None.
    """

    spent: tuple[tuple[float, int], ...]
    lease_slots: int
    spent_nats: float | None = None

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            ParameterInvalid: a value is out of range.
        """
        for epsilon, count in self.spent:
            epsilon_of_answer(epsilon)
            answers(count)
        if self.lease_slots != answers(self.lease_slots) or self.lease_slots < 1:
            refuse("lease_slots", "a whole number, 1 or more", self.lease_slots)
        if self.spent_nats is not None:
            non_negative("spent_nats", self.spent_nats)

    @property
    def count(self) -> int:
        """Answers given so far."""
        return sum(count for _, count in self.spent)


@dataclass(frozen=True)
class Decision:
    """The epsilon at which the next lease may answer, or None: withhold.

    Attributes:
        epsilon: for every answer of the lease, or None.
        reason: why, in words; says nothing that the public history does not.
    """

    epsilon: float | None
    reason: str


class Policy(Protocol):
    """Decides from a person's state alone: no clock, no randomness, no memory."""

    def decide(self, state: PersonState) -> Decision:
        """Return what the next lease may do."""
        ...
