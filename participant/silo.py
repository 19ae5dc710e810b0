"""The silo's own data and secrets, and what it computes with them.

Nothing here is sent as it is: rounds ask the silo for an upload or for counts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from collude.codef.period.leases import Lease
from collude.common.data import Share
from collude.common.data.person_index import persons_of
from collude.common.errors import ReleaseRefused
from collude.common.evaluation import ConfusionCounts
from collude.common.geometry import RigidTransform, haar_orthogonal
from collude.common.geometry.arrays import FloatArray
from collude.common.models import Model, members_of
from collude.common.protocol import messages as m
from collude.common.randomness import Entropy
from collude.common.training import Trainer, train_repeatedly
from collude.participant.joint import JointMaterial, joint_material
from collude.participant.mechanisms import Upload, mechanism
from collude.participant.r2_count import Counted, CountRule, clipped, count, on_grid


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
        counted: how CoDef sets the noise in place of the two above, or None.
    """

    method: str
    anchor_rows: int
    anchor_noise: float
    private_noise: float
    train: Trainer
    training_seeds: Sequence[int]
    counted: CountRule | None = None


class Silo:
    """A participant's records, its secret transform, and its held-out records. No repr of them.

    Attributes:
        counted: the noise that CoDef set, or None before it did.
    """

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
        self.counted: Counted | None = None

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

    def count(self, lease: Lease | None, party: str) -> None:
        """Take the lease that the upload is made under; it is charged whole, and used once.

        Args:
            lease: the last one of the budget period.
            party: this participant, for errors.

        Raises:
            ReleaseRefused: it is withheld for a person here: nothing may be uploaded.
        """
        rule, share = self._recipe.counted, self._share
        if rule is not None:
            persons = persons_of(share, rule.persons, party)
            self.counted = count(rule, lease, persons, self.width, party)

    def upload(self, seed: bytes | None) -> m.Upload:
        """Draw the secret, transform records and anchor, add the method's noise.

        Args:
            seed: the 32-byte joint seed, or None where the method has none.

        Raises:
            AnchorInvalid: the anchor fails the check that every participant makes.
            ReleaseRefused: CoDef sets the noise, and there is no lease that was not used.
        """
        recipe = self._recipe_now()
        material = joint_material(recipe.method, seed, recipe.anchor_rows, self.width)
        self._secret = material.transform or self._own_secret()
        made = mechanism(
            recipe.method, anchor_noise=recipe.anchor_noise, private_noise=recipe.private_noise
        ).upload(
            clipped(self._share.records, self._clip),
            self._secret,
            material.anchor,
            self._entropy.secret_generator("upload-noise"),
        )
        if self._discloses:
            self._keep(material, made.anchor)
        return self._announced(made)

    def _recipe_now(self) -> Recipe:
        """Return the recipe with the noise that CoDef set, for the only upload under it.

        Raises:
            ReleaseRefused: there is no lease, or it was used.
        """
        rule, set_ = self._recipe.counted, self.counted
        if rule is None:
            return self._recipe
        if set_ is None or self.has_uploaded:
            raise ReleaseRefused(
                "there is no lease to upload under",
                field="lease",
                expected="one lease for one upload",
                got="none" if set_ is None else "one that was used",
            )
        return replace(
            self._recipe,
            anchor_noise=set_.anchor_noise or 0.0,
            private_noise=set_.private_noise or 0.0,
        )

    @property
    def _clip(self) -> float | None:
        return None if self.counted is None else self.counted.clip

    def _announced(self, made: Upload) -> m.Upload:
        """Return the message, with the noise in it if CoDef set it."""
        set_ = self.counted
        if set_ is None:
            return m.Upload(made.private, made.anchor, self._share.labels)
        sigma, rows = set_.private_noise, made.private
        return m.Upload(
            private=rows if sigma is None else on_grid(rows, sigma),
            anchor=made.anchor,
            labels=self._share.labels,
            anchor_noise=set_.anchor_noise,
            private_noise=sigma,
        )

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
        (R, b, offset); a part that the method does not have is left out. Where rows were clipped
        before the upload, so are these.

        Args:
            records: X, shape (n, d), raw.
            to: this silo's own map, or None where the method aligns nothing.
        """
        own = clipped(records, self._clip)
        rows = own if self._secret is None else self._secret.apply(own)
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
