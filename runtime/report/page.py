"""Everything the page shows, ready to be placed: the template decides nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.runtime.report.attack_table import AttackTable, attack_table
from collude.runtime.report.counted import Counted, counted
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
from collude.runtime.report.releases import Releases, all_releases
from collude.runtime.report.situation import headline, situation
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.summary import Summary, summary
from collude.runtime.report.traffic import Traffic, traffic
from collude.runtime.report.utility_table import UtilityTable, utility_table

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
        records: whether any run shares records; what follows up to `traffic` is about those.
        releases: the runs in which silos answered about persons.
        counted: the noise that CoDef set for uploads.
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
    records: bool
    releases: tuple[Releases, ...]
    counted: tuple[Counted, ...]
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
    shared = [run for run in runs if not run.manifest.releases]
    # Where nothing but answers is to be told, the tables on records stay empty.
    records = [run for run in main if not run.manifest.releases]
    told = (warning for run in runs if run.results for warning in run.results.warnings)
    return Page(
        name=name,
        headline=headline(main),
        simulation=main[0].manifest.mode == "simulation",
        badges=badges(main[0].manifest),
        situation=situation(main),
        records=bool(shared),
        releases=all_releases(runs),
        counted=counted(shared),
        first=first_gallery(records),
        gallery=build_gallery(records),
        summary=summary(records),
        utility=tuple(
            (source, utility_table(group))
            for source, group in groups.items()
            if not group[0].manifest.releases
        ),
        attacks=attack_table(records),
        secrets=tuple(SECRETS.values()),
        knowledge=knowledge(records),
        traffic=traffic([*records, *(run for run in runs if run.manifest.releases)]),
        timeline=timeline(main),
        shows=shows(runs),
        limits=limits(runs),
        digests=digests([run for group in groups.values() for run in group]),
        facts=tuple(facts([run.manifest for run in group]) for group in groups.values()),
        warnings=tuple(dict.fromkeys(told)),
        unfinished=unfinished(runs),
    )


def _by_data(runs: Sequence[StoredRun]) -> dict[str, list[StoredRun]]:
    """Return the runs on each data set: first those on which records were attacked, then the rest.

    Answers about persons come last: a page that has both begins with the records.
    """
    groups: dict[str, list[StoredRun]] = {}
    for run in runs:
        source = run.manifest.data.source if run.manifest.data else "own data"
        groups.setdefault(source, []).append(run)
    attacked = {source: any(run.attacks for run in group) for source, group in groups.items()}
    return dict(
        sorted(
            groups.items(),
            key=lambda entry: (entry[1][0].manifest.releases, not attacked[entry[0]]),
        )
    )
