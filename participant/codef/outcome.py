"""How a silo's part in its periods ended."""

from collections.abc import Mapping

from collude.common.outcome import FAILED, FINISHED, Outcome, error_facts
from collude.participant.codef.session import SiloSession


def outcome_of(session: SiloSession, seconds: Mapping[str, float]) -> Outcome:
    """Return it, with the seconds that the silo stood in each round."""
    error = session.error
    return Outcome(
        state=FINISHED if error is None else FAILED,
        error={} if error is None else error_facts(error),
        rounds=dict(seconds),
        warnings=[str(refused) for refused in session.refused],
    )
