"""The querier's session out of a scenario and what it knows: the same in every runtime."""

from collections.abc import Sequence

from collude.attacker.releases.channels import Channel, DiscreteGaussian, RandomisedResponse
from collude.attacker.releases.knowledge import Knowledge, knowledge_of
from collude.attacker.releases.session import QuerierSession
from collude.attacker.releases.strategies import strategy_named
from collude.attacker.releases.terms import PeriodPlan, QuerierTerms
from collude.codef.period.planned import settings_of
from collude.codef.policy import (
    STEPS_PER_BIT,
    GaussianAnswers,
    PolicySettings,
    noise_of,
    policy_of,
)
from collude.common.data.persons import KnownPopulation
from collude.common.randomness import Entropy
from collude.common.roster import Roster
from collude.common.scenario import Scenario


def channel_of(settings: PolicySettings) -> Channel:
    """Return how the answers of a period are made, as everybody knows."""
    levels, noise = policy_of(settings).levels, noise_of(settings)
    if isinstance(noise, GaussianAnswers):
        return DiscreteGaussian(tuple(map(noise.sigma, levels)), 1 / STEPS_PER_BIT)
    return RandomisedResponse(levels)


def knowledge_in(scenario: Scenario, known: Sequence[KnownPopulation]) -> list[Knowledge]:
    """Return what the querier knows in each period of a release scenario.

    Raises:
        ParameterInvalid: what is known does not fit the scenario.
    """
    return [
        knowledge_of(each.kind, each.bits, each.present, scenario.participants, channel_of(numbers))
        for each, numbers in zip(known, settings_of(scenario), strict=True)
    ]


def assemble(
    scenario: Scenario, roster: Roster, known: Sequence[KnownPopulation], entropy: Entropy
) -> QuerierSession:
    """Return the querier's session.

    Args:
        scenario: a release scenario.
        roster: everybody's pinned keys.
        known: of the persons of each period.
        entropy: the querier's.

    Raises:
        ParameterInvalid: what is known does not fit the scenario.
        PluginUnknown: there is no such strategy.
    """
    silos = {name: roster.keys[name] for name in scenario.participants}
    plans = [
        PeriodPlan(
            knowledge,
            scenario.codef.epochs,
            strategy_named(scenario.codef.strategy),
            entropy.generator("releases/strategy", period),
        )
        for period, knowledge in enumerate(knowledge_in(scenario, known))
    ]
    return QuerierSession(QuerierTerms(silos, scenario.network.deadline_s), plans)
