"""What is said of a period in which silos answered about persons, on the terminal and the page."""

from collections.abc import Iterator

from collude.runtime.report.codef_documents import (
    WITHHELD,
    Lease,
    Period,
    PersonReleases,
    ReleaseScore,
    Scored,
    Spread,
)
from collude.runtime.report.words import ABSENT, listed

ONE_TO_ONE = "one-to-one"
"""The attack that the bound for one person's answers does not cover."""

_WHAT_IS_WHAT = (
    "Success: how often the attack named the right person, every person a target once: a measured "
    "attack is a lower bound on what leaks. Exact: what theory says of the standard attack on fair "
    "bits, an estimate. Guaranteed: nobody who {} and looks at the answers about one person alone "
    "does better, as long as no answer's epsilon depends on answers before it."
)


def what_is_what(*, pairs: bool) -> str:
    """Return what each number of an attack is; of whom the bound speaks depends on the persons.

    Where two silos share each secret, it is a bound on pairs of answers. Who knows each silo's
    attributes too can do better, and learns from single answers.
    """
    return _WHAT_IS_WHAT.format(
        "knows of persons only the secrets that two silos share"
        if pairs
        else "knows all attributes"
    )


def of_100(share: float) -> str:
    """Return a share as so many of 100."""
    value = 100 * share
    if value >= 10 or value == 0:  # noqa: PLR2004 -- two digits that count
        return f"{value:.0f} of 100"
    return f"{value:.2g} of 100"


def span(score: Scored) -> str:
    """Return the 95 % interval, of 100."""
    low, high = (100 * end for end in score.interval)
    return f"{low:.3g} to {high:.3g}"


def levels_words(period: Period) -> str:
    """Return the levels, descending."""
    return ", ".join(f"{level:g}" for level in period.levels)


def limit_words(period: Period) -> str:
    """Return what the policy allows about one person, all silos together."""
    if period.safe_slots is not None:
        return f"{period.safe_slots} answers"
    if period.budget is None:
        return "no limit that is known here"
    nats = f"{period.budget:.4g} nats"
    if not period.thresholds:
        return nats
    steps = zip(period.thresholds, period.levels, strict=False)
    leaves = listed(tuple(f"epsilon {level:g} at {count}" for count, level in steps))
    return f"meant: {nats}; it leaves {leaves} answers"


def spread_words(spread: Spread) -> str:
    """Return the smallest and the largest, or the one that all are."""
    if spread.most - spread.least < 1e-6 * max(1.0, spread.most):
        return f"{spread.mean:.4g}"
    return f"{spread.least:.3g} to {spread.most:.3g}, mean {spread.mean:.3g}"


def answers_words(period: Period) -> str:
    """Return how many answers were given about one person."""
    return spread_words(period.answers.per_target) if period.answers else "nobody asked"


def used_words(period: Period) -> str:
    """Return what was released about one person beside the limit, as the referee counts it."""
    over = period.overshoot
    if over is None:
        return ABSENT
    limit = "" if over.limit is None else f" of {over.limit:.4g}"
    return f"{spread_words(over.spent)}{limit} {over.unit}"


def over_words(period: Period, persons: int) -> str:
    """Return about how many persons more was released than allowed."""
    over = period.overshoot
    if over is None or over.persons_over is None:
        return ABSENT
    return f"{over.persons_over} of {persons} persons" if over.persons_over else "nobody"


def verdict(period: Period, codef: PersonReleases) -> str:
    """Return, in honest sentences, what came of a policy."""
    return " ".join(_verdict(period, codef))


def _verdict(period: Period, codef: PersonReleases) -> Iterator[str]:
    best = period.strongest
    if period.answers is None:
        yield "Nobody asked, so nothing was answered."
        return
    if best is None:
        yield (
            f"About each person {answers_words(period)} answers were given. How often they name "
            "somebody is not known here."
        )
    else:
        yield _named(period, best, codef)
        yield from _beside_the_promise(period, best)
    yield from _why(period, codef)


def _named(period: Period, best: ReleaseScore, codef: PersonReleases) -> str:
    what = "pairs of answers" if codef.pairs else "answers"
    about = period.answers.per_target if period.answers else None
    more = " or more" if about is not None and about.most > about.least else ""
    return (
        f"After {best.answers_per_target}{more} {what} about each person, {best.name} names "
        f"{of_100(best.success)} ({span(best)})."
    )


def _beside_the_promise(period: Period, best: ReleaseScore) -> Iterator[str]:
    if period.max_success is not None and best.interval[0] > period.max_success:
        yield f"That is more than the {of_100(period.max_success)} that the policy promises."
    elif period.max_success is not None:
        yield f"Promised: at most {of_100(period.max_success)}."
    elif exceeds(period):
        yield f"That is more than the chosen risk, {of_100(period.risk or 0.0)}."
    if best.guaranteed is not None and best.interval[0] > best.guaranteed:
        yield (
            "It beats the bound for one person's answers, which does not cover who names all "
            "persons together."
            if best.name == ONE_TO_ONE
            else "It beats the bound: levels that follow answers are not covered by it, or "
            "something is wrong."
        )


def exceeds(period: Period) -> bool:
    """Return whether somebody is named more often than the scenario's risk, beyond chance."""
    best = period.strongest
    return best is not None and period.risk is not None and best.interval[0] > period.risk


def _why(period: Period, codef: PersonReleases) -> Iterator[str]:
    if period.leased:
        yield from _kept(period, codef)
    else:
        yield from _own_threshold(period)
        if exceeds(period) and period.safe_at_risk is not None:
            yield (
                f"Safe for that risk are {period.safe_at_risk} answers at epsilon "
                f"{period.levels[0]:g}."
            )


def _kept(period: Period, codef: PersonReleases) -> Iterator[str]:
    over = period.overshoot
    if over is not None and over.persons_over:
        yield (
            f"More than the limit was released about {over_words(period, codef.persons)}: "
            f"{used_words(period)}."
        )
    elif period.budget is not None and over is not None:
        yield (
            f"The budget was kept ({used_words(period)}); a budget of nats is no bound on being "
            "named."
        )


def _own_threshold(period: Period) -> Iterator[str]:
    """Say what the rule without leases missed: what came before the count, what it forgot."""
    if not period.thresholds or period.answers is None:
        return
    persons = sum(period.epochs[0].persons_by_level.values()) if period.epochs else 0
    first = period.answers.by_level[0] / persons if persons else 0.0
    threshold = period.thresholds[0]
    if first > threshold:
        yield (
            f"Its own threshold is {threshold} at epsilon {period.levels[0]:g}, but "
            f"{first:.4g} had been answered before the first count could show it."
        )
    if sum(period.answers.by_level[1:]):
        yield (
            f"Its threshold at epsilon {period.levels[1]:g} forgot what was answered at epsilon "
            f"{period.levels[0]:g}."
        )


def granted(period: Period) -> tuple[Lease, ...]:
    """Return the leases under which silos answered: the last only ends the period."""
    return period.epochs[:-1] if len(period.epochs) > 1 else period.epochs


def switches(period: Period) -> str:
    """Return when most persons moved to another level, as a sentence."""
    moves: list[tuple[int, str]] = []
    leases = granted(period)
    for lease in leases:
        top = max(lease.persons_by_level, key=lambda name: lease.persons_by_level[name])
        if not moves or moves[-1][1] != top:
            moves.append((lease.epoch + 1, top))
    if len(moves) < 2:  # noqa: PLR2004 -- one level is no switch
        return "Most persons stayed at one level for the whole period."
    told = tuple(f"{_level_words(name)} from epoch {epoch}" for epoch, name in moves[1:])
    return f"Most persons began at {_level_words(moves[0][1])}; {listed(told)}."


def _level_words(name: str) -> str:
    return "withheld" if name == WITHHELD else f"epsilon {name}"
