"""How often the right person is named, beside what theory says. Only this and tests see the truth.

Who ties for the best is named by lot: a handle counts with the chance that its person is drawn.
Intervals are Wilson's and treat the handles as independent. They are nearly: all are about the same
persons, whose attributes are drawn once in a run.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from collude.attacker.releases.channels import DiscreteGaussian, Floats, Integers
from collude.attacker.releases.evidence import Evidence, evidence, signs
from collude.attacker.releases.view import ReleaseView
from collude.codef.numeric.checks import refuse
from collude.codef.numeric.entropy import log_cosh
from collude.codef.risk import (
    exact_error_gaussian,
    exact_error_mixed,
    success_bound,
    success_bound_gaussian,
)
from collude.common.evaluation import Interval, wilson_interval

TIE = 1e-9
"""Relative; above rounding in a sum of a few hundred logarithms."""

Noise = tuple[tuple[float, int], ...]
"""(epsilon or sigma, pieces of evidence with it), sorted."""


class Theory(NamedTuple):
    """What theory says of one amount of evidence; None where there is no formula.

    Attributes:
        exact: success of the best attacker who does not adapt, attributes being fair bits that
            are all known.
        guarantee: what no attacker on a single handle exceeds whose epsilons were fixed before.
    """

    exact: float | None
    guarantee: float | None


NO_THEORY = Theory(None, None)


@dataclass(frozen=True)
class Success:
    """How often the right person was named.

    Attributes:
        answers: pieces of evidence about each handle that were used: answers, or answered pairs.
        targets: handles that had so many.
        rate: share of them whose person was named, ties by lot in expectation.
        interval: of the rate, 95 %.
        exact: `Theory.exact`, the mean over these handles.
        guarantee: `Theory.guarantee`, likewise.
    """

    answers: int
    targets: int
    rate: float
    interval: Interval
    exact: float | None
    guarantee: float | None


def chances(scores: Floats, truth: Integers) -> Floats:
    """Return the chance that each handle's person is named, (handles,).

    Args:
        scores: posterior, (handles, n), larger is likelier.
        truth: the person of each handle, (handles,).

    Raises:
        ParameterInvalid: the shapes differ, or a score is not finite.
    """
    if scores.ndim != 2 or truth.shape != scores.shape[:1] or not np.isfinite(scores).all():  # noqa: PLR2004 -- a matrix
        refuse("posterior", f"finite, ({len(truth)}, n)", scores.shape)
    best = scores >= scores.max(axis=1, keepdims=True) * (1 - TIE)
    return np.asarray(best[np.arange(len(truth)), truth] / best.sum(axis=1))


def success_of(view: ReleaseView, posterior: Floats, truth: Integers) -> Success:
    """Return how often an attack names the right person by all that was answered.

    Args:
        view: what it looked at.
        posterior: what it made of it, (handles, n).
        truth: the person of each handle, (handles,).

    Returns:
        With the least number of answers about a handle; theory by each handle's own answers.

    Raises:
        ParameterInvalid: the shapes differ.
    """
    pieces = _Sorted(view)
    everyone = np.arange(len(view.handles))
    counts = pieces.counts
    theory = pieces.theory(everyone, int(counts.max(initial=0)))
    return _success(int(counts.min()), chances(posterior, truth), theory)


def curve(view: ReleaseView, truth: Integers, points: int = 64) -> list[Success]:
    """Return the success of maximum likelihood after 0, 1, 2, ... answers about each handle.

    Answers count in the order in which they were asked for. Of each point are the handles that
    have so many: which these are depends on leases and questions, not on whom they hide, unless
    the strategy adapts.

    Args:
        view: what was heard.
        truth: the person of each handle, (handles,).
        points: at most so many beside the first, evenly spaced; the last one always.

    Raises:
        ParameterInvalid: the shapes differ.
    """
    pieces, found = _Sorted(view), []
    score = np.zeros((len(view.handles), view.knowledge.persons))
    most = int(pieces.counts.max(initial=0))
    shown = set(np.linspace(0, most, min(points, most) + 1).round().astype(int).tolist())
    for count in range(most + 1):
        there = np.flatnonzero(pieces.counts >= count)
        if count:
            score[there] += pieces.gain(there, count - 1)
        if count in shown:
            shifted = np.exp(score[there] - score[there].max(axis=1, keepdims=True))
            theory = pieces.theory(there, count)
            found.append(_success(count, chances(shifted, truth[there]), theory))
    return found


def _success(count: int, chance: Floats, theory: list[Theory]) -> Success:
    total = len(chance)
    return Success(
        answers=count,
        targets=total,
        rate=float(chance.mean()) if total else 0.0,
        interval=wilson_interval(float(chance.sum()), total),
        exact=_mean([each.exact for each in theory]),
        guarantee=_mean([each.guarantee for each in theory]),
    )


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


class _Sorted:
    """A view's evidence by handle, and within a handle in time."""

    def __init__(self, view: ReleaseView) -> None:
        self._signs = signs(view.knowledge)
        pieces = evidence(view.knowledge, view.answers)
        self._pieces, self._order = pieces, np.argsort(pieces.handle, kind="stable")
        self.counts = np.bincount(pieces.handle, minlength=len(view.handles))
        self._starts = np.cumsum(self.counts) - self.counts
        self._noise, self._theory = _noise_of(view, pieces), _theory_of(view)

    def gain(self, handles: Integers, number: int) -> Floats:
        """Return what the piece with this number adds to each log-likelihood, (handles, n)."""
        chosen = self._order[self._starts[handles] + number]
        weight = self._pieces.weight[chosen][:, None]
        s = self._signs[:, self._pieces.column[chosen]].T
        return np.asarray(weight * s - log_cosh(weight) * np.abs(s))

    def theory(self, handles: Integers, count: int) -> list[Theory]:
        """Return what theory says of the first `count` pieces of each handle, or of all it has."""
        if self._noise is None:
            return [NO_THEORY] * len(handles)
        said = []
        for handle in handles.tolist():
            start = self._starts[handle]
            chosen = self._order[start : start + min(count, self.counts[handle])]
            said.append(self._theory(tuple(sorted(Counter(self._noise[chosen].tolist()).items()))))
        return said


def _noise_of(view: ReleaseView, pieces: Evidence) -> Floats | None:
    """Return epsilon, or sigma, of each piece; None where a piece is no such channel."""
    channel = view.knowledge.channel
    if not isinstance(channel, DiscreteGaussian):
        return 2 * np.abs(pieces.weight)
    if view.knowledge.kind == "xor":
        return None
    return np.array(channel.sigmas)[view.answers.level[pieces.last]]


def _theory_of(view: ReleaseView) -> Callable[[Noise], Theory]:
    persons = view.knowledge.persons
    if persons == 1:
        return lambda _: Theory(1.0, 1.0)
    if isinstance(view.knowledge.channel, DiscreteGaussian):
        return cache(lambda noise: _gaussian_theory(persons, noise))
    return cache(
        lambda noise: Theory(
            1 - float(exact_error_mixed(persons, noise)), float(success_bound(persons, noise))
        )
    )


def _gaussian_theory(persons: int, noise: Noise) -> Theory:
    if len(noise) > 1:
        return NO_THEORY  # several sigmas: no formula here
    sigma, count = noise[0] if noise else (1.0, 0)
    return Theory(
        1 - float(exact_error_gaussian(persons, 1.0, sigma, count)),
        float(success_bound_gaussian(persons, 1.0, sigma, count)),
    )
