"""The `codef` part of `results.json`, checked: of answers about persons, or of counted uploads."""

from collections.abc import Mapping

from pydantic import Field

from collude.runtime.report.stored_model import Stored

WITHHELD = "withheld"


class Lease(Stored):
    """What one lease allowed: how many persons stood at each level, and which silos counted.

    `counted` and `missing` are of the count behind the lease.
    """

    epoch: int
    persons_by_level: Mapping[str, int]
    counted: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class LedgerFacts(Stored):
    """The end of a period's ledger."""

    entries: int
    head: str


class Spread(Stored):
    """The smallest, the mean and the largest over persons."""

    least: float
    mean: float
    most: float


class Answers(Stored):
    """What the querier asked and heard; `by_level` in the order of the policy's levels."""

    asked: int
    answered: int
    by_level: tuple[int, ...]
    per_target: Spread
    unproved: int = 0


class Scored(Stored):
    """How often the right person was named, after so many answers about each, and the theory."""

    success: float
    interval: tuple[float, float]
    answers_per_target: int
    targets: int
    exact: float | None = None
    guaranteed: float | None = None


class ReleaseScore(Scored):
    """What an attack arrived at with all that was answered."""

    name: str


class Overshoot(Stored):
    """What was really released about persons, beside the limit: only a simulation's to tell."""

    unit: str
    limit: float | None = None
    spent: Spread
    persons_over: int | None = None
    share_used: float | None = None


class Period(Stored):
    """One period: a policy, its leases, and what came of them. None where it does not apply."""

    policy: str
    guarantee: str
    levels: tuple[float, ...]
    leased: bool = True
    silos: tuple[str, ...] = ()
    ledger: LedgerFacts
    epochs: tuple[Lease, ...] = ()
    safe_slots: int | None = None
    max_success: float | None = None
    budget: float | None = None
    thresholds: tuple[int, ...] | None = None
    risk: float | None = None
    safe_at_risk: int | None = None
    answers: Answers | None = None
    attacks: tuple[ReleaseScore, ...] = ()
    impossible: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    curve: tuple[Scored, ...] = ()
    overshoot: Overshoot | None = None

    @property
    def strongest(self) -> ReleaseScore | None:
        """Return the attack that names the most, None if none was scored."""
        return max(self.attacks, key=lambda score: score.success, default=None)


class PersonReleases(Stored):
    """A run in which silos answer about persons."""

    persons: int
    threshold: int | None = None
    source: str = "persons"
    policies: tuple[Period, ...]
    left: Mapping[str, str] = Field(default_factory=dict)

    @property
    def pairs(self) -> bool:
        """Return whether only pairs of answers tell anything."""
        return self.source.startswith("xor")


class CountedUpload(Stored):
    """The noise that CoDef set for one upload."""

    party: str
    level: float
    sigma: float | None = None
    anchor_noise: float | None = None
    clip: float | None = None
    rows_per_person: int
    nats: float
    bound: float | None = None


class CountedPeriod(Stored):
    """The period before the uploads."""

    ledger: LedgerFacts


class CountedUploads(Stored):
    """A run that shares records under noise that CoDef set."""

    policy: str
    persons: int
    guarantee: str
    heuristic: bool
    nats_in_all: float | None = None
    guaranteed_success: float | None = None
    uploads: tuple[CountedUpload, ...]
    periods: tuple[CountedPeriod, ...] = ()
    left: Mapping[str, str] = Field(default_factory=dict)
