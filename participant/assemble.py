"""One participant's session out of a scenario and its own things: the same in every runtime."""

import numpy as np

from collude.codef.period.leases import Lease
from collude.codef.period.planned import planned
from collude.common.data import Share, check_share
from collude.common.data.person_index import persons_of
from collude.common.protocol.signing import SigningKey
from collude.common.protocol.terms import terms_of
from collude.common.randomness import Entropy
from collude.common.roster import Roster
from collude.common.scenario import Scenario
from collude.common.training import trainer
from collude.participant.codef.core import SiloCore
from collude.participant.codef.session import SiloSession
from collude.participant.core import Core
from collude.participant.r2_count import rule_of
from collude.participant.session import ParticipantSession
from collude.participant.silo import Recipe, Silo
from collude.participant.successive import Successive


def recipe_of(scenario: Scenario, width: int) -> Recipe:
    """Return how a silo with records of `width` columns takes part.

    Raises:
        ScenarioInvalid: the anchor has too few rows for this width.
        ParameterInvalid: CoDef cannot count under these numbers.
    """
    mechanism, training = scenario.mechanism.resolve(width), scenario.training
    return Recipe(
        method=mechanism.method,
        anchor_rows=mechanism.anchor_rows or 0,
        anchor_noise=mechanism.anchor_noise,
        private_noise=mechanism.private_noise,
        train=trainer(training.model, training.device),
        training_seeds=training.seeds,
        counted=rule_of(scenario),
    )


def assemble(
    scenario: Scenario,
    name: str,
    roster: Roster,
    share: Share,
    signing_key: SigningKey,
    entropy: Entropy,
) -> tuple[ParticipantSession, Silo]:
    """Return the session, and the silo that a colluder discloses from.

    Raises:
        DataInvalid: the records or labels cannot be used.
        ScenarioInvalid: the anchor has too few rows for their width, or the model is for
            another width or fewer classes.
    """
    checked = check_share(share, name)
    scenario.training.require_fit(checked.width, len(np.unique(checked.labels)))
    discloses = scenario.simulated or name in scenario.collusion.colluders
    silo = Silo(checked, recipe_of(scenario, checked.width), entropy, discloses=discloses)
    core = Core(name, terms_of(scenario, roster), signing_key, entropy)
    return ParticipantSession(core, silo), silo


def assemble_counted(
    scenario: Scenario, roster: Roster, share: Share, core: SiloCore
) -> tuple[Successive, Silo]:
    """Return a session under CoDef: a budget period first, then the representation session.

    Args:
        scenario: one of records, with CoDef.
        roster: everybody's pinned keys.
        share: the participant's records, which say whose they are.
        core: who it is, and in which sessions it took part, also before a restart.

    Raises:
        DataInvalid: the records cannot be used, or do not say whose they are.
        ScenarioInvalid: the scenario does not fit the records.
        ParameterInvalid: counts could not be aggregated under the scenario's terms.
    """
    session, silo = assemble(scenario, core.name, roster, share, core.signing_key, core.entropy)
    persons_of(share, scenario.codef.persons, core.name)  # refused now, and not after the period

    def under(lease: Lease | None) -> ParticipantSession:
        silo.count(lease, core.name)
        return session

    return Successive(SiloSession(core, planned(scenario, roster)), under), silo
