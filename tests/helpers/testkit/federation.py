"""Small federations: the real sessions on tiny records, with a trainer that is quick."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from collude.analyst.learning import Lesson
from collude.analyst.session import AnalystSession
from collude.common.data import Dataset
from collude.common.ids import participant_name
from collude.common.models import LinearModel
from collude.common.protocol.terms import terms_of
from collude.common.randomness import Entropy
from collude.common.scenario import Scenario, build_scenario
from collude.participant.assemble import recipe_of
from collude.participant.core import Core
from collude.participant.session import ParticipantSession
from collude.participant.silo import Silo
from collude.runtime.federation import Federation, prepare

D = 8
ROWS_EACH = 8
P0, P1, P2 = (participant_name(i) for i in range(3))
NOISES = {"naa-gdp": {"anchor_noise": 0.05}, "aa-gdp-noise": {"private_noise": 0.05},
          "c-gdp-noise": {"private_noise": 0.05}}  # fmt: skip


def nearest_mean(rows, labels, *, seed) -> LinearModel:
    """A trainer: the class whose mean is nearest, as the linear model it is."""
    classes = np.unique(labels)
    means = np.stack([rows[labels == c].mean(axis=0) for c in classes])
    return LinearModel(means.T, -0.5 * (means**2).sum(axis=1), classes)


def dataset(participants: int) -> Dataset:
    """Two classes, four units apart in each column, eight rows for each participant."""
    rng = np.random.default_rng(participants)
    labels = np.arange(ROWS_EACH * participants, dtype=np.int64) % 2
    records = rng.standard_normal((len(labels), D)) + 4.0 * labels[:, None]
    return Dataset("digits", records, labels, credit="made up", synthetic=True)


@cache
def scenario(method="naa-gdp", p=3, seed=1, deadline_s=30.0, estimator="spectral") -> Scenario:
    return build_scenario({
        "scenario": {"name": "small", "seed": seed},
        "data": {"participants": p},
        "mechanism": {"method": method, **NOISES.get(method, {})},
        "alignment": {"estimator": estimator},
        "network": {"deadline_s": deadline_s},
    })


@cache
def federation(method="naa-gdp", p=3, seed=1, deadline_s=30.0) -> Federation:
    return prepare(scenario(method, p, seed, deadline_s), dataset(p))


class Witness(Silo):
    """A silo that remembers the joint seed it was given."""

    seed: bytes | None = None

    def upload(self, seed):
        self.seed = seed
        return super().upload(seed)


def entropy(fed: Federation, name: str, occasion: int = 0) -> Entropy:
    """A party's randomness; another for each occasion, as in a deployment."""
    if not occasion:
        return fed.entropy(name)
    return Entropy(fed.entropy(name).secret("occasion", occasion), simulated=True)


def core(fed: Federation, name: str, occasion: int = 0) -> Core:
    terms = terms_of(fed.scenario, fed.roster)
    return Core(name, terms, fed.signing_key(name), entropy(fed, name, occasion))


def silo(fed: Federation, name: str, occasion: int = 0) -> Witness:
    share = fed.shares[name]
    recipe = replace(recipe_of(fed.scenario, share.width), train=nearest_mean)
    return Witness(share, recipe, entropy(fed, name, occasion))


@dataclass(frozen=True)
class Parties:
    """Every session of one run, and the silos behind them."""

    analyst: AnalystSession
    participants: Mapping[str, ParticipantSession]
    silos: Mapping[str, Witness]

    @property
    def sessions(self):
        return [self.analyst, *self.participants.values()]

    def named(self, name):
        return self.participants.get(name, self.analyst)


def parties(fed: Federation, occasion: int = 0) -> Parties:
    """Fresh sessions for everybody.

    Args:
        fed: who, with which records, keys and scenario.
        occasion: with another number the same parties draw other randomness.
    """
    silos = {name: silo(fed, name, occasion) for name in fed.scenario.participants}
    lesson = Lesson(fed.scenario.alignment.estimator, nearest_mean, seeds=(0,))
    return Parties(
        analyst=AnalystSession(terms_of(fed.scenario, fed.roster), lesson),
        participants={n: ParticipantSession(core(fed, n, occasion), s) for n, s in silos.items()},
        silos=silos,
    )
