"""The analyst's session out of a scenario: the same in every runtime."""

from collude.analyst.learning import Lesson
from collude.analyst.session import AnalystSession
from collude.common.protocol.terms import terms_of
from collude.common.roster import Roster
from collude.common.scenario import Scenario
from collude.common.training import trainer


def assemble(scenario: Scenario, roster: Roster) -> AnalystSession:
    """Return the analyst's session."""
    training = scenario.training
    train = trainer(training.model, training.device)
    alignment = scenario.alignment
    lesson = Lesson(alignment.estimator, train, training.seeds, screen=alignment.screen)
    return AnalystSession(terms_of(scenario, roster), lesson)
