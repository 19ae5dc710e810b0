"""The periods that a scenario plans, as every silo and the coordinator compute them."""

from collections.abc import Sequence

from collude.codef.period.terms import PeriodTerms
from collude.codef.policy import PolicySettings, policy_of
from collude.common.ids import ATTACKER
from collude.common.roster import Roster
from collude.common.scenario import Scenario, scenario_digest


def settings_of(scenario: Scenario) -> tuple[PolicySettings, ...]:
    """Return the numbers behind the policy of each period.

    Raises:
        ParameterInvalid: a number is out of range.
    """
    codef = scenario.codef
    return tuple(
        PolicySettings(
            policy=policy,
            persons=codef.persons,
            silos=scenario.data.participants,
            attributes=codef.attributes if scenario.releases else 0,
            gamma=codef.gamma,
            max_success=codef.max_success,
            epsilon=codef.epsilon,
            epsilon_after=codef.epsilon_after,
            epsilon_grid=codef.epsilon_grid,
            unit=codef.unit,
            mechanism=codef.mechanism,
            delta=codef.delta,
        )
        for policy in codef.periods
    )


def planned(scenario: Scenario, roster: Roster) -> Sequence[PeriodTerms]:
    """Return the terms of each period of a scenario with CoDef, in order.

    Raises:
        ParameterInvalid: counts could not be aggregated under these terms.
        PluginUnknown: a policy is not registered.
        PluginInvalid: what is registered makes no policy.
    """
    codef, settings = scenario.codef, settings_of(scenario)
    asked = scenario.releases and bool(scenario.collusion.attacks)
    return [
        PeriodTerms(
            roster=roster,
            scenario_digest=scenario_digest(scenario),
            period=period,
            policy=policy_of(numbers),
            persons=codef.persons,
            attributes=numbers.attributes,
            epochs=codef.epochs,
            slots_per_lease=codef.slots_per_lease,
            threshold=scenario.threshold,
            min_silos=codef.min_silos,
            deadline_s=scenario.network.deadline_s,
            querier=ATTACKER if asked else None,
            uploads=not scenario.releases,
            pedersen=codef.pedersen,
        )
        for period, numbers in enumerate(settings)
    ]
