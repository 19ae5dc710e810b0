"""What a participant sends: its records, and for some methods the anchor, transformed.

    private = X O + 1 psi^T (+ sigma W)      anchor = A O + 1 psi^T (+ v W)

The seven built-in methods differ only in the table `common/methods`. (O, psi) is the
participant's own, or the common one where the table says so: the caller passes the right one.

Source: noisy anchor alignment, Table I, sections II-C, II-D and IV-A.
"""

from functools import partial
from typing import NamedTuple, Protocol, cast

import numpy as np

from collude.common import plugins
from collude.common.errors import AnchorInvalid, DataInvalid, NoUpload, ScenarioInvalid
from collude.common.geometry.anchors import check_anchor, check_anchor_shape
from collude.common.geometry.arrays import MATRIX_AXES, FloatArray
from collude.common.geometry.rigid import RigidTransform
from collude.common.methods import METHODS, MethodTraits


class Upload(NamedTuple):
    """What leaves the participant, beside the labels.

    Attributes:
        private: Y, shape (n, d).
        anchor: B, shape (r, d), or None.
    """

    private: FloatArray
    anchor: FloatArray | None

    def __repr__(self) -> str:
        """Return the shapes without the content."""
        anchor = None if self.anchor is None else self.anchor.shape
        return f"Upload(private={self.private.shape}, anchor={anchor})"


class Mechanism(Protocol):
    """How records become an upload. `traits` tells the protocol what the method needs."""

    @property
    def traits(self) -> MethodTraits:
        """What the method uses."""
        ...

    def upload(
        self,
        records: FloatArray,
        secret: RigidTransform,
        anchor: FloatArray | None,
        rng: np.random.Generator,
    ) -> Upload:
        """Return Y, shape (n, d), and B, shape (r, d), if the method uses the anchor A.

        Args:
            records: X, shape (n, d), n >= 1.
            secret: (O, psi) of width d.
            anchor: A, shape (r, d), r >= d + 1; ignored by methods without an anchor.
            rng: the participant's own noise stream; never shared, never used twice.
        """
        ...


class MechanismFactory(Protocol):
    """What an entry point of the group `collude.mechanisms` must be."""

    def __call__(self, *, anchor_noise: float, private_noise: float) -> Mechanism:
        """Return the mechanism with noise v on the anchor and sigma on the records."""
        ...


def mechanism(name: str, *, anchor_noise: float = 0.0, private_noise: float = 0.0) -> Mechanism:
    """Return the registered mechanism `name`.

    Args:
        name: a method, for instance `naa-gdp`.
        anchor_noise: v >= 0, entrywise standard deviation of the noise on the anchor.
        private_noise: sigma >= 0, entrywise standard deviation of the noise on the records.

    Raises:
        PluginUnknown: no such method.
        ScenarioInvalid: a noise is negative or not finite, or the method would not apply it.
    """
    factory = cast(MechanismFactory, plugins.find(plugins.MECHANISMS, name))
    return factory(anchor_noise=anchor_noise, private_noise=private_noise)


class TableMechanism:
    """A method of the table `common/methods`."""

    def __init__(self, name: str, *, anchor_noise: float, private_noise: float) -> None:
        """Refuse a noise that the method would leave out: its user would believe in it.

        Raises:
            ScenarioInvalid: a noise is negative, not finite, or not applied by the method.
        """
        self.name = name
        self.traits = METHODS[name]
        _require_applied(name, "anchor_noise", anchor_noise, applied=self.traits.anchor_noise)
        _require_applied(name, "private_noise", private_noise, applied=self.traits.private_noise)
        self.anchor_noise = anchor_noise
        self.private_noise = private_noise

    def upload(
        self,
        records: FloatArray,
        secret: RigidTransform,
        anchor: FloatArray | None,
        rng: np.random.Generator,
    ) -> Upload:
        """Return Y and B as `Mechanism.upload` says.

        Raises:
            NoUpload: the method sends nothing.
            DataInvalid: X is no finite (n, d) matrix with n >= 1.
            AnchorInvalid: A is missing, not an (r, d) matrix with r >= d + 1, or, where noise is
                measured against it, not centred and orthonormal.
        """
        if not self.traits.uploads:
            raise NoUpload(
                "the method uploads nothing: every participant trains alone",
                field="mechanism.method",
                got=self.name,
            )
        X = _checked_records(records, secret.dimension)
        A = self._checked_anchor(anchor, secret.dimension) if self.traits.anchor else None
        private = _with_noise(secret.apply(X), self.private_noise, rng)
        if A is None:
            return Upload(private, None)
        return Upload(private, _with_noise(secret.apply(A), self.anchor_noise, rng))

    def _checked_anchor(self, anchor: FloatArray | None, d: int) -> FloatArray:
        if anchor is None:
            raise AnchorInvalid(f"{self.name} needs an anchor", field="anchor", got="none")
        # An exact alignment needs full rank only; v means nothing unless A^T A = I.
        check = check_anchor if self.traits.anchor_noise else check_anchor_shape
        A = check(anchor)
        if A.shape[1] != d:
            raise AnchorInvalid(
                "the anchor has another width than the records",
                field="anchor",
                expected=d,
                got=A.shape[1],
            )
        return A


def _require_applied(name: str, field: str, level: float, *, applied: bool) -> None:
    if not (np.isfinite(level) and level >= 0.0):
        raise ScenarioInvalid(
            "a noise level must be a finite number of at least 0",
            field=f"mechanism.{field}",
            got=level,
        )
    if level > 0.0 and not applied:
        users = [method for method, traits in METHODS.items() if getattr(traits, field)]
        raise ScenarioInvalid(
            f"{name} does not apply {field}",
            field=f"mechanism.{field}",
            expected=0,
            got=level,
            hint=f"it is applied by {' and '.join(users)}",
        )


def _checked_records(records: FloatArray, d: int) -> FloatArray:
    X = np.asarray(records)
    if X.ndim != MATRIX_AXES or X.dtype.kind not in "fiu":
        raise DataInvalid("the records are not a matrix of real numbers", field="records")
    if X.shape[0] < 1 or X.shape[1] != d:
        raise DataInvalid(
            "the records have no rows or another width than the secret",
            field="records",
            expected=f"n >= 1 rows, {d} columns",
            got=X.shape,
        )
    if not np.isfinite(X).all():
        bad = int(np.count_nonzero(~np.isfinite(X).all(axis=1)))
        raise DataInvalid(
            "records hold NaN or infinity", field="records", got=f"{bad} of {len(X)} rows"
        )
    return X.astype(np.float64, copy=False)


def _with_noise(rows: FloatArray, level: float, rng: np.random.Generator) -> FloatArray:
    """Return rows + level * W, W iid N(0, 1)."""
    return rows + level * rng.standard_normal(rows.shape) if level > 0.0 else rows


local = partial(TableMechanism, "local")
c_gdp = partial(TableMechanism, "c-gdp")
c_gdp_noise = partial(TableMechanism, "c-gdp-noise")
i_gdp = partial(TableMechanism, "i-gdp")
aa_gdp = partial(TableMechanism, "aa-gdp")
aa_gdp_noise = partial(TableMechanism, "aa-gdp-noise")
naa_gdp = partial(TableMechanism, "naa-gdp")
