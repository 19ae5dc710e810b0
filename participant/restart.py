"""Is this restart one that a participant may follow?"""

from collude.common.errors import ProtocolViolation
from collude.common.ids import ANALYST
from collude.common.protocol.messages import Restart
from collude.common.protocol.terms import MAX_RESTARTS, MIN_PARTICIPANTS
from collude.participant.core import Core


def checked_restart(core: Core, restart: Restart) -> Core:
    """Return the participant's knowledge for the next attempt.

    Raises:
        ProtocolViolation: not the next attempt, too many of them, not more parties left out than
            before, strangers or myself among them, or too few would stay.
    """
    before, gone = core.terms, restart.left_out
    stay = [p for p in before.roster.participants if p not in gone]
    conditions = (
        (restart.attempt == before.attempt + 1, f"attempt {before.attempt + 1}", restart.attempt),
        (restart.attempt <= MAX_RESTARTS, f"at most {MAX_RESTARTS} restarts", restart.attempt),
        (list(gone) == sorted(set(gone)), "names in order, each once", gone),
        (set(gone) > set(before.left_out), "more parties left out than before", gone),
        (set(gone) <= set(before.roster.participants), "participants of the roster", gone),
        (core.name in stay, f"{core.name} among those who stay", gone),
        (len(stay) >= MIN_PARTICIPANTS, f"at least {MIN_PARTICIPANTS} who stay", len(stay)),
    )
    for holds, expected, got in conditions:
        if not holds:
            raise ProtocolViolation(
                "the restart cannot be followed",
                party=ANALYST,
                field="restart",
                expected=expected,
                got=got,
            )
    return core.again(gone)
