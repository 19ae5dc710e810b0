"""A small federation of anchor uploads."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from collude.common.geometry import (
    RigidTransform,
    centered_orthonormal_anchor,
    random_rigid_transform,
)


@dataclass
class Federation:
    anchor: np.ndarray
    secrets: list[RigidTransform]
    uploads: list[np.ndarray]

    @property
    def rotations(self):
        return [secret.rotation for secret in self.secrets]


def build(r: int, d: int, p: int, *, s: float = 0.0, seed: int = 0) -> Federation:
    """Return p uploads B_i = A O_i + 1 psi_i^T + v W_i with v = s / sqrt(d)."""
    rng = np.random.default_rng(seed)
    A = centered_orthonormal_anchor(r, d, rng)
    secrets = [random_rigid_transform(d, rng) for _ in range(p)]
    v = s / np.sqrt(d)
    uploads = [secret.apply(A) + v * rng.standard_normal((r, d)) for secret in secrets]
    return Federation(A, secrets, uploads)


@pytest.fixture
def federate() -> Callable[..., Federation]:
    return build
