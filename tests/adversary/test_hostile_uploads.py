"""Hostile anchor uploads among honest ones: what they do without the screen, and with it.

d = 60, ten participants, r = 4 d and r = d + 1, s = .3 and .8. Every figure is the pair error of
the honest participants. Recorded in docs/adr/0006-the-screen.md.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pytest

from collude.common.geometry import (
    centered_orthonormal_anchor,
    haar_orthogonal,
    pair_error,
    random_rigid_transform,
)
from collude.common.geometry.alignment import align_spectral, screen_anchors

D, P = 60, 10
MANY, FEW = 4 * D, D + 1
SEEDS = range(2)


@dataclass(frozen=True, eq=False)
class Draw:
    """What a coalition of hostile participants can use: everything."""

    A: np.ndarray
    secrets: list
    honest: list
    v: float
    rng: np.random.Generator

    @property
    def noise(self):
        return self.v * self.rng.standard_normal(self.A.shape)


def _draw(r, s, seed):
    rng = np.random.default_rng([r, int(10 * s), seed])
    A = centered_orthonormal_anchor(r, D, rng)
    secrets = [random_rigid_transform(D, rng) for _ in range(P)]
    v = s / np.sqrt(D)
    honest = [secret.apply(A) + v * rng.standard_normal((r, D)) for secret in secrets]
    return Draw(A, secrets, honest, v, rng)


def _matched(B, like):
    """Return B centred, with the norm of an honest upload."""
    centred = B - B.mean(axis=0)
    return centred * (np.linalg.norm(like - like.mean(axis=0)) / np.linalg.norm(centred))


def _garbage(draw, k):
    return [_matched(draw.rng.standard_normal(draw.A.shape), draw.honest[0]) for _ in range(k)]


def _rank_one(draw, k):
    """One common direction, and so little of the others that the rank is full."""
    (r, d), normal = draw.A.shape, draw.rng.standard_normal
    line = normal(r)
    return [
        _matched(np.outer(line, normal(d)) + 1e-6 * normal((r, d)), draw.honest[0])
        for _ in range(k)
    ]


def _other_anchor(draw, k):
    other = centered_orthonormal_anchor(*draw.A.shape, draw.rng)
    return [secret.apply(other) + draw.noise for secret in draw.secrets[-k:]]


def _a_perp(draw, k):
    """A common anchor orthogonal to A, without noise, of an honest norm."""
    G = draw.rng.standard_normal(draw.A.shape)
    G -= G.mean(axis=0)
    other, _ = np.linalg.qr(G - draw.A @ (draw.A.T @ G))
    return [_matched(other @ secret.rotation, draw.honest[0]) for secret in draw.secrets[-k:]]


HOSTILE = {
    "x1000": lambda draw, k: [1000.0 * B for B in draw.honest[-k:]],
    "x1000 garbage": lambda draw, k: [1000.0 * B for B in _garbage(draw, k)],
    "norm-matched garbage": _garbage,
    "permuted rows": lambda draw, k: [B[draw.rng.permutation(len(B))] for B in draw.honest[-k:]],
    "other anchor": _other_anchor,
    "rank one": _rank_one,
    "A-perp": _a_perp,
    "exact copies": lambda draw, k: [draw.honest[0].copy() for _ in range(k)],
    "rotated copies": lambda draw, k: [
        draw.honest[0] @ haar_orthogonal(D, draw.rng) for _ in range(k)
    ],
    "A P O": lambda draw, k: [
        draw.A @ haar_orthogonal(D, draw.rng) @ secret.rotation + draw.noise
        for secret in draw.secrets[-k:]
    ],
}


class Case:
    """Hostile uploads behind honest ones, and the pair error of those, each when asked for."""

    def __init__(self, kind, k, r, s, seed):
        self.place, self.k = (r, s, seed), k
        self.draw = _draw(r, s, seed)
        self.uploads = [*self.draw.honest[:-k], *HOSTILE[kind](self.draw, k)]
        self.screening = screen_anchors(self.uploads)

    @property
    def honest_only(self):
        return _honest_only(*self.place, P - self.k)

    @cached_property
    def plain(self):
        return self._error(range(P))

    @cached_property
    def screened(self):
        kept = self.screening.kept
        return self.honest_only if kept == tuple(range(P - self.k)) else self._error(kept)

    @cached_property
    def rotations(self):
        return list(align_spectral(self.uploads).rotations)

    def _error(self, kept):
        found = align_spectral([self.uploads[i] for i in kept]).rotations
        honest = [
            (self.draw.secrets[i].rotation, found[n]) for n, i in enumerate(kept) if i < P - self.k
        ]
        return pair_error(*zip(*honest, strict=True))


@cache
def _honest_only(r, s, seed, p):
    draw = _draw(r, s, seed)
    found = align_spectral(draw.honest[:p]).rotations
    return pair_error([secret.rotation for secret in draw.secrets[:p]], list(found))


@cache
def _case(kind, k, r, s, seed):
    return Case(kind, k, r, s, seed)


def _means(kind, k, r, s):
    cases = [_case(kind, k, r, s, seed) for seed in SEEDS]
    return tuple(
        np.mean([getattr(case, name) for case in cases])
        for name in ("honest_only", "plain", "screened")
    )


HOLDS = [
    *((kind, k, s) for kind in HOSTILE if kind not in {"A-perp", "rotated copies", "A P O"}
      for k in (1, 4) for s in (0.3, 0.8) if (kind, k, s) != ("other anchor", 4, 0.8)),
    ("A-perp", 4, 0.3), ("A-perp", 4, 0.8),
]  # fmt: skip
EVERY = [(kind, k, s) for kind in HOSTILE for k in (1, 4) for s in (0.3, 0.8)]


@pytest.mark.parametrize(("kind", "k", "s"), HOLDS)
def test_with_many_rows_all_hostile_uploads_go_and_the_honest_ones_lose_nothing(kind, k, s):
    for case in (_case(kind, k, MANY, s, seed) for seed in SEEDS):
        assert case.screening.kept == tuple(range(P - k))
        assert case.screened <= 1.02 * case.honest_only


@pytest.mark.parametrize(("kind", "k", "s"), EVERY)
def test_no_hostile_upload_gets_an_honest_one_dropped(kind, k, s):
    for case in (_case(kind, k, MANY, s, seed) for seed in SEEDS):
        assert set(range(P - k)) <= set(case.screening.kept)


@pytest.mark.parametrize(("kind", "k", "s"), [each for each in EVERY if each[0] != "A-perp"])
def test_at_r_equal_to_d_plus_1_nobody_honest_loses_either_way(kind, k, s):
    """Every anchor spans 1^perp there: another one is only another orthogonal map."""
    honest_only, _, screened = _means(kind, k, FEW, s)
    assert screened <= 1.02 * honest_only
    for case in (_case(kind, k, FEW, s, seed) for seed in SEEDS):
        assert set(range(P - k)) <= set(case.screening.kept)


@pytest.mark.parametrize(
    ("kind", "k", "s", "documented"),
    [
        ("x1000 garbage", 1, 0.3, 0.776),
        ("x1000 garbage", 1, 0.8, 1.585),
        ("norm-matched garbage", 2, 0.3, 0.092),
        ("norm-matched garbage", 2, 0.8, 0.904),
        ("rank one", 2, 0.3, 0.0935),
        ("rank one", 2, 0.8, 0.878),
        ("A-perp", 4, 0.3, 0.208),
        ("A-perp", 4, 0.8, 1.60),
        ("exact copies", 4, 0.3, 0.096),
        ("exact copies", 4, 0.8, 1.056),
        ("rotated copies", 4, 0.3, 0.096),
        ("rotated copies", 4, 0.8, 1.056),
    ],
)
def test_without_the_screen_they_do_the_documented_harm(kind, k, s, documented):
    _, plain, _ = _means(kind, k, MANY, s)
    spread = 0.15 if (kind, s) == ("A-perp", 0.3) else 0.06  # .18 to .22 over draws
    assert plain == pytest.approx(documented, rel=spread)


@pytest.mark.parametrize(
    ("k", "s", "documented"), [(2, 0.3, 0.0915), (2, 0.8, 0.866), (4, 0.8, 0.963)]
)
def test_the_honest_ones_alone_reach_the_documented_error(k, s, documented):
    honest_only, _, _ = _means("x1000", k, MANY, s)
    assert honest_only == pytest.approx(documented, rel=0.04)


def test_exception_four_of_ten_that_share_another_anchor_are_sometimes_kept_at_s_08():
    """Documented: .993 against .963. Most of the harm is undone, and never more done."""
    cases = [_case("other anchor", 4, MANY, 0.8, seed) for seed in range(6)]
    kept = [len(case.screening.kept) for case in cases]
    assert 6 in kept
    assert max(kept) > 6
    assert all(case.screened <= case.plain for case in cases)
    ratio = np.mean([case.screened / case.honest_only for case in cases])
    assert ratio == pytest.approx(0.993 / 0.963, abs=0.06)


@pytest.mark.parametrize(("s", "cost"), [(0.3, 1.03), (0.8, 1.10)])
def test_exception_rotated_copies_of_a_victim_are_kept(s, cost):
    """They are orthogonal maps of an honest upload. Documented at s = .8: 1.07 against .96."""
    for case in (_case("rotated copies", 4, MANY, s, seed) for seed in SEEDS):
        assert case.screening.dropped == ()
    honest_only, plain, screened = _means("rotated copies", 4, MANY, s)
    assert screened == plain
    assert screened / honest_only == pytest.approx(cost, abs=0.03)


@pytest.mark.parametrize("s", [0.3, 0.8])
def test_exception_another_orthogonal_map_is_kept_and_harms_only_itself(s):
    for seed in SEEDS:
        case = _case("A P O", 1, MANY, s, seed)
        assert case.screening.dropped == ()
        assert case.screened <= 1.02 * case.honest_only
        own = [case.draw.secrets[i].rotation @ case.rotations[i] for i in (0, P - 1)]
        assert np.sum((own[0] - own[1]) ** 2) / D > 1.5
