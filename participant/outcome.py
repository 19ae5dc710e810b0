"""How a participant's part in a session ended, and under which noise it uploaded."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from collude.common.errors import ColludeError
from collude.common.outcome import FAILED, FINISHED, Outcome, error_facts
from collude.participant.silo import Silo

UPLOAD = "upload"
"""Where in the outcome's result the noise stands that CoDef set."""


class Ended(Protocol):
    """A session that is over."""

    @property
    def error(self) -> ColludeError | None:
        """Why it ended early, or None."""

    @property
    def refused(self) -> Sequence[ColludeError]:
        """Messages that did not belong and changed nothing."""


def outcome_of(session: Ended, silo: Silo, seconds: Mapping[str, float]) -> Outcome:
    """Return it, with the seconds that the participant stood in each round.

    A period ends with its upload, and the lease is charged whole: what stands here under `upload`
    is what was charged, whoever starts another period over the same persons.
    """
    error = session.error
    uploaded = silo.counted is not None and silo.has_uploaded
    return Outcome(
        state=FINISHED if error is None else FAILED,
        error={} if error is None else error_facts(error),
        rounds=dict(seconds),
        warnings=[str(refused) for refused in session.refused],
        result={UPLOAD: silo.counted.facts()} if uploaded and silo.counted else {},
    )
