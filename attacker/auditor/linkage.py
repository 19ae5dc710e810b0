"""Linkage: how often a frozen auditor finds the person behind a query among references."""

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from collude.attacker.auditor.lineups import Indices, gallery_hits, lineup_hits, own_columns
from collude.attacker.auditor.statistics import auc, identity_interval
from collude.common.errors import ParameterInvalid
from collude.common.geometry.arrays import MATRIX_AXES, FloatArray

Embed = Callable[[Any], FloatArray]

FEWEST_WAYS = 2
_DECIMALS = 12
"""Similarities closer than this are ties: rounding in a product must not decide a line-up."""


class Embedded(NamedTuple):
    """Vectors, and whose they are.

    Attributes:
        vectors: (n, e), each of length 1, or 0 where the auditor saw nothing.
        identities: (n,) of integers or texts.
    """

    vectors: FloatArray
    identities: NDArray[Any]


def linkage(  # noqa: PLR0913 -- a published signature
    queries: ArrayLike,
    query_ids: ArrayLike,
    references: ArrayLike,
    reference_ids: ArrayLike,
    embed: Embed,
    rng: np.random.Generator,
    ways: int = 10,
    lineups: int = 10,
) -> dict[str, Any]:
    """Return how well queries find their own person's reference. Same rng, same result.

    - `rank1`: share of line-ups won by the query's own person; chance is 1 / ways
    - `nway`: the same against all references at once; chance is 1 / number of references
    - `auc`: chance that a genuine pair is more alike than an impostor one; chance is 1/2
    - `interval`: 95 % for `rank1`, by resampling people

    Ties share: t that are equally alike, the own one among them, count 1 / t.

    Args:
        queries: (n, D), for instance reconstructions, decoded.
        query_ids: (n,) who each really is.
        references: (m, D), one kept picture of each person, or several.
        reference_ids: (m,) who each is; every query's person is among them.
        embed: (k, D) -> (k, e), frozen; alike is a large cosine.
        rng: draws line-ups and people.
        ways: references in a line-up, the own one included, at least 2.
        lineups: line-ups for each query, at least 1.

    Raises:
        ParameterInvalid: shapes that do not fit, NaN or infinity, no query, a query whose
            person has no reference, or too few other people's references for `ways`.

    Source: noisy anchor alignment, section V-A3; queries of one person are resampled together.
    """
    return compare(
        embedded(queries, query_ids, embed, "queries"),
        embedded(references, reference_ids, embed, "references"),
        rng,
        ways,
        lineups,
    )


def embedded(records: ArrayLike, identities: ArrayLike, embed: Embed, what: str) -> Embedded:
    """Return records as the auditor sees them.

    Raises:
        ParameterInvalid: there are none, they or their vectors are not finite, or shapes do not
            fit.
    """
    rows, owners = np.asarray(records, dtype=np.float64), np.asarray(identities)
    _check_table(rows, what)
    if owners.shape != (len(rows),):
        _refuse(f"{what}: one identity for each row", f"shape ({len(rows)},)", owners.shape)
    vectors = np.asarray(embed(rows), dtype=np.float64)
    _check_table(vectors, f"embedded {what}")
    if len(vectors) != len(rows):
        _refuse(f"embed: one vector for each of the {what}", len(rows), len(vectors))
    return Embedded(_directions(vectors), owners)


def compare(
    queries: Embedded, references: Embedded, rng: np.random.Generator, ways: int, lineups: int
) -> dict[str, Any]:
    """Return `linkage` of what is embedded already.

    Raises:
        ParameterInvalid: as `linkage`.
    """
    order = np.argsort(references.identities, kind="stable")
    own = _own(queries.identities, references.identities[order])
    _check_lineups(own, len(order), ways, lineups)
    similarity = np.round(queries.vectors @ references.vectors[order].T, _DECIMALS)
    hits = lineup_hits(similarity, own, rng, ways, lineups)
    genuine = own_columns(own, len(order))
    return {
        "rank1": float(hits.mean()),
        "nway": float(gallery_hits(similarity, own).mean()),
        "auc": auc(similarity[genuine], similarity[~genuine]),
        "interval": list(identity_interval(hits, own[:, 0], rng)),
    }


def _own(query_ids: NDArray[Any], sorted_ids: NDArray[Any]) -> Indices:
    """Return (n, 2): the columns start to stop - 1 of the references are the query's person."""
    start = np.searchsorted(sorted_ids, query_ids, side="left")
    stop = np.searchsorted(sorted_ids, query_ids, side="right")
    lost = int((start == stop).sum())
    if lost:
        _refuse(
            "query_ids: every query's person needs a reference",
            "identities that are among reference_ids",
            f"{lost} queries without",
        )
    return np.stack([start, stop], axis=1).astype(np.int64)


def _check_lineups(own: Indices, references: int, ways: int, lineups: int) -> None:
    if lineups < 1:
        _refuse("lineups", "at least 1", lineups)
    others = references - int((own[:, 1] - own[:, 0]).max())
    if not FEWEST_WAYS <= ways <= others + 1:
        _refuse(
            "ways: the own reference and other people's",
            f"{FEWEST_WAYS} to {others + 1}, as {others} references are of other people",
            ways,
        )


def _check_table(rows: FloatArray, what: str) -> None:
    if rows.ndim != MATRIX_AXES or not rows.size:
        _refuse(what, "a table of at least one row and one column", rows.shape)
    if not np.isfinite(rows).all():
        _refuse(what, "finite numbers", "NaN or infinity")


def _directions(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: FloatArray = vectors / np.where(lengths > 0.0, lengths, 1.0)
    return made


def _refuse(what: str, expected: object, got: object) -> NoReturn:
    """Say why not.

    Raises:
        ParameterInvalid: always.
    """
    raise ParameterInvalid("linkage cannot be computed", field=what, expected=expected, got=got)
