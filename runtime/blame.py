"""Whose fault is it that a run failed: one error out of what all parties left behind."""

from collections.abc import Mapping

from collude.common.errors import ColludeError, PartyFailed, SessionAborted, by_code
from collude.common.ids import ANALYST
from collude.common.outcome import FINISHED, INTERRUPTED, Outcome

_GENERIC = frozenset({"E-ABORTED", "E-UNREACHABLE", "E-DISCLOSURE", "E-PARTY"})
"""Codes of those who only suffer from another's failure, or know no more than that it failed."""


def blame(outcomes: Mapping[str, Outcome | None], codes: Mapping[str, int]) -> ColludeError | None:
    """Return the error to show, or None if every party finished.

    Whoever the session went on without is not to blame; the results carry a warning. A party
    that died without a word comes first, then the most specific account, the analyst's before
    the others', because it sees everybody.

    Args:
        outcomes: party -> what it left; None if it left nothing.
        codes: party -> exit status of its process; empty in one process.
    """
    analyst = outcomes.get(ANALYST)
    left_out = set(analyst.result.get("left_out", ())) if analyst is not None else set()
    outcomes = {name: outcome for name, outcome in outcomes.items() if name not in left_out}
    for name, outcome in outcomes.items():
        if outcome is None:
            return PartyFailed(
                "died without a word",
                party=name,
                got=_status(codes.get(name)),
                hint=f"See logs/{name}.jsonl and logs/{name}.stderr in the run directory.",
            )
    failed = {n: o for n, o in outcomes.items() if o is not None and o.state != FINISHED}
    if not failed:
        return None
    name = min(failed, key=lambda n: _rank(n, failed[n]))
    return _error(name, failed[name])


def _rank(name: str, outcome: Outcome) -> tuple[bool, bool, bool, str]:
    code = outcome.error.get("code", "E-ABORTED")
    return (outcome.state == INTERRUPTED, code in _GENERIC, name != ANALYST, name)


def _error(name: str, outcome: Outcome) -> ColludeError:
    parts = dict(outcome.error)
    code = parts.pop("code", SessionAborted.code)
    reason = parts.pop("reason", "ended without a reason")
    parts.setdefault("party", name)
    kind = by_code(ColludeError).get(code, PartyFailed)
    return kind(reason, **parts)


def _status(code: int | None) -> str:
    if code is None:
        return "no exit status"
    return f"killed by signal {-code}" if code < 0 else f"exit status {code}"
