"""`[codef]` and `[faults]`: budgets for answers about persons, and what goes wrong on purpose."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, StrictInt, StrictStr

from collude.common.scenario.sections import Section

RELEASE_SOURCES = ("persons", "xor-persons")
"""Data sources that are a population to ask about, not records to share."""

FEWEST_SILOS = 3
"""A sum over two tells each the other's."""

Epsilon = Annotated[float, Field(gt=0, le=50, allow_inf_nan=False)]
Epsilons = Annotated[tuple[Epsilon, ...], Field(strict=False, min_length=1)]
PolicyName = Annotated[StrictStr, Field(min_length=1)]
Policies = Annotated[tuple[PolicyName, ...], Field(strict=False, min_length=1, max_length=16)]
NoisePair = Annotated[tuple[Epsilon, Annotated[float, Field(gt=0, allow_inf_nan=False)]],
                      Field(strict=False)]  # fmt: skip
NoiseTable = Annotated[tuple[NoisePair, ...], Field(strict=False)]


class Codef(Section):
    """`[codef]`: what may be answered about each person, by all silos together.

    Attributes:
        enabled: without it nothing is counted and no budget holds.
        policy: `paper`, `information`, `success` or a registered one, of the only period.
        policies: of several successive periods, each with persons and budgets of its own; None
            stands for `policy` alone.
        gamma: share of ln n that may be learned about a person; `paper` and `information`.
        max_success: largest success of naming a person; `success`.
        epsilon: of an answer; the first level of `paper`, the only one of `success`.
        epsilon_after: level of `paper` after the switch.
        epsilon_grid: descending levels of `information`.
        threshold: silos that unmask together; None is floor(2K/3) + 1, which withstands a bad
            coordinator with K/3 silos on its side.
        persons: n.
        silos: K; stands for `data.participants` where that is not given, else equals it.
        attributes: m binary ones that each silo holds of each person.
        epochs: leases, hence counts, in one period.
        slots_per_lease: answers that one silo may give about one person in one epoch.
        mechanism: how an answer is made noisy: randomised response or a discrete Gaussian.
        delta: of the Gaussian; unused by randomised response.
        unit: nats in one count of `information`.
        min_silos: fewest in a sum.
        clip: C, the norm to which rows are clipped where CoDef sets the noise of an upload.
        noise_table: (level, v) for methods whose noise bounds no information: a heuristic.
        allow_unbounded: let such a method run under a policy that promises a bound.
        pedersen: check each sum against Pedersen commitments (extra `pedersen`).
        coverage: share of the persons that each silo knows.
        strategy: how the querier asks.
    """

    enabled: bool = False
    policy: PolicyName = "success"
    policies: Policies | None = None
    gamma: float = Field(default=0.5, gt=0, le=1)
    max_success: float = Field(default=0.1, gt=0, lt=1)
    epsilon: Epsilon = 1.0
    epsilon_after: Epsilon = 0.5
    epsilon_grid: Epsilons = (1.0, 0.5, 0.25, 0.125)
    threshold: StrictInt | None = Field(default=None, ge=2, le=1000)
    persons: StrictInt = Field(default=500, ge=2, le=1_000_000)
    silos: StrictInt | None = Field(default=None, ge=2, le=1000)
    attributes: StrictInt = Field(default=3, ge=1, le=64)
    epochs: StrictInt = Field(default=10, ge=1, le=1000)
    slots_per_lease: StrictInt = Field(default=1, ge=1, le=1000)
    mechanism: Literal["rr", "gaussian"] = "rr"
    delta: float = Field(default=1e-5, gt=0, lt=1)
    unit: float = Field(default=1e-5, gt=0, le=1)
    min_silos: StrictInt = Field(default=FEWEST_SILOS, ge=FEWEST_SILOS, le=1000)
    clip: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    noise_table: NoiseTable = ()
    allow_unbounded: bool = False
    pedersen: bool = False
    coverage: float = Field(default=1.0, gt=0, le=1)
    strategy: Annotated[StrictStr, Field(min_length=1)] = "everybody"

    @property
    def periods(self) -> tuple[str, ...]:
        """Return the policy of each successive period."""
        return self.policies or (self.policy,)

    def threshold_of(self, silos: int) -> int:
        """Return SecAgg's t for K silos: the one given, else floor(2K/3) + 1."""
        return self.threshold or 2 * silos // 3 + 1


class Faults(Section):
    """`[faults]`: what goes wrong on purpose; in a simulation only, and part of the digest.

    Attributes:
        crash: party -> the round in which it falls silent for ever; `codef_unmask:3` is the third
            time that it comes there, counted over all epochs and periods.
        deviator: party -> the registered deviation that it runs.
    """

    crash: Mapping[StrictStr, StrictStr] = Field(default_factory=dict)
    deviator: Mapping[StrictStr, StrictStr] = Field(default_factory=dict)
