"""The spectral estimator, streamed: memory O(r^2) and one anchor, whatever the number of parties.

With D = [Bbar_1 .. Bbar_p] (r x pd) and its thin SVD U S Phi^T cut to d directions, the
estimate is R_i = polar(Phi_i). Neither D nor Phi is ever formed: U and S^2 are the leading
eigenvectors and eigenvalues of the r x r Gram matrix sum_i Bbar_i Bbar_i^T, and
Phi_i = Bbar_i^T U S^-1.

A randomised SVD is no substitute: noise leaves no spectral gap, and its answer is wrong.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from collude.common.errors import UploadRankDeficient
from collude.common.geometry.alignment.intake import (
    CentredAnchor,
    accept_anchor,
    accept_each,
)
from collude.common.geometry.alignment.result import (
    Alignment,
    noise_variance,
    residual_from_sum,
)
from collude.common.geometry.anchors import require_anchor_shape
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.haar import polar_factor


@dataclass(frozen=True, repr=False, eq=False)
class _SecondPass:
    """What the first pass leaves: enough to turn one anchor into its rotation.

    Attributes:
        whitening: U S^-1, shape (r, d).
        gap: as in `Alignment`.
        means: b_i of the first pass, to notice another anchor or another order.
        energies: ||Bbar_i||_F^2.
    """

    whitening: FloatArray
    gap: float
    means: tuple[FloatArray, ...]
    energies: tuple[float, ...]

    def centred(self, i: int, anchor: FloatArray) -> FloatArray:
        """Return Bbar_i, shape (r, d).

        Raises:
            ValueError: this is not the i-th anchor of the first pass.
        """
        B = np.ascontiguousarray(anchor, dtype=np.float64)
        if not np.array_equal(B.mean(axis=0), self.means[i]):
            raise ValueError(f"anchor {i} of the second pass is not anchor {i} of the first")
        return B - self.means[i]

    def rotation(self, centred: FloatArray) -> FloatArray:
        """Return R_i = polar(Bbar_i^T U S^-1)."""
        return polar_factor(centred.T @ self.whitening)

    def align_all(self, anchors: Iterable[FloatArray]) -> tuple[list[FloatArray], float]:
        """Return every R_i and the residual.

        Raises:
            ValueError: more or fewer anchors than in the first pass.
        """
        rotations = []
        total = np.zeros_like(self.whitening)
        for i, anchor in zip(range(len(self.means)), anchors, strict=True):
            centred = self.centred(i, anchor)
            rotations.append(self.rotation(centred))
            total += centred @ rotations[-1]
        return rotations, self.residual(total)

    def residual(self, total: FloatArray) -> float:
        """Return the residual from sum_i Bbar_i R_i."""
        return residual_from_sum(total, math.fsum(self.energies), len(self.means))


@dataclass(frozen=True, repr=False, eq=False)
class _LazyRotations(Sequence[FloatArray]):
    """R_i, computed from anchor i when it is asked for.

    Attributes:
        second: of the first pass.
        anchors: those of the first pass.
        kept: the R_i asked for so far, or None to compute them anew each time.
    """

    second: _SecondPass
    anchors: Sequence[FloatArray]
    kept: dict[int, FloatArray] | None = None

    @overload
    def __getitem__(self, index: int) -> FloatArray: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[FloatArray]: ...

    def __getitem__(self, index: int | slice) -> FloatArray | Sequence[FloatArray]:
        chosen = range(len(self))[index]
        if isinstance(chosen, range):
            return [self[i] for i in chosen]
        if self.kept and chosen in self.kept:
            return self.kept[chosen]
        return self._rotation(chosen, self.second.centred(chosen, self.anchors[chosen]))

    def _rotation(self, i: int, centred: FloatArray) -> FloatArray:
        if self.kept is None:
            return self.second.rotation(centred)
        if i not in self.kept:
            self.kept[i] = self.second.rotation(centred)
        return self.kept[i]

    def __len__(self) -> int:
        return len(self.second.means)

    def residual(self) -> float:
        """Return the residual, by one more pass over the anchors."""
        total = np.zeros_like(self.second.whitening)
        for i, anchor in enumerate(self.anchors):
            centred = self.second.centred(i, anchor)
            total += centred @ self._rotation(i, centred)
        return self.second.residual(total)


def _leading_subspace(gram: FloatArray, d: int, largest: str) -> tuple[FloatArray, float]:
    """Return U S^-1, shape (r, d), and the relative gap after the d-th singular value.

    Args:
        gram: sum_i Bbar_i Bbar_i^T, shape (r, r).
        d: width.
        largest: the party whose anchor has the largest norm, for the error.

    Raises:
        UploadRankDeficient: the d-th singular value is 0 to working precision.
    """
    values, vectors = np.linalg.eigh(gram)
    r = gram.shape[0]
    if values[-d] <= r * np.finfo(np.float64).eps * values[-1]:
        raise UploadRankDeficient(
            "the anchors together are rank-deficient to working precision",
            party=largest,
            field="anchor",
            expected=f"rank {d}",
            got="a smaller rank",
            hint="Its anchor has the largest norm, and a huge norm hides the others: "
            "set alignment.screen = true.",
        )
    sigma = np.sqrt(np.maximum(values, 0.0))
    gap = math.nan if r == d + 1 else float(1.0 - sigma[-d - 1] / sigma[-d])
    return vectors[:, -d:] / sigma[-d:], gap


class SpectralAccumulator:
    """Builds the spectral alignment in two passes over the anchors.

    The first pass is `add`, once per participant; an anchor that is refused changes nothing.
    The second is `finish`, with the same anchors in the same order.
    """

    def __init__(self, r: int, d: int) -> None:
        """Expect anchors of shape (r, d).

        Raises:
            ValueError: d < 1 or r < d + 1.
        """
        require_anchor_shape(r, d)
        self._shape = (r, d)
        self._gram = np.zeros((r, r))
        self._names: list[str] = []
        self._means: list[FloatArray] = []
        self._energies: list[float] = []

    def add(self, anchor: FloatArray, name: str | None = None) -> None:
        """Take one participant's B, shape (r, d), into account.

        Raises:
            UploadRejected: it is bad; the accumulator is unchanged.
        """
        label = f"#{len(self._means)}" if name is None else name
        self.add_accepted(accept_anchor(anchor, self._shape, label), label)

    def add_accepted(self, anchor: CentredAnchor, name: str) -> None:
        """Take an anchor into account that `accept_anchor` has passed for this shape."""
        self._names.append(name)
        self._gram += anchor.centred @ anchor.centred.T
        self._means.append(anchor.mean)
        self._energies.append(anchor.energy)

    def finish(self, anchors: Iterable[FloatArray], *, keep: bool = False) -> Alignment:
        """Return the alignment, by a second pass over the anchors that were added.

        Given a sequence, which must then stay as it is, `rotations` computes R_i from `anchors[i]`
        when it is asked, and `residual` makes a pass of its own: nothing grows with the number of
        parties but the means. Given any other iterable, all R_i are computed now and kept.

        Args:
            anchors: those that were added, in the same order.
            keep: of a sequence, keep each R_i once it was asked for: p d^2 numbers in the end.

        Raises:
            ValueError: nothing was added, or these are other anchors or another order.
            UploadRankDeficient: the anchors together have rank below d.
        """
        if not self._means:
            raise ValueError("an alignment needs at least one anchor")
        r, d = self._shape
        largest = self._names[int(np.argmax(self._energies))]
        second = _SecondPass(
            *_leading_subspace(self._gram, d, largest), tuple(self._means), tuple(self._energies)
        )
        rotations, measure_residual = _rotations(second, anchors, {} if keep else None)
        return Alignment(
            rotations=rotations,
            means=second.means,
            offset=np.zeros(d),
            gap=second.gap,
            noise_variances=tuple(noise_variance(energy, r, d) for energy in second.energies),
            rows=r,
            converged=True,
            measure_residual=measure_residual,
        )


def _rotations(
    second: _SecondPass, anchors: Iterable[FloatArray], kept: dict[int, FloatArray] | None
) -> tuple[Sequence[FloatArray], Callable[[], float]]:
    if not isinstance(anchors, Sequence):
        rotations, residual = second.align_all(anchors)
        return rotations, lambda: residual
    if len(anchors) != len(second.means):
        raise ValueError(f"{len(second.means)} anchors were added, {len(anchors)} came back")
    lazy = _LazyRotations(second, anchors, kept)
    return lazy, lazy.residual


def align_spectral(anchors: Sequence[FloatArray], names: Sequence[str] | None = None) -> Alignment:
    """Return R_i = polar(Phi_i), Phi the leading d right singular vectors of [Bbar_1 .. Bbar_p].

    The joint estimate for noisy anchors (NAA-GDP); no participant is special. The gauge is left
    as it falls: R_i -> R_i Q is the same alignment.

    Each R_i is computed when it is first asked for, and kept.

    Args:
        anchors: B_i, shape (r, d), r >= d + 1; no array may change while R_i is still to come.
        names: of the parties, for errors.

    Raises:
        UploadRejected: an anchor is bad.
        ValueError: no anchor, or another number of names.

    Source: noisy anchor alignment, section IV-B, Problem (18).
    """
    anchors = tuple(anchors)  # the caller's list may change before the last R_i is asked for
    accumulator: SpectralAccumulator | None = None
    for label, anchor in accept_each(anchors, names):
        accumulator = accumulator or SpectralAccumulator(*anchor.centred.shape)
        accumulator.add_accepted(anchor, label)
    if accumulator is None:
        raise ValueError("an alignment needs at least one anchor")
    return accumulator.finish(anchors, keep=True)
