"""What is run: a frozen scenario, read from TOML, checked at once, with a digest."""

from collude.common.methods import METHODS, MethodTraits
from collude.common.scenario.digest import (
    load_party_scenario,
    party_view,
    scenario_digest,
    seed_digest,
)
from collude.common.scenario.document import build_scenario, load_scenario, with_overrides
from collude.common.scenario.model import Scenario
from collude.common.scenario.sections import ResolvedMechanism

__all__ = [
    "METHODS",
    "MethodTraits",
    "ResolvedMechanism",
    "Scenario",
    "build_scenario",
    "load_party_scenario",
    "load_scenario",
    "party_view",
    "scenario_digest",
    "seed_digest",
    "with_overrides",
]
