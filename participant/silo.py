"""The silo's own data and secrets, and what it computes with them.

Nothing here is sent as it is: rounds ask the silo for an upload or for counts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from collude.common.data import Share
from collude.common.evaluation import ConfusionCounts
from collude.common.geometry import RigidTransform, haar_orthogonal
from collude.common.geometry.arrays import FloatArray
from collude.common.models import Model, members_of
from collude.common.protocol import messages as m
from collude.common.randomness import Entropy
from collude.common.training import Trainer, train_repeatedly
from collude.participant.joint import JointMaterial, joint_material
from collude.participant.mechanisms import mechanism


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a silo takes part.

    Attributes:
        method: a method of Table I.
        anchor_rows: r, or 0 where the method has no anchor.
        anchor_noise: v, entrywise standard deviation.
        private_noise: sigma, entrywise standard deviation.
        train: fits the model of the baseline that trains alone.
        training_seeds: seeds of that training; it is repeated for each.
    """

    method: str
    anchor_rows: int
    anchor_noise: float
    private_noise: float
    train: Trainer
    training_seeds: Sequence[int]


class Silo:
    """A participant's records, its secret transform, and its held-out records. No repr of them."""

    def __init__(
        self, share: Share, recipe: Recipe, entropy: Entropy, *, discloses: bool = True
    ) -> None:
        """Keep the records; the secret is drawn when the upload is made.

        Args:
            share: the records and labels.
            recipe: how it takes part.
            entropy: its source of randomness.
            discloses: keep the anchor and the noise after the upload, to disclose them; an
                honest silo needs neither and forgets both.
        """
        self._share, self._recipe, self._entropy = share, recipe, entropy
        self._discloses = discloses
        self._secret: RigidTransform | None = None
        self._material = JointMaterial(None, None)
        self._noise: FloatArray | None = None

    @property
    def width(self) -> int:
        """d, columns of the records."""
        return self._share.width

    @property
    def anchor_rows(self) -> int:
        """r, or 0 where the method has no anchor."""
        return self._recipe.anchor_rows

    @property
    def has_uploaded(self) -> bool:
        """Whether the upload was made, and with it the secret drawn."""
        return self._secret is not None

    def upload(self, seed: bytes | None) -> m.Upload:
        """Draw the secret, transform records and anchor, add the method's noise.

        Args:
            seed: the 32-byte joint seed, or None where the method has none.

        Raises:
            AnchorInvalid: the anchor fails the check that every participant makes.
        """
        recipe = self._recipe
        material = joint_material(recipe.method, seed, recipe.anchor_rows, self.width)
        self._secret = material.transform or self._own_secret()
        made = mechanism(
            recipe.method, anchor_noise=recipe.anchor_noise, private_noise=recipe.private_noise
        ).upload(
            self._share.records,
            self._secret,
            material.anchor,
            self._entropy.secret_generator("upload-noise"),
        )
        if self._discloses:
            self._keep(material, made.anchor)
        return m.Upload(private=made.private, anchor=made.anchor, labels=self._share.labels)

    def _keep(self, material: JointMaterial, sent: FloatArray | None) -> None:
        self._material = material
        if sent is not None and material.anchor is not None and self._secret is not None:
            self._noise = sent - self._secret.apply(material.anchor)

    def _own_secret(self) -> RigidTransform:
        rng = self._entropy.secret_generator("own-transform")
        return RigidTransform(haar_orthogonal(self.width, rng), rng.standard_normal(self.width))

    def evaluate(self, model: Model, to: m.AlignmentMap | None) -> ConfusionCounts:
        """Return the counts of the delivered model on the held-out raw records.

        The records go through the own secret and the delivered map, without noise: what this
        silo can predict for itself.
        """
        # A model or map of absurd numbers makes absurd counts; that is the analyst's own loss.
        with np.errstate(over="ignore", invalid="ignore"):
            return self._counts(model, self.in_model_space(self._share.test_records, to))

    def in_model_space(self, records: FloatArray, to: m.AlignmentMap | None) -> FloatArray:
        """Return raw records of this silo as the delivered model knows them, without noise.

        ((X O + 1 psi^T) - 1 b^T) R + 1 offset^T, with this silo's own secret (O, psi) and map
        (R, b, offset); a part that the method does not have is left out.

        Args:
            records: X, shape (n, d), raw.
            to: this silo's own map, or None where the method aligns nothing.
        """
        rows = records if self._secret is None else self._secret.apply(records)
        return rows if to is None else (rows - to.mean) @ to.rotation + to.offset

    def evaluate_alone(self) -> ConfusionCounts:
        """Train on the own records only, and return the counts on the held-out ones."""
        recipe, share = self._recipe, self._share
        model = train_repeatedly(recipe.train, share.records, share.labels, recipe.training_seeds)
        return self._counts(model, share.test_records)

    def _counts(self, model: Model, rows: FloatArray) -> ConfusionCounts:
        predicted = np.stack([member.predict(rows) for member in members_of(model)])
        return ConfusionCounts.from_predictions(self._share.test_labels, predicted)

    def disclosure(self, fields: Collection[str]) -> m.ColluderDisclosure:
        """Return what this silo tells a coalition it belongs to.

        Args:
            fields: of `records`, `transform`, `anchor`, `noise`; the rest stays hidden.
        """
        secret = self._secret if "transform" in fields else None
        return m.ColluderDisclosure(
            records=self._share.records if "records" in fields else None,
            rotation=None if secret is None else secret.rotation,
            translation=None if secret is None else secret.translation,
            anchor=self._material.anchor if "anchor" in fields else None,
            noise=self._noise if "noise" in fields else None,
        )
