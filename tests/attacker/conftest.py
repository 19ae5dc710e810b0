"""A small federation as a coalition sees it, and the truth beside it for scoring."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from collude.attacker.view import CollusionView, Disclosure, Parameters, UploadView
from collude.common.geometry import (
    RigidTransform,
    centered_orthonormal_anchor,
    random_rigid_transform,
)
from collude.common.methods import METHODS
from collude.participant.mechanisms import mechanism

COLLUDER, TARGET = "participant-0", "participant-1"


@dataclass
class Case:
    """A view, and what only the scoring may see."""

    view: CollusionView
    records: np.ndarray
    secret: RigidTransform
    anchor: np.ndarray

    def without(self, *fields):
        """Return the view with fields of the colluder's disclosure left out."""
        disclosure = replace(self.view.disclosures[COLLUDER], **dict.fromkeys(fields))
        return replace(self.view, disclosures={COLLUDER: disclosure})


@dataclass
class Recipe:
    """What `build` can vary. The mean record is `mean` in every column."""

    d: int = 8
    r: int = 9
    p: int = 3
    n: int = 40
    s: float = 0.0
    sigma: float = 0.0
    mean: float = 2.0
    seed: int = 41


def build(method: str, **changes: float) -> Case:
    """Return p uploads under `method`; participant-0 discloses all it has."""
    recipe = Recipe(**changes)
    rng, d, traits = np.random.default_rng(recipe.seed), recipe.d, METHODS[method]
    v = recipe.s / np.sqrt(d)
    made = mechanism(method, anchor_noise=v, private_noise=recipe.sigma)
    A = centered_orthonormal_anchor(recipe.r, d, rng) if traits.anchor else None
    common = random_rigid_transform(d, rng)
    names = [f"participant-{i}" for i in range(recipe.p)]
    X = {name: recipe.mean + rng.standard_normal((recipe.n, d)) for name in names}
    secrets = {
        name: common if traits.common_secret else random_rigid_transform(d, rng) for name in names
    }
    uploads = {}
    for name in names:
        upload = made.upload(X[name], secrets[name], A, rng)
        uploads[name] = UploadView(*upload, np.zeros(recipe.n, dtype=np.int64))
    view = CollusionView(
        uploads=uploads,
        disclosures={COLLUDER: Disclosure(X[COLLUDER], secrets[COLLUDER], A)},
        parameters=Parameters(method, d, None if A is None else recipe.r, v, recipe.sigma),
    )
    return Case(view, X[TARGET], secrets[TARGET], A)


@pytest.fixture
def collusion():
    return build


@pytest.fixture
def target():
    return TARGET


@pytest.fixture
def rng():
    """A generator that deterministic attacks must not touch."""
    return np.random.default_rng(0)
