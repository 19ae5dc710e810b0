"""Everything the page shows, ready to be placed: the template decides nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.runtime.report.attack_table import AttackTable, attack_table
from collude.runtime.report.gallery import Gallery, build_gallery
from collude.runtime.report.provenance import (
    RunDigests,
    Unfinished,
    badges,
    digests,
    facts,
    unfinished,
)
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.utility_table import UtilityTable, utility_table
from collude.runtime.report.words import listed


@dataclass(frozen=True, eq=False)
class Page:
    """The report's content.

    Attributes:
        name: title of the page.
        simulation: the runs were seeded and protect nobody; the header must say so.
        badges: the runs in a few short words.
        situation: who attacks whom with what, in sentences.
        gallery: images, None if there are none.
        utility: what the models are worth.
        attacks: what the coalition arrived at.
        digests: for each run.
        facts: what the runs have in common.
        warnings: what the runs warned of.
        unfinished: runs without results.
    """

    name: str
    simulation: bool
    badges: tuple[str, ...]
    situation: str
    gallery: Gallery | None
    utility: UtilityTable
    attacks: AttackTable
    digests: tuple[RunDigests, ...]
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    unfinished: tuple[Unfinished, ...]


def build_page(runs: Sequence[StoredRun], name: str) -> Page:
    """Return the content for one run, or for several runs of one scenario.

    Args:
        runs: at least one; the first one's manifest stands for what they have in common.
        name: the page's title.
    """
    manifest = runs[0].manifest
    told = (warning for run in runs if run.results for warning in run.results.warnings)
    return Page(
        name=name,
        simulation=manifest.mode == "simulation",
        badges=badges(manifest),
        situation=_situation(runs),
        gallery=build_gallery(runs),
        utility=utility_table(runs),
        attacks=attack_table(runs),
        digests=digests(runs),
        facts=facts(manifest),
        warnings=tuple(dict.fromkeys(told)),
        unfinished=unfinished(runs),
    )


def _situation(runs: Sequence[StoredRun]) -> str:
    found = [run.results.attacks for run in runs if run.results and run.results.attacks]
    if not found:
        return ""
    collusion = runs[0].manifest.scenario.get("collusion", {})
    disclosed = listed(tuple(collusion.get("disclose", ())))
    goal = f"try to rebuild the records of {found[0].target}"
    if not found[0].colluders:
        return f"Nobody colludes: the analyst alone uses what it received to {goal}."
    return (
        f"Here {listed(found[0].colluders)} colludes with the analyst and hands over its own "
        f"{disclosed}. Together they {goal}."
    )
