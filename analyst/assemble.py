"""The analyst's session out of a scenario: the same in every runtime."""

from dataclasses import replace

from collude.analyst.learning import Lesson
from collude.analyst.session import AnalystSession
from collude.codef.period.waits import period_wait
from collude.common.protocol.terms import terms_of
from collude.common.roster import Roster
from collude.common.scenario import Scenario
from collude.common.training import trainer, training_device


def assemble(scenario: Scenario, roster: Roster) -> AnalystSession:
    """Return the analyst's session.

    Raises:
        ScenarioInvalid: CUDA is wanted and does not work here.
        ExtraMissing: the model is trained with torch, which is not installed.
    """
    training, alignment = scenario.training, scenario.alignment
    device = training_device(training.model, training.device)
    lesson = Lesson(
        estimator=alignment.estimator,
        train=trainer(training.model, device),
        seeds=training.seeds,
        screen=alignment.screen,
        device=device,
    )
    terms = terms_of(scenario, roster)
    if terms.counted:
        terms = replace(terms, join_deadlines=period_wait(scenario.codef.epochs))
    return AnalystSession(terms, lesson)
