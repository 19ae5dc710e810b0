"""What went wrong on purpose, and what came of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from collude.common import plugins
from collude.common.errors import ColludeError
from collude.runtime.report.stored import StoredRun


@dataclass(frozen=True)
class Planned:
    """One party that failed or cheated because the scenario says so.

    Attributes:
        party: who.
        what: what it did.
        outcome: what came of it in this run.
    """

    party: str
    what: str
    outcome: str


def planned_faults(run: StoredRun) -> tuple[Planned, ...]:
    """Return what the scenario's `[faults]` say, with what came of each; also of a failed run."""
    return tuple(_planned(run))


def _planned(run: StoredRun) -> Iterator[Planned]:
    faults = run.manifest.scenario.get("faults", {})
    for party, deviation in faults.get("deviator", {}).items():
        yield Planned(party, f"{deviation}: {_described(deviation)}", _outcome(run, party))
    for party, round_ in faults.get("crash", {}).items():
        yield Planned(party, f"falls silent for ever in the round {round_}", _outcome(run, party))


def _outcome(run: StoredRun, party: str) -> str:
    codef = run.person_releases or run.counted
    if codef is None:
        return f"The run ended: {run.status.detail or run.status.state}"
    if party in codef.left:
        return f"The others went on without it: {codef.left[party]}"
    return "Nothing stopped it in this run; the figures above hold what it did."


def _described(deviation: str) -> str:
    """Return what the plug-in says of itself."""
    try:
        found = plugins.find(plugins.DEVIATORS, deviation)
    except ColludeError:  # it is registered no more
        return "a deviation of a plug-in"
    return " ".join((found.__doc__ or "").split())
