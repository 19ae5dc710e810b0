"""Round 2, participant's side: from the lease that CoDef granted to the noise of the upload.

The round has no message: the lease is the last one of the budget period that ran before. For a
method with noise on the records, rows are clipped to norm C and

    sigma = C sqrt(m / (2 remaining))

with m the most rows of one person here and `remaining` the lease, in nats, of the person whose
lease is smallest: whoever knows all else learns at most m C^2/(2 sigma^2) = remaining nats about
any one person's rows here, so nobody's lease is exceeded. A noise on the anchor leaves the
records noise-free and bounds nothing: the level is looked up in the scenario's table, a heuristic.

Source: the architecture page, r2; `gaussian_vector_information`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from collude.codef.leakage import gaussian_vector_information
from collude.codef.period.leases import Lease
from collude.codef.period.planned import settings_of
from collude.codef.policy import UploadRule, policy_of, upload_rule
from collude.common.errors import ReleaseRefused, ScenarioInvalid
from collude.common.geometry.arrays import FloatArray
from collude.common.scenario import Scenario

ROUNDING = 1e-9
"""Relative; sigma is so much larger than the formula says, which covers rows whose norm passes C
by rounding, before and after they are turned."""

GRID = 2.0**-20
"""Values go out as multiples of a power of 2 near sigma times this: the low bits of a sum of floats
would tell more than the sum."""

HEURISTIC = (
    "Heuristic, no guarantee: the records go out without noise, so no noise on the anchor bounds "
    "what they tell."
)


@dataclass(frozen=True, slots=True)
class CountRule:
    """How leases become noise; public, the same for all participants.

    Attributes:
        noise: `private_noise` or `anchor_noise`, which of them is set.
        levels: epsilons of the policy.
        upload: what a lease is worth, and what is promised.
        clip: C.
        table: level -> v, where the noise is the anchor's.
        persons: how many there are.
    """

    noise: str
    levels: tuple[float, ...]
    upload: UploadRule
    clip: float
    table: Mapping[float, float]
    persons: int

    @property
    def bounded(self) -> bool:
        """Whether the noise bounds what an upload tells."""
        return self.noise == "private_noise"

    @property
    def guarantee(self) -> str:
        """What the policy promises under this noise, in one sentence."""
        return self.upload.guarantee if self.bounded else HEURISTIC


@dataclass(frozen=True, slots=True)
class Counted:
    """The noise of one upload, and why it is that.

    Attributes:
        level: epsilon of the lease of the most exposed person.
        nats: of that lease.
        rows_per_person: m.
        private_noise: sigma, entrywise standard deviation; None where the anchor's noise is set.
        anchor_noise: v, entrywise standard deviation; None where the records' noise is set.
        clip: C, or None where rows are not clipped.
        bound: nats that the upload tells about one person at most; None: not bounded.
    """

    level: float
    nats: float
    rows_per_person: int
    private_noise: float | None
    anchor_noise: float | None
    clip: float | None
    bound: float | None

    def facts(self) -> dict[str, Any]:
        """Return it for `results.json`: levels and noise, no count of answers."""
        return {
            "level": self.level,
            "sigma": self.private_noise,
            "anchor_noise": self.anchor_noise,
            "clip": self.clip,
            "rows_per_person": self.rows_per_person,
            "nats": self.nats,
            "bound": self.bound,
        }


def rule_of(scenario: Scenario) -> CountRule | None:
    """Return how the leases of a scenario become noise; None where CoDef sets none.

    Raises:
        ParameterInvalid: a number is out of range.
        ScenarioInvalid: the method has no noise.
    """
    if not scenario.codef.enabled:
        return None
    (settings,) = settings_of(scenario)
    policy, noise = policy_of(settings), scenario.mechanism.traits.counted_noise
    if noise is None:
        raise ScenarioInvalid(
            "the method has no noise that CoDef could set",
            field="mechanism.method",
            got=scenario.mechanism.method,
        )
    return CountRule(
        noise=noise,
        levels=policy.levels,
        upload=upload_rule(policy, settings),
        clip=scenario.codef.clip,
        table=dict(scenario.codef.noise_table),
        persons=settings.persons,
    )


def count(
    rule: CountRule, lease: Lease | None, persons: NDArray[np.int64], width: int, party: str
) -> Counted:
    """Return the noise that a lease leaves a participant.

    Args:
        rule: of the scenario.
        lease: (n,) levels and slots, or None: there was none.
        persons: (rows,) the person behind each row of the upload, 0 to n - 1.
        width: d, columns of a row.
        party: whose upload it is.

    Raises:
        ReleaseRefused: the lease of a person here is withheld: nothing may be uploaded.
        ScenarioInvalid: the table has no noise for a level.
    """
    if lease is None:
        _withhold(party)
    here, rows = np.unique(persons, return_counts=True)
    levels, slots = (array[here] for array in lease)
    nats = [rule.upload.of_lease(int(a), int(b)) for a, b in zip(levels, slots, strict=True)]
    least = int(np.argmin(nats))
    if nats[least] <= 0.0:
        _withhold(party)
    level, most = rule.levels[int(levels[least])], int(rows.max())
    if not rule.bounded:
        noise = max(_tabled(rule, rule.levels[int(at)]) for at in np.unique(levels))
        return Counted(level, nats[least], most, None, noise, None, None)
    sigma = rule.clip * math.sqrt(most / (2 * nats[least])) * (1 + ROUNDING)
    bound = _bound(rule, sigma, width, most)
    if not bound <= nats[least]:
        raise ReleaseRefused(
            "the noise does not keep the lease", party=party, field="lease",
            expected=f"at most {nats[least]:g} nats", got=bound,
        )  # fmt: skip
    return Counted(level, nats[least], most, sigma, None, rule.clip, bound)


def _bound(rule: CountRule, sigma: float, width: int, rows: int) -> float:
    """Return the nats that an upload tells about one person at most: the finite-d bound."""
    if not 0 < sigma < math.inf:
        return math.inf
    return gaussian_vector_information(rule.clip, sigma, dimension=width, rows=rows)


def _tabled(rule: CountRule, level: float) -> float:
    if level not in rule.table:
        raise ScenarioInvalid(
            "a level has no anchor noise",
            field="codef.noise_table",
            expected=f"a pair [{level:g}, v]",
            got=", ".join(f"{known:g}" for known in rule.table) or "none",
        )
    return rule.table[level]


def _withhold(party: str) -> NoReturn:
    raise ReleaseRefused(
        "the lease of a person whose records it holds is withheld, so it uploads nothing",
        party=party,
        field="lease",
        expected="a lease for every person of its rows",
        got="withheld",
        hint="Raise codef.gamma or codef.max_success, add a smaller level, or have fewer silos",
    )


def clipped(rows: FloatArray, norm: float | None) -> FloatArray:
    """Return the rows, those longer than `norm` shortened to it; as they are where it is None."""
    if norm is None:
        return rows
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        shortened: FloatArray = rows * np.where(lengths > norm, norm / lengths, 1.0)
    return shortened


def on_grid(rows: FloatArray, sigma: float) -> FloatArray:
    """Return noisy rows rounded to the grid that belongs to their noise."""
    step = 2.0 ** math.floor(math.log2(sigma)) * GRID
    rounded: FloatArray = np.rint(rows / step) * step
    return rounded
