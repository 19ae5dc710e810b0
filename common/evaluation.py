"""How good a classifier is, from counts that can be pooled, with an interval.

Only counts leave a participant, so the figures of several participants are those of their
pooled counts, as in paper 1. Where the model was trained under several seeds there are counts
for each, of the same rows: a figure is then the mean over the seeds, and its interval holds
both the chance in the rows and the chance in the training.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Interval = tuple[float, float]

Z_95 = 1.959963984540054
"""Two-sided 95 % quantile of the standard normal distribution."""

T_95 = (
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157,
    2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922,
    2.093024,
)  # fmt: skip
"""The same of Student's distribution with 1, 2, ... degrees of freedom."""

MOST_REPEATS = len(T_95) + 1
"""How many training seeds there can be."""

MOST_CLASSES = 1000
"""How many classes a model may tell apart. Each is a region whose held-out records are counted,
and a column of scores for every row that is trained on: whoever chooses labels or a model must
not choose so many that the others run out of memory, or each record has a region of its own."""


@dataclass(frozen=True)
class Estimate:
    """A proportion with its 95 % interval.

    Attributes:
        metric: `accuracy` or `balanced_accuracy`.
        value: 0 to 1, NaN if there was nothing to count.
        interval: (lower, upper), within 0 and 1.
        count: rows it rests on.
        by_seed: the value under each training seed; their mean is `value`.
    """

    metric: str
    value: float
    interval: Interval
    count: int
    by_seed: tuple[float, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the estimate as JSON types; a NaN becomes null."""
        known = self.count > 0
        return {
            "metric": self.metric,
            "value": self.value if known else None,
            "interval": list(self.interval) if known else None,
            "count": self.count,
            "by_seed": list(self.by_seed) if known else [],
        }


@dataclass(frozen=True, eq=False)
class ConfusionCounts:
    """How often which class was taken for which, under each of s training seeds.

    Attributes:
        classes: (k,) int64, increasing.
        counts: (s, k, k) int64, counts[seed, true, predicted], s >= 1; all seeds are about the
            same rows.
    """

    classes: IntArray
    counts: IntArray

    @classmethod
    def from_predictions(
        cls, truth: Sequence[int] | IntArray, predicted: Sequence[int] | IntArray
    ) -> Self:
        """Return the counts over all classes that occur on either side.

        Args:
            truth: (n,) labels.
            predicted: (n,) labels, or (s, n) under s training seeds.

        Raises:
            DataInvalid: the two have different lengths.
        """
        true = np.asarray(truth, dtype=np.int64)
        guesses = np.atleast_2d(np.asarray(predicted, dtype=np.int64))
        if true.ndim != 1 or guesses.shape[1:] != true.shape:
            raise DataInvalid(
                "there must be one prediction per label",
                field="predictions",
                expected=true.shape,
                got=guesses.shape[1:],
            )
        classes = np.union1d(true, guesses)
        counts = np.zeros((len(guesses), len(classes), len(classes)), dtype=np.int64)
        row = np.searchsorted(classes, true)
        for table, guess in zip(counts, guesses, strict=True):
            np.add.at(table, (row, np.searchsorted(classes, guess)), 1)
        return cls(classes, counts)

    @classmethod
    def pooled(cls, parts: Iterable["ConfusionCounts"]) -> Self:
        """Return the sum of the parts over all their classes, seed by seed.

        Raises:
            ValueError: the parts are of different numbers of seeds.
        """
        listed = list(parts)
        repeats = {part.repeats for part in listed} or {1}
        if len(repeats) > 1:
            raise ValueError(f"counts of {sorted(repeats)} training seeds cannot be pooled")
        known = [part.classes for part in listed]
        classes = np.unique(np.concatenate(known)) if known else np.zeros(0, dtype=np.int64)
        counts = np.zeros((repeats.pop(), len(classes), len(classes)), dtype=np.int64)
        for part in listed:
            where = np.searchsorted(classes, part.classes)
            counts[:, where[:, None], where] += part.counts
        return cls(classes, counts)

    @classmethod
    def from_stacked(cls, classes: IntArray, stacked: IntArray, repeats: int) -> Self:
        """Return the counts that `stacked()` made a matrix of.

        Args:
            classes: (k,).
            stacked: (repeats * k, k).
            repeats: s, how many training seeds there must be.

        Raises:
            ValueError: shapes that do not fit, classes out of order, negative counts, or seeds
                that are not about the same rows.
        """
        k = len(classes)
        if stacked.shape != (repeats * k, k):
            raise ValueError(f"{k} classes, {repeats} seeds and counts of shape {stacked.shape}")
        if (classes[1:] <= classes[:-1]).any():
            raise ValueError("the classes do not increase")
        if (stacked < 0).any():
            raise ValueError("a count is negative")
        counts = stacked.reshape(repeats, k, k)
        rows = counts.sum(axis=2)
        if (rows != rows[0]).any():
            raise ValueError("the seeds are not about the same rows")
        return cls(classes, counts)

    def stacked(self) -> IntArray:
        """Return the counts as one (s * k, k) matrix, seed below seed."""
        return self.counts.reshape(self.repeats * len(self.classes), len(self.classes))

    @property
    def repeats(self) -> int:
        """Return s, the number of training seeds."""
        return len(self.counts)

    @property
    def total(self) -> int:
        """Return the number of rows counted; each counts once, however many seeds there are."""
        return int(self.counts[0].sum())

    def accuracy(self) -> Estimate:
        """Return the share of right predictions, with Wilson's interval."""
        total, right = self.total, self._right().sum(axis=1)
        values = right / total if total else np.full(self.repeats, np.nan)
        return _estimate("accuracy", values, wilson_interval(float(right.mean()), total), total)

    def balanced_accuracy(self) -> Estimate:
        """Return the mean recall over the classes that occur in the truth.

        A class that is predicted but never true has no recall and is left out. The interval is
        the normal one, with variance sum of p(1 - p) / n over the classes, divided by their
        squared number. There p has one right and one wrong prediction added (Laplace's rule),
        because a class without a mistake would otherwise seem to have no variance. It covers
        92 to 97 % at recalls of .5 to .9 and classes of 12 rows or more, and more near 1: by
        simulation, in the tests.
        """
        rows = self.counts[0].sum(axis=1)
        occurs = rows > 0
        n, right = rows[occurs], self._right()[:, occurs]
        if not len(n):
            nothing = np.full(self.repeats, np.nan)
            return _estimate("balanced_accuracy", nothing, (0.0, 1.0), 0)
        values = (right / n).mean(axis=1)
        recall = (right.mean(axis=0) + 1) / (n + 2)
        width = Z_95 * float(np.sqrt(np.sum(recall * (1 - recall) / n))) / len(n)
        value = float(values.mean())
        return _estimate("balanced_accuracy", values, (value - width, value + width), self.total)

    def _right(self) -> IntArray:
        """Return (s, k) right predictions."""
        right: IntArray = np.diagonal(self.counts, axis1=1, axis2=2)
        return right


def _estimate(metric: str, values: FloatArray, of_rows: Interval, count: int) -> Estimate:
    """Return the mean of the seeds' values, with an interval for rows and seeds.

    The two distances to the value, from the rows and from the seeds, are added as squares
    (Zou and Donner, 2008). Seeds that are evaluated on few rows also differ because of the
    rows, so the interval is a little too wide rather than too narrow.

    Args:
        metric: the name.
        values: (s,) the figure under each seed.
        of_rows: its interval for the mean, as if there were one seed.
        count: rows.
    """
    value = float(values.mean())
    of_seeds = _seeds_width(values)
    lower = value - float(np.hypot(value - of_rows[0], of_seeds))
    upper = value + float(np.hypot(of_rows[1] - value, of_seeds))
    interval = (max(0.0, lower), min(1.0, upper)) if count else (0.0, 1.0)
    return Estimate(metric, value, interval, count, tuple(values.tolist()))


def _seeds_width(values: FloatArray) -> float:
    """Return half of Student's 95 % interval of the mean; 0 for one value, which shows none."""
    if len(values) == 1:
        return 0.0
    deviation = float(values.std(ddof=1))
    return T_95[len(values) - 2] * deviation / float(np.sqrt(len(values)))


def wilson_interval(successes: float, trials: int) -> Interval:
    """Return Wilson's 95 % score interval of a proportion; (0, 1) without trials.

    Args:
        successes: 0 to `trials`; a mean over seeds need not be whole.
        trials: how often it was tried.

    Source: E. B. Wilson, Probable inference, 1927.
    """
    if not trials:
        return 0.0, 1.0
    share, weight = successes / trials, Z_95**2 / trials
    centre = (share + weight / 2) / (1 + weight)
    width = Z_95 * np.sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    # The share lies between them; rounding alone could put it outside at 0 and 1.
    lower, upper = min(share, float(centre - width)), max(share, float(centre + width))
    return max(0.0, lower), min(1.0, upper)
