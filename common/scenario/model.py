"""A whole scenario, and the checks that reach across its fields."""

from difflib import get_close_matches
from typing import Self

from pydantic import Field, model_validator

from collude.common import plugins
from collude.common.errors import ScenarioInvalid
from collude.common.ids import participant_name
from collude.common.scenario.codef_checks import check_codef, check_faults
from collude.common.scenario.codef_sections import RELEASE_SOURCES, Codef, Faults
from collude.common.scenario.fill import filled
from collude.common.scenario.sections import (
    Alignment,
    Auditor,
    Collusion,
    Data,
    Features,
    General,
    Mechanism,
    Network,
    Section,
    Training,
)


class Scenario(Section):
    """Everything that defines a run, apart from where and by which runtime it runs.

    Every check is made when it is built, so an existing scenario is a valid one.
    """

    scenario: General
    data: Data = Field(default_factory=Data)
    features: Features = Field(default_factory=Features)
    mechanism: Mechanism = Field(default_factory=Mechanism)
    alignment: Alignment = Field(default_factory=Alignment)
    training: Training = Field(default_factory=Training)
    collusion: Collusion = Field(default_factory=Collusion)
    auditor: Auditor = Field(default_factory=Auditor)
    codef: Codef = Field(default_factory=Codef)
    faults: Faults = Field(default_factory=Faults)
    network: Network = Field(default_factory=Network)

    @property
    def participants(self) -> tuple[str, ...]:
        """Return the participants' names, in order."""
        return tuple(participant_name(index) for index in range(self.data.participants))

    @property
    def simulated(self) -> bool:
        """Return whether the run is seeded and repeatable."""
        return self.scenario.mode == "simulation"

    @property
    def releases(self) -> bool:
        """Return whether silos answer questions about persons; there is no analyst then."""
        return self.codef.enabled and self.data.source in RELEASE_SOURCES

    @property
    def threshold(self) -> int:
        """Return how many silos unmask a sum together."""
        return self.codef.threshold_of(self.data.participants)

    @property
    def discloses(self) -> bool:
        """Return whether anybody may tell the attacker anything; a deployment must be told so."""
        return self.simulated or self.collusion.allow_in_deployment

    @property
    def target(self) -> str:
        """Return the participant under attack."""
        named = self.collusion.target
        return named or next(p for p in self.participants if p not in self.collusion.colluders)

    def resolved_dict(self) -> dict[str, object]:
        """Return every value, defaults filled in, as JSON types."""
        values: dict[str, dict[str, object]] = self.model_dump(mode="json")
        values["collusion"]["target"] = self.target
        if self.scenario.seed_digest is None:
            del values["scenario"]["seed_digest"]
        return dict(values)

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, document: object) -> object:
        return filled(document)

    @model_validator(mode="after")
    def _check(self) -> Self:
        for check in _CHECKS:
            check(self)
        return self


def _check_seed(scenario: Scenario) -> None:
    general = scenario.scenario
    given = [k for k in ("seed", "seed_digest") if getattr(general, k) is not None]
    if not scenario.simulated and given:
        raise ScenarioInvalid(
            "deployment mode draws its secrets from the operating system",
            field=f"scenario.{given[0]}",
            expected="no seed",
            got=getattr(general, given[0]),
            hint='Leave the seed out, or set mode = "simulation"',
        )
    if scenario.simulated and len(given) != 1:
        raise ScenarioInvalid(
            "simulation mode needs a seed",
            field="scenario.seed",
            expected="an integer of at least 0",
            got=" and ".join(given) or "none",
            hint="Give seed = 7 in [scenario], or --seed 7",
        )


def _check_anchor_noise_once(scenario: Scenario) -> None:
    mechanism = scenario.mechanism
    if mechanism.anchor_noise is not None and mechanism.anchor_noise_s is not None:
        raise ScenarioInvalid(
            "the anchor noise is given twice",
            field="mechanism.anchor_noise",
            expected="either anchor_noise (v) or anchor_noise_s (v * sqrt(d))",
            got=f"{mechanism.anchor_noise} and {mechanism.anchor_noise_s}",
        )


def _check_noise_is_used(scenario: Scenario) -> None:
    mechanism = scenario.mechanism
    unused = {
        "anchor_noise": not mechanism.traits.anchor_noise,
        "anchor_noise_s": not mechanism.traits.anchor_noise,
        "private_noise": not mechanism.traits.private_noise,
    }
    for name, is_unused in unused.items():
        if is_unused and getattr(mechanism, name):
            raise ScenarioInvalid(
                f"the method {mechanism.method} does not use {name}",
                field=f"mechanism.{name}",
                expected="0, or not given",
                got=getattr(mechanism, name),
                hint=f"Set mechanism.{name} = 0, or choose a method that adds this noise",
            )


def _check_plugins(scenario: Scenario) -> None:
    named = (
        ("mechanism.method", plugins.MECHANISMS, scenario.mechanism.method),
        ("alignment.estimator", plugins.ALIGNMENTS, scenario.alignment.estimator),
        ("collusion.colluder", plugins.COLLUDERS, scenario.collusion.colluder),
    )
    for field, group, name in named:
        known = plugins.registered(group)
        if name not in known:
            close = get_close_matches(name, known, n=1)
            raise ScenarioInvalid(
                "nothing is registered under this name",
                field=field,
                expected=" or ".join(known),
                got=repr(name),
                hint=f"Did you mean {close[0]!r}?" if close else None,
            )


def _check_features(scenario: Scenario) -> None:
    features = scenario.features
    if (features.kind == "svd") != (features.width is not None):
        raise ScenarioInvalid(
            "a feature map of kind svd has a width, and no other has one",
            field="features.width",
            expected="a width of at least 2" if features.kind == "svd" else "no width",
            got=features.width,
        )


def _check_colluders(scenario: Scenario) -> None:
    colluders = scenario.collusion.colluders
    for name in colluders:
        _check_participant(scenario, "collusion.colluders", name)
    if len(set(colluders)) < len(colluders):
        raise ScenarioInvalid(
            "a colluder is named twice", field="collusion.colluders", got=", ".join(colluders)
        )
    if len(colluders) == len(scenario.participants):
        raise ScenarioInvalid(
            "every participant colludes, so nobody is left to attack",
            field="collusion.colluders",
            expected=f"at most {len(scenario.participants) - 1} of the participants",
            got=len(colluders),
        )


def _check_target(scenario: Scenario) -> None:
    target = scenario.collusion.target
    if target is None:
        return
    _check_participant(scenario, "collusion.target", target)
    if target in scenario.collusion.colluders:
        raise ScenarioInvalid(
            "the target is one of the colluders",
            field="collusion.target",
            expected="a participant that does not collude",
            got=target,
        )


def _check_participant(scenario: Scenario, field: str, name: str) -> None:
    if name not in scenario.participants:
        raise ScenarioInvalid(
            "there is no such participant",
            field=field,
            expected=f"participant-0 to {scenario.participants[-1]}",
            got=name,
        )


def _check_training_seeds(scenario: Scenario) -> None:
    seeds = scenario.training.seeds
    if len(set(seeds)) < len(seeds):
        raise ScenarioInvalid(
            "a training seed is named twice: it would count the same model twice",
            field="training.seeds",
            expected="different seeds",
            got=", ".join(map(str, seeds)),
        )


def _check_deployed_collusion(scenario: Scenario) -> None:
    collusion = scenario.collusion
    if not scenario.simulated and collusion.colluders and not collusion.allow_in_deployment:
        raise ScenarioInvalid(
            "colluders in deployment mode would hand out real secrets",
            field="collusion.colluders",
            expected="none",
            got=", ".join(collusion.colluders),
            hint="If that is meant, set collusion.allow_in_deployment = true",
        )


_CHECKS = (
    _check_plugins,
    _check_features,
    _check_seed,
    _check_anchor_noise_once,
    _check_noise_is_used,
    _check_colluders,
    _check_target,
    _check_training_seeds,
    _check_deployed_collusion,
    check_codef,
    check_faults,
)
