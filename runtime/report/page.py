"""Everything the page shows, ready to be placed: the template decides nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.runtime.report.attack_table import AttackTable, attack_table
from collude.runtime.report.events import Timeline, timeline
from collude.runtime.report.gallery import Gallery, build_gallery, first_gallery
from collude.runtime.report.knowledge import SECRETS, Matrix, knowledge
from collude.runtime.report.limits import limits, shows
from collude.runtime.report.provenance import (
    RunDigests,
    Unfinished,
    badges,
    digests,
    facts,
    unfinished,
)
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.summary import Summary, summary
from collude.runtime.report.traffic import Traffic, traffic
from collude.runtime.report.utility_table import UtilityTable, utility_table
from collude.runtime.report.words import NUMBERS, listed

Facts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Page:
    """The report's content.

    Attributes:
        name: title of the page.
        headline: what the page is about, in one sentence.
        simulation: the runs were seeded and protect nobody; the header must say so.
        badges: the runs in a few short words.
        situation: who attacks whom with what, in sentences.
        first: the pictures that tell the story, None if there are none.
        gallery: all pictures.
        summary: utility beside linkage, None if nobody judged linkage.
        utility: what the models are worth, for each data set with its name.
        attacks: what the coalition arrived at.
        secrets: what there is to know.
        knowledge: who learned what.
        traffic: bytes and seconds.
        timeline: what happened when, None where nobody noted it.
        shows: what the runs show.
        limits: what they do not.
        digests: for each run.
        facts: what the runs on each data set have in common.
        warnings: what the runs warned of.
        unfinished: runs without results.
    """

    name: str
    headline: str
    simulation: bool
    badges: tuple[str, ...]
    situation: str
    first: Gallery | None
    gallery: Gallery | None
    summary: Summary | None
    utility: tuple[tuple[str, UtilityTable], ...]
    attacks: AttackTable
    secrets: tuple[str, ...]
    knowledge: tuple[Matrix, ...]
    traffic: tuple[Traffic, ...]
    timeline: Timeline | None
    shows: tuple[str, ...]
    limits: tuple[str, ...]
    digests: tuple[RunDigests, ...]
    facts: tuple[Facts, ...]
    warnings: tuple[str, ...]
    unfinished: tuple[Unfinished, ...]


def build_page(runs: Sequence[StoredRun], name: str) -> Page:
    """Return the content for one run, or for several runs of a demo.

    Args:
        runs: at least one; those on the data set that was attacked are the main ones.
        name: the page's title.
    """
    groups = _by_data(runs)
    main = next(iter(groups.values()))
    told = (warning for run in runs if run.results for warning in run.results.warnings)
    return Page(
        name=name,
        headline=_headline(main),
        simulation=main[0].manifest.mode == "simulation",
        badges=badges(main[0].manifest),
        situation=_situation(main),
        first=first_gallery(main),
        gallery=build_gallery(main),
        summary=summary(main),
        utility=tuple((source, utility_table(group)) for source, group in groups.items()),
        attacks=attack_table(main),
        secrets=tuple(SECRETS.values()),
        knowledge=knowledge(main),
        traffic=traffic(main),
        timeline=timeline(main),
        shows=shows(runs),
        limits=limits(runs),
        digests=digests([run for group in groups.values() for run in group]),
        facts=tuple(facts([run.manifest for run in group]) for group in groups.values()),
        warnings=tuple(dict.fromkeys(told)),
        unfinished=unfinished(runs),
    )


def _by_data(runs: Sequence[StoredRun]) -> dict[str, list[StoredRun]]:
    """Return the runs on each data set, those first on which something was attacked."""
    groups: dict[str, list[StoredRun]] = {}
    for run in runs:
        source = run.manifest.data.source if run.manifest.data else "own data"
        groups.setdefault(source, []).append(run)
    attacked = {source: any(run.attacks for run in group) for source, group in groups.items()}
    return dict(sorted(groups.items(), key=lambda entry: not attacked[entry[0]]))


def _headline(runs: Sequence[StoredRun]) -> str:
    scenario = runs[0].manifest.scenario
    count = int(scenario.get("data", {}).get("participants", 0))
    found = [run.attacks for run in runs if run.attacks]
    who = f"{NUMBERS.get(count, str(count))} participants" if count else "The participants"
    if not found:
        return f"{who} trained one model without showing their records."
    colluders = len(found[0].colluders)
    some = f"{NUMBERS.get(colluders, str(colluders))} colluded." if colluders else ""
    return " ".join(filter(None, (f"{who} hid their records.", some, "This is what came out.")))


def _situation(runs: Sequence[StoredRun]) -> str:
    found = [run.attacks for run in runs if run.attacks]
    if not found:
        return ""
    collusion = runs[0].manifest.scenario.get("collusion", {})
    disclosed = listed(tuple(collusion.get("disclose", ())))
    goal = f"try to rebuild the records of {found[0].target}, who did nothing wrong"
    if not found[0].colluders:
        return f"Nobody colludes: the analyst alone uses what it received to {goal}."
    return (
        f"{listed(found[0].colluders).capitalize()} hands its own {disclosed} to the analyst. "
        f"Together they {goal}."
    )
