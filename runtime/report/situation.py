"""What the page is about, in its first sentences."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from collude.runtime.report.stored import StoredRun
from collude.runtime.report.words import NUMBERS, listed

_COLLUDERS: Mapping[str, str] = MappingProxyType({
    "liar": "It lies: it hands over secrets that fit no upload, and invented records.",
    "stale": "What it hands over is stale: secrets of another session, which fit no upload.",
    "partial": "It hands over a random half of its records only.",
})


def headline(runs: Sequence[StoredRun]) -> str:
    """Return what the page is about, in one sentence or three."""
    scenario = runs[0].manifest.scenario
    count = int(scenario.get("data", {}).get("participants", 0))
    if runs[0].manifest.releases:
        persons = scenario.get("codef", {}).get("persons", "some")
        return f"{_many(count)} silos answered about {persons} persons. This is who was named."
    found = [run.attacks for run in runs if run.attacks]
    who = f"{_many(count)} participants" if count else "The participants"
    if not found:
        return f"{who} trained one model without showing their records."
    colluders = len(found[0].colluders)
    some = f"{_many(colluders)} colluded." if colluders else ""
    return " ".join(filter(None, (f"{who} hid their records.", some, "This is what came out.")))


def _many(count: int) -> str:
    return NUMBERS.get(count, str(count))


def situation(runs: Sequence[StoredRun]) -> str:
    """Return who attacks whom with what, in sentences; empty if nobody attacks."""
    if runs[0].manifest.releases:
        return _asked(runs[0])
    found = [run.attacks for run in runs if run.attacks]
    if not found:
        return ""
    collusion = runs[0].manifest.scenario.get("collusion", {})
    disclosed = listed(tuple(collusion.get("disclose", ())))
    goal = f"try to rebuild the records of {found[0].target}, who did nothing wrong"
    if not found[0].colluders:
        return f"Nobody colludes: the analyst alone uses what it received to {goal}."
    sentences = (
        f"{listed(found[0].colluders).capitalize()} hands its own {disclosed} to the analyst.",
        _told(str(collusion.get("colluder", "honest"))),
        f"Together they {goal}.",
    )
    return " ".join(filter(None, sentences))


def _told(colluder: str) -> str:
    """Return in which way colluders tell; empty where they tell the truth."""
    if colluder == "honest":
        return ""
    return _COLLUDERS.get(colluder, f"What it hands over is made by the colluder {colluder}.")


def _asked(run: StoredRun) -> str:
    if not run.manifest.scenario.get("collusion", {}).get("attacks"):
        return "Nobody asks the silos; they only count together."
    source = str(run.manifest.scenario.get("data", {}).get("source"))
    known = "the secrets that two silos share" if source.startswith("xor") else "the attributes"
    return (
        f"Somebody who knows {known} of everybody asks all silos about persons behind random "
        "handles, and names them by the noisy answers."
    )
