"""The sections of a scenario, each a frozen record with its ranges."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from collude.common.errors import ScenarioInvalid
from collude.common.evaluation import MOST_REPEATS
from collude.common.methods import MethodTraits, traits_of

LARGEST_SEED = 2**63 - 1
"""TOML integers have 64 bits."""

Level = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A noise level: finite, at least 0."""

MethodName = Annotated[str, Field(min_length=1)]
"""A registered mechanism; the scenario checks that it is one."""

Disclosable = Literal["records", "transform", "anchor", "noise"]
Names = Annotated[tuple[StrictStr, ...], Field(strict=False)]
Items = Annotated[tuple[Disclosable, ...], Field(strict=False)]


Seed = Annotated[StrictInt, Field(ge=0, le=LARGEST_SEED)]
Seeds = Annotated[tuple[Seed, ...], Field(strict=False, min_length=1, max_length=MOST_REPEATS)]


class ModelNeeds(NamedTuple):
    """The only width of records that a model takes, and the most classes."""

    width: int
    classes: int


MODEL_NEEDS: Mapping[str, ModelNeeds] = MappingProxyType({"cnn": ModelNeeds(400, 2)})
"""A model that is not here takes records of any width in any number of classes."""


class Section(BaseModel):
    """A part of a scenario: frozen, no unknown keys, no silent conversion of types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


class General(Section):
    """`[scenario]`: the name, and where randomness comes from.

    Attributes:
        name: 1 to 63 of a-z, 0-9 and hyphens; it becomes part of folder names.
        mode: `simulation` repeats under a seed; `deployment` draws secrets from the system.
        seed: the master seed of a simulation; never handed to a party.
        seed_digest: 64 hexadecimal digits that stand for the seed at a party.
    """

    name: str = Field(pattern=r"^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$")
    mode: Literal["simulation", "deployment"] = "simulation"
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] | None = None
    seed_digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None


class Data(Section):
    """`[data]`: which records, and among how many participants they are split.

    Attributes:
        source: a registered data set.
        participants: 2 to 1000.
        path: of the user's file, for data sets that are one; not part of the digest.
        label: which of the data set's labels to learn; None is its first.
        people: of each participant, for data sets that are made to size; None is a few.
        images_per_person: the same for the pictures of each person.
        test_fraction: share of each participant's rows kept for evaluation, 0 to 1 exclusive.
    """

    source: str = "digits"
    participants: StrictInt = Field(default=3, ge=2, le=1000)
    path: str | None = None
    label: str | None = None
    people: StrictInt | None = Field(default=None, ge=1, le=1000)
    images_per_person: StrictInt | None = Field(default=None, ge=3, le=1000)
    test_fraction: float = Field(default=0.25, gt=0, lt=1)


class Features(Section):
    """`[features]`: the public map from raw records to the working width d.

    Attributes:
        kind: `identity`, or `svd`: the leading right singular vectors of public records.
        width: d of the `svd` map.
    """

    kind: Literal["identity", "svd"] = "identity"
    width: int | None = Field(default=None, ge=2)


class ResolvedMechanism(Section):
    """The mechanism's numbers once the width d is known.

    Attributes:
        method: name of the method.
        width: d.
        anchor_rows: r >= d + 1, or None where the method has no anchor.
        anchor_noise: v, entrywise standard deviation.
        private_noise: sigma, entrywise standard deviation.
    """

    method: MethodName
    width: int
    anchor_rows: int | None
    anchor_noise: float
    private_noise: float

    @property
    def traits(self) -> MethodTraits:
        """Return what the method uses."""
        return traits_of(self.method)


class Mechanism(Section):
    """`[mechanism]`: how a participant protects its records before the upload.

    Attributes:
        method: a method of Table I.
        anchor_rows: r; None stands for d + 1.
        anchor_noise: v, entrywise standard deviation of the anchor noise.
        anchor_noise_s: the same as s = v sqrt(d); at most one of the two may be given.
        private_noise: sigma, entrywise standard deviation of the noise on the records.
    """

    method: MethodName = "naa-gdp"
    anchor_rows: int | None = Field(default=None, ge=2)
    anchor_noise: Level | None = None
    anchor_noise_s: Level | None = None
    private_noise: Level = 0.0

    @property
    def traits(self) -> MethodTraits:
        """Return what the method uses."""
        return traits_of(self.method)

    def resolve(self, width: int) -> ResolvedMechanism:
        """Return r, v and sigma for records of `width` = d columns.

        Raises:
            ScenarioInvalid: the anchor has fewer than d + 1 rows, which do not fix a transform.
        """
        rows = width + 1 if self.anchor_rows is None else self.anchor_rows
        if self.traits.anchor and rows < width + 1:
            raise ScenarioInvalid(
                f"an anchor of {rows} rows cannot align records of width {width}",
                field="mechanism.anchor_rows",
                expected=f"at least {width + 1} (d + 1)",
                got=rows,
                hint="Leave anchor_rows out to get d + 1",
            )
        noise = self.anchor_noise or 0.0
        if self.anchor_noise_s is not None:
            noise = self.anchor_noise_s / width**0.5
        return ResolvedMechanism(
            method=self.method,
            width=width,
            anchor_rows=rows if self.traits.anchor else None,
            anchor_noise=noise,
            private_noise=self.private_noise,
        )


class Alignment(Section):
    """`[alignment]`: how the analyst brings the uploads into one space.

    Attributes:
        estimator: `reference` (to participant-0), `spectral`, `power` or a plug-in; unused by
            methods without an anchor.
        screen: leave uploads that no honest participant would send out of alignment and
            training, and name them; false is the paper's behaviour.
    """

    estimator: Annotated[str, Field(min_length=1)] = "spectral"
    screen: bool = True


class Training(Section):
    """`[training]`: the model that the analyst trains and delivers.

    Attributes:
        model: `linear`, or the paper's `cnn`, for records of width 400 in two classes.
        seeds: training seeds, public. With several, a model is trained and evaluated for each,
            and the utility is their mean, with an interval over rows and seeds.
        device: where the `cnn` is trained: `auto` is CUDA where it works. It changes rounding.
    """

    model: Literal["linear", "cnn"] = "linear"
    seeds: Seeds = (0,)
    device: Literal["auto", "cpu", "cuda"] = "auto"

    def require_fit(self, width: int, classes: int) -> None:
        """Return if the model can learn from records of this width and so many classes.

        Raises:
            ScenarioInvalid: it is for another width, or for fewer classes.
        """
        needs = MODEL_NEEDS.get(self.model)
        if needs is None or (width == needs.width and classes <= needs.classes):
            return
        raise ScenarioInvalid(
            f"the model {self.model} cannot learn from these records",
            field="training.model",
            expected=f"records of width {needs.width} in {needs.classes} classes",
            got=f"width {width} in {classes} classes",
            hint='Set training.model = "linear", which takes any width and any classes.',
        )


class Collusion(Section):
    """`[collusion]`: who joins the analyst, what they disclose, and which attacks are measured.

    Attributes:
        colluders: participants that disclose; empty is the analyst alone.
        disclose: what each of them discloses.
        colluder: how each of them discloses: a registered colluder, such as `honest` or `liar`.
        attacks: names of registered attacks.
        target: the participant under attack; None stands for the first that does not collude.
        allow_in_deployment: colluders are refused in deployment mode unless this is true.
    """

    colluders: Names = ()
    disclose: Items = ("records", "transform", "anchor")
    colluder: Annotated[str, Field(min_length=1)] = "honest"
    attacks: Names = ("procrustes", "centred-procrustes")
    target: str | None = None
    allow_in_deployment: bool = False


class Auditor(Section):
    """`[auditor]`: who judges whether a reconstruction shows a person. Scoring only.

    Not part of the scenario's digest: it changes nothing of what is run.

    Attributes:
        name: a registered auditor; None is the built-in one, where the data set has public
            people enough.
        model: the file of an auditor that needs one.
        sha256: the hash that this file must have, 64 hexadecimal digits.
        lineups: ten-way line-ups for each reconstructed record.
        everyone: attack every participant that does not collude, for more people to judge by;
            false is the target alone.
    """

    name: str | None = None
    model: str | None = None
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    lineups: StrictInt = Field(default=10, ge=1, le=1000)
    everyone: bool = True


class Network(Section):
    """`[network]`: not part of the scenario's digest.

    Attributes:
        deadline_s: seconds any party waits for another before it gives up and names it.
    """

    deadline_s: float = Field(default=30.0, gt=0, allow_inf_nan=False)
