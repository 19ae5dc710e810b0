"""Made-up people: pictures of 6 x 5 pixels, a face for each person and variations of it."""

from dataclasses import dataclass

import numpy as np
import pytest

from collude.attacker.auditor import PublicPeople
from collude.common.data.feature_map import svd_map

HEIGHT, WIDTH = 6, 5


@dataclass(frozen=True)
class Population:
    """Faces: a common mean, a centre for each person, variations in few directions."""

    seed: int = 3
    likeness: float = 0.25
    """Size of the variations of one person; people differ by 1."""

    def pictures(self, people, each, first=0):
        """Return (people * each, 30) pictures in [0, 1] or a little outside, and who they are."""
        common = np.random.default_rng(self.seed)
        mean, spread = 0.5, 0.1 * common.standard_normal((8, HEIGHT * WIDTH))
        rows, ids = [], []
        for person in range(first, first + people):
            rng = np.random.default_rng([self.seed, person])
            centre = rng.standard_normal(8)
            variations = centre + self.likeness * rng.standard_normal((each, 8))
            rows.append(mean + variations @ spread)
            ids += [person] * each
        return np.concatenate(rows), np.array(ids)

    def public(self, people=12, each=8, width=8, protected=(100, 101)):
        """Return public people behind a feature map of this width, None for raw pictures."""
        pictures, ids = self.pictures(people, each)
        features = None if width is None else svd_map(pictures, width)
        records = pictures if features is None else features.encode(pictures)
        return PublicPeople(records, ids, features, (HEIGHT, WIDTH), np.array(protected))


@pytest.fixture
def population():
    return Population
