"""What a participant's process leaves behind when its part is over."""

from collections.abc import Mapping

from collude.common.data import Share, load_dataset, load_share, split
from collude.common.logs import Log
from collude.common.net.setup import Setup
from collude.common.outcome import Outcome, write_outcome
from collude.participant.files import EVERYTHING, write_disclosable
from collude.participant.outcome import Ended, outcome_of
from collude.participant.silo import Silo


def finish(
    setup: Setup, session: Ended, silo: Silo, seconds: Mapping[str, float], log: Log
) -> Outcome:
    """Write the outcome, and in a simulation all that could be disclosed later; return the outcome.

    Args:
        setup: of the participant.
        session: that is over.
        silo: behind it.
        seconds: that it stood in each round.
        log: hears of it.
    """
    if setup.scenario.simulated and silo.has_uploaded:
        write_disclosable(setup.state_dir, silo.disclosure(EVERYTHING))
    outcome = outcome_of(session, silo, seconds)
    write_outcome(setup.state_dir, outcome)
    log.info("ended", state=outcome.state, **outcome.error)
    return outcome


def own_share(setup: Setup) -> Share:
    """Return the party's own records: from its file, or dealt from the scenario's data set.

    Raises:
        DataUnavailable: there is no such file, or no such data set.
        DataInvalid: the records cannot be used.
    """
    if setup.file.party.records is not None:
        return load_share(setup.file.party.records, setup.name)
    return split(load_dataset(setup.scenario), setup.scenario)[setup.name]
