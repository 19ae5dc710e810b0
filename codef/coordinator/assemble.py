"""The coordinator's session out of a scenario: the same in every runtime."""

from collude.codef.coordinator.session import CoordinatorSession
from collude.codef.period.planned import planned
from collude.common.protocol.signing import SigningKey
from collude.common.roster import Roster
from collude.common.scenario import Scenario


def assemble(scenario: Scenario, roster: Roster, signing_key: SigningKey) -> CoordinatorSession:
    """Return the coordinator's session.

    Raises:
        ParameterInvalid: counts could not be aggregated under the scenario's terms.
    """
    return CoordinatorSession(planned(scenario, roster), signing_key)
