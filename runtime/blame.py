"""Whose fault is it that a run failed: one error out of what all parties left behind."""

from collections.abc import Mapping

from collude.common.errors import ColludeError, PartyFailed, SessionAborted, by_code
from collude.common.ids import ANALYST, COORDINATOR
from collude.common.outcome import FINISHED, INTERRUPTED, Outcome

_LATE, _SUFFERS = 1, 2

_SEE_ALL = (ANALYST, COORDINATOR)
"""Parties that see all others."""

_SYMPTOMS = {
    "E-DEADLINE": _LATE,  # somebody waited in vain; whoever ended earlier may know why
    "E-ABORTED": _SUFFERS,
    "E-UNREACHABLE": _SUFFERS,
    "E-DISCLOSURE": _SUFFERS,
    "E-PARTY": _SUFFERS,
}
"""Codes of those who saw another's failure only from outside: the higher, the less they know."""


def blame(outcomes: Mapping[str, Outcome | None], codes: Mapping[str, int]) -> ColludeError | None:
    """Return the error to show, or None if every party finished.

    Whoever the session went on without is not to blame; the results carry a warning. A party
    that died without a word comes first, then the most specific account, the analyst's and
    the coordinator's before the others', because they see everybody.

    Args:
        outcomes: party -> what it left; None if it left nothing.
        codes: party -> exit status of its process; empty in one process. Whoever is not in it
            and left nothing was never started.
    """
    left_out = {name for seen in map(outcomes.get, _SEE_ALL) for name in _gone(seen)}
    outcomes = {name: outcome for name, outcome in outcomes.items() if name not in left_out}
    for name, outcome in outcomes.items():
        if outcome is None and name in codes:
            return PartyFailed(
                "died without a word",
                party=name,
                got=_status(codes[name]),
                hint=f"See logs/{name}.jsonl and logs/{name}.stderr in the run directory.",
            )
    failed = {n: o for n, o in outcomes.items() if o is not None and o.state != FINISHED}
    if not failed:
        return None
    name = min(failed, key=lambda n: _rank(n, failed[n]))
    return _error(name, failed[name])


def _gone(outcome: Outcome | None) -> set[str]:
    """Return whom a party that sees everybody went on without."""
    if outcome is None:
        return set()
    went_on = outcome.state == FINISHED
    return {
        *outcome.result.get("left_out", ()),
        *(outcome.result.get("left", ()) if went_on else ()),
    }


def _rank(name: str, outcome: Outcome) -> tuple[bool, int, bool, str]:
    symptom = _SYMPTOMS.get(outcome.error.get("code", SessionAborted.code), 0)
    return (outcome.state == INTERRUPTED, symptom, name not in _SEE_ALL, name)


def _error(name: str, outcome: Outcome) -> ColludeError:
    parts = dict(outcome.error)
    code = parts.pop("code", SessionAborted.code)
    reason = parts.pop("reason", "ended without a reason")
    parts.setdefault("party", name)
    kind = by_code(ColludeError).get(code, PartyFailed)
    return kind(reason, **parts)


def _status(code: int) -> str:
    return f"killed by signal {-code}" if code < 0 else f"exit status {code}"
