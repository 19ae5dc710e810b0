"""The analyst's session out of a scenario: the same in every runtime."""

from collude.analyst.learning import Lesson
from collude.analyst.session import AnalystSession
from collude.common.protocol.terms import terms_of
from collude.common.roster import Roster
from collude.common.scenario import Scenario
from collude.common.training import trainers

TRAINING_SEED = 0


def assemble(scenario: Scenario, roster: Roster) -> AnalystSession:
    """Return the analyst's session."""
    train = trainers[scenario.training.model]
    alignment = scenario.alignment
    lesson = Lesson(alignment.estimator, train, TRAINING_SEED, screen=alignment.screen)
    return AnalystSession(terms_of(scenario, roster), lesson)
