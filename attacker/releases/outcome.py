"""How the querier's part ended."""

from collections.abc import Mapping

from collude.attacker.releases.interruptible import Interruptible
from collude.attacker.releases.session import QuerierSession
from collude.common.outcome import FAILED, FINISHED, Outcome, error_facts

ATTACKS = "attacks"
"""Folder of what the attacks say, in the party's own."""


def outcome_of(querier: Interruptible, seconds: Mapping[str, float]) -> Outcome:
    """Return how the querier's part ended: silos that were lost are warnings."""
    error = querier.error
    return Outcome(
        state=FINISHED if error is None else FAILED,
        error={} if error is None else error_facts(error),
        rounds=dict(seconds),
        warnings=_warnings(querier.session),
    )


def _warnings(session: QuerierSession) -> list[str]:
    lost = [*session.given_up.values(), *session.refused.values()]
    notes = [note for result in session.results for note in result.notes]
    return [str(each) for each in (*lost, *notes, *session.strays)]
