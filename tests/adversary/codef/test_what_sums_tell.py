"""What a curious coordinator, and curious silos, work out from sums, leases and letters: measured.

The figures are in docs/threat-model.md. They are lower bounds on what is learned: what follows for
certain from 0 <= used <= leased and from the sums, and nothing that is merely likely.
"""

import re
from dataclasses import dataclass, field
from math import comb

import numpy as np
import pytest
from testkit.command import ROOT

from collude.codef.policy import PolicySettings, Spending, allot, policy_of

PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
PERSONS, SILOS, ATTRIBUTES, EPOCHS = 500, 20, 4, 10
NAMES = tuple(sorted(f"participant-{i}" for i in range(SILOS)))
VICTIM = 7
SEEDS = 3


def success():
    return policy_of(PolicySettings("success", PERSONS, SILOS, ATTRIBUTES, max_success=0.1))


@dataclass
class Curious:
    """A coordinator that keeps to the protocol, and what it knows for certain of one silo's counts.

    Attributes:
        least: (n,) of the victim's count.
        most: (n,).
    """

    least: np.ndarray = field(default_factory=lambda: np.zeros(PERSONS, dtype=np.int64))
    most: np.ndarray = field(default_factory=lambda: np.zeros(PERSONS, dtype=np.int64))

    def sees(self, used_by_all, leased):
        """What all used in an epoch, (n,), is the difference of two sums of the same silos."""
        others = leased.sum(axis=0) - leased[VICTIM]
        self.least += np.maximum(0, used_by_all - others)
        self.most += np.minimum(leased[VICTIM], used_by_all)

    def misses(self, fell_by, leased):
        """The victim is not in this sum: it fell by its count, less what the others used."""
        others = leased.sum(axis=0) - leased[VICTIM]
        self.least = np.maximum(self.least, fell_by)
        self.most = np.minimum(self.most, fell_by + others)

    @property
    def exact(self):
        return self.least == self.most


def played(share, missing_at, seed, *, withheld=False):
    """Return what it knows, and the victim's true counts until it was last in a sum.

    Args:
        share: of the slots that are used, at random.
        missing_at: the epoch in whose sum the victim is not; EPOCHS for never.
        seed: of the usage.
        withheld: in that epoch nobody was leased anything.
    """
    rng, policy = np.random.default_rng([seed, 11]), success()
    spending, knows = Spending(policy, PERSONS), Curious()
    counts, before = np.zeros((SILOS, PERSONS), dtype=np.int64), np.zeros(PERSONS, dtype=np.int64)
    for epoch in range(min(missing_at + 1, EPOCHS)):
        leased = np.zeros_like(counts)
        if not (withheld and epoch == missing_at):
            spent = spending.spent(before, NAMES)
            lots = allot(policy.grant(spent, SILOS, 1), NAMES, 1, bytes([epoch]))
            spending.grant(lots)
            leased = np.array([lots[name].slots for name in NAMES])
        used = np.minimum(rng.random(leased.shape) < share, ATTRIBUTES - counts > 0) * leased
        if epoch == missing_at:
            alive = [at for at in range(SILOS) if at != VICTIM]
            true = counts[VICTIM].copy()
            knows.misses(before - (counts + used)[alive].sum(axis=0), leased)
            return knows, true
        counts += used
        knows.sees(counts.sum(axis=0) - before, leased)
        before = counts.sum(axis=0)
    return knows, counts[VICTIM]


def known(share, missing_at, **more):
    """Of the persons that the victim answered about: the share whose count is known exactly."""
    found = []
    for seed in range(SEEDS):
        knows, true = played(share, missing_at, seed, **more)
        assert (knows.least <= true).all()
        assert (true <= knows.most).all()  # else it reasons wrongly
        found.append(np.mean(knows.exact[true > 0]))
    return float(np.mean(found))


@pytest.mark.parametrize("share", [1.0, 0.5, 0.2, 0.05])
def test_what_leases_and_sums_tell_of_one_silo_is_what_the_page_says(share):
    row = rf"^\| {share:.0%} \| ([\d.]+) \| ([\d.]+) \|$".replace("%", " %")
    said = re.search(row, PAGE, re.MULTILINE)
    assert float(said[1]) == pytest.approx(known(share, EPOCHS), abs=0.006)
    assert float(said[2]) == pytest.approx(known(share, EPOCHS - 1), abs=0.006)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.05])
def test_known_limit_who_withholds_from_all_and_leaves_one_out_sees_all_its_counts(share):
    """To silos it is an epoch in which the budget is used up and somebody is late."""
    assert known(share, 3, withheld=True) == 1.0


# --- letters ---------------------------------------------------------------------------------


def bits(masses):
    held = np.array([mass for mass in masses if mass > 0])
    return float(-(held * np.log2(held)).sum())


def told_by_letters(together, share=0.5):
    """Return bits of A[p] after the first epoch, and of those in the leases of some silos."""
    policy, rng = success(), np.random.default_rng(0)
    first = int(policy.grant(np.zeros(1, dtype=np.int64), SILOS, 1).total[0])
    law = [comb(first, a) * share**a * (1 - share) ** (first - a) for a in range(first + 1)]
    grant = policy.grant(np.arange(first + 1), SILOS, 1)
    found = []
    for _ in range(1000):  # who is first is public, and another for each person
        ranks = (rng.choice(SILOS, together, replace=False) - rng.integers(SILOS)) % SILOS
        seen: dict[tuple, float] = {}
        for mass, total in zip(law, grant.total, strict=True):
            letter = tuple((ranks < total).tolist())
            seen[letter] = seen.get(letter, 0.0) + mass
        found.append(bits(seen.values()))
    return bits(law), float(np.mean(found))


@pytest.mark.parametrize("together", [1, 13])
def test_what_leases_tell_silos_of_the_sum_is_what_the_page_says(together):
    whole, told = told_by_letters(together)
    said = re.search(rf"leases of {together} silos?\s+tell\s+([\d.]+)\s+of\s+its\s+([\d.]+)", PAGE)
    assert float(said[1]) == pytest.approx(told, abs=0.02)
    assert float(said[2]) == pytest.approx(whole, abs=0.006)
