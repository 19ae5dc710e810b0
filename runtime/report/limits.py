"""What the runs show and what they do not."""

from collections.abc import Iterator, Sequence

from collude.runtime.report.codef_documents import PersonReleases
from collude.runtime.report.documents import PERSON_RELEASES
from collude.runtime.report.stored import StoredRun


def shows(runs: Sequence[StoredRun]) -> tuple[str, ...]:
    """Return what the runs do show, in sentences."""
    return tuple(_shows(runs))


def limits(runs: Sequence[StoredRun]) -> tuple[str, ...]:
    """Return what the runs do not show, in sentences."""
    return tuple(_limits(runs))


def _attacked(runs: Sequence[StoredRun]) -> list[StoredRun]:
    return [run for run in runs if run.attacks and run.attacks.attacks]


def _asked(runs: Sequence[StoredRun]) -> list[PersonReleases]:
    found = (run.person_releases for run in runs)
    return [each for each in found if each is not None and any(p.attacks for p in each.policies)]


def _shows(runs: Sequence[StoredRun]) -> Iterator[str]:
    if _attacked(runs):
        yield (
            "What this coalition could rebuild with these attacks, from what it really received: "
            "the attacker is a party of its own and sees no truth. The truth is used only to "
            "score it afterwards."
        )
        yield (
            "That the choice of attack decides the answer. Under one and the same protocol the "
            "attacks differ, so a protocol is judged by the worst of them, not by one."
        )
    if any(not run.manifest.releases for run in runs):
        yield "What the model loses when records are hidden in this way, with intervals."
    if _asked(runs):
        yield (
            "How often these attacks named the right person by what silos really answered, beside "
            "what theory says: a guarantee, where there is one, and an estimate."
        )
        yield from _who_kept_the_limit(_asked(runs))


def _who_kept_the_limit(found: Sequence[PersonReleases]) -> Iterator[str]:
    """Yield what came of leases, and of the rule without, where the referee could tell."""
    over = {
        leased: [
            bool(period.overshoot.persons_over)
            for codef in found
            for period in codef.policies
            if period.overshoot is not None and period.leased is leased
        ]
        for leased in (True, False)
    }
    if over[True] and not any(over[True]):
        yield "That leases kept every limit in these runs, with all silos answering at once."
    if any(over[False]):
        yield (
            "That a rule without leases, which counts answers and not what they tell, released "
            "more than it meant to."
        )


def _limits(runs: Sequence[StoredRun]) -> Iterator[str]:
    if _attacked(runs) or _asked(runs):
        yield (
            "Safety. The figures are a lower bound on what leaks: somebody else may know a "
            "better attack. An attack that cannot run proves nothing either."
        )
    yield from _about_releases(_asked(runs))
    yield from _about_data(runs)
    if any(run.manifest.method not in {"local", PERSON_RELEASES} for run in runs):
        yield "Secret labels: they travel in clear, and the analyst sees every one of them."
    auditor = next((run.attacks.auditor for run in _attacked(runs) if run.attacks), None)
    if auditor is not None:
        yield (
            f"How well a better matcher would do. Linkage is judged by {auditor.name}, which was "
            "trained on other people only; it is no match for a modern face network. What the "
            "eye sees and what it finds are two things: a picture full of noise can still be "
            "matched, and a smooth one can show the wrong person."
        )


def _about_releases(found: Sequence[PersonReleases]) -> Iterator[str]:
    if not found:
        return
    yield (
        "What an attacker does who looks at all persons at once. The guarantee is for the answers "
        "about one person: who knows that every person is behind one handle, and is told about "
        "all, can do a little better (the attack one-to-one)."
    )
    yield (
        "What silos do that lie about their counts, or a coordinator that grants what the sum does "
        "not allow: such damage is bounded, not prevented (docs/threat-model.md)."
    )
    yield (
        "Other attributes: they are fair coins here, drawn at random. Dependent ones change what "
        "an attack reaches, and no guarantee."
    )


def _about_data(runs: Sequence[StoredRun]) -> Iterator[str]:
    told: dict[str, None] = {}
    for run in runs:
        data = run.manifest.data
        if data is None:
            continue
        participants = int(run.manifest.scenario.get("data", {}).get("participants", 0))
        if data.people and participants:
            told |= dict.fromkeys(_about_people(participants, data.people // participants))
        if data.label_note:
            told[f"The truth about the labels of {data.source}: they are {data.label_note}."] = None
        if data.persons and data.synthetic:
            told["Real people: the persons asked about are drawn by a program."] = None
        elif data.synthetic:
            told[f"Real people: {data.source} is synthetic, made up by a program."] = None
    yield from told


def _about_people(participants: int, each: int) -> Iterator[str]:
    yield (
        f"Scale: {participants} participants with {each} people each, not the 50 with 100 each of "
        "the paper. Intervals are wide, and differences inside them are no findings."
    )
    yield (
        "New people: held-out records are of the same people as the training records, so the "
        "utility says nothing about strangers."
    )
