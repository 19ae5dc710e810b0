"""What the runs show and what they do not."""

from collections.abc import Iterator, Sequence

from collude.runtime.report.stored import StoredRun


def shows(runs: Sequence[StoredRun]) -> tuple[str, ...]:
    """Return what the runs do show, in sentences."""
    return tuple(_shows(runs))


def limits(runs: Sequence[StoredRun]) -> tuple[str, ...]:
    """Return what the runs do not show, in sentences."""
    return tuple(_limits(runs))


def _attacked(runs: Sequence[StoredRun]) -> list[StoredRun]:
    return [run for run in runs if run.attacks and run.attacks.attacks]


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
    yield "What the model loses when records are hidden in this way, with intervals."


def _limits(runs: Sequence[StoredRun]) -> Iterator[str]:
    if _attacked(runs):
        yield (
            "Safety. The figures are a lower bound on what leaks: somebody else may know a "
            "better attack. An attack that cannot run proves nothing either."
        )
    yield from _about_data(runs)
    if any(run.manifest.method != "local" for run in runs):
        yield "Secret labels: they travel in clear, and the analyst sees every one of them."
    auditor = next((run.attacks.auditor for run in _attacked(runs) if run.attacks), None)
    if auditor is not None:
        yield (
            f"How well a better matcher would do. Linkage is judged by {auditor.name}, which was "
            "trained on other people only; it is no match for a modern face network. What the "
            "eye sees and what it finds are two things: a picture full of noise can still be "
            "matched, and a smooth one can show the wrong person."
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
        if data.synthetic:
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
