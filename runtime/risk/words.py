"""The answer in plain words: a guarantee and an estimate never look alike."""

from collections.abc import Iterator
from typing import Any

from collude.runtime.risk.document import Question

GUARANTEED = "[bold green]GUARANTEED[/]"
ESTIMATED = "[yellow]estimated [/]"
CERTAIN = 0.9995


def lines(question: Question, found: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the answer, in rich's markup."""
    yield f"[bold]{found['persons']:,} persons[/], {question.answers.words}"
    yield ""
    yield from _safe(found)
    if "silos" in found:
        yield ""
        yield from _planned(found)
    yield ""
    yield from _scale(question, found)
    yield ""
    yield from _reading()


def _safe(found: dict[str, Any]) -> Iterator[str]:
    count, risk = found["largest_safe_count"], percent(found["max_success"])
    if count == 0:
        yield f"{GUARANTEED}  [bold]No silo may answer[/]: one answer may already exceed {risk}."
        return
    silos = "1 silo" if count == 1 else f"{count:,} silos"
    yield f"{GUARANTEED}  [bold]At most {silos} may answer about the same person[/]:"
    yield f"            then nobody can name the person with more than {risk} probability,"
    yield "            whatever the records hold and however the attacker picks silos."


def _planned(found: dict[str, Any]) -> Iterator[str]:
    silos, safe = found["silos"], found["largest_safe_count"]
    over = silos > safe
    verdict = (
        f"[bold red]too many[/]: {silos - safe:,} more than the {safe:,} that are safe"
        if over
        else "[bold green]within what is safe[/]"
    )
    yield f"[bold]If {silos:,} silos answer[/] about the same person: {verdict}"
    yield (
        f"{GUARANTEED}  the person is named in at most "
        f"{percent(found['guaranteed_success'])} of cases, by any attacker"
    )
    yield (
        f"{ESTIMATED}  the standard attack names the person in about "
        f"{percent(found['exact_success'])} of cases; a better one can do more"
    )
    yield f"[dim]            Fano's bound: any attacker fails in {_least(found['fano_error'])}[/]"
    if found["gallager_error"] is not None:
        yield (
            "[dim]            the standard attack fails in at most "
            f"{percent(found['gallager_error'])} (Gallager's bound), "
            f"{percent(found['union_bound_error'])} (union bound)[/]"
        )


def _least(error: float) -> str:
    return f"at least {percent(error)} of cases" if error > 0 else "0 % of cases or more: no help"


def _scale(question: Question, found: dict[str, Any]) -> Iterator[str]:
    trigger, gamma = found["paper_trigger"], question.gamma
    yield "[bold]Not a limit to plan with[/]"
    yield (
        f"  k* = {found['critical_silos']:,.1f} answers (the union bound's is "
        f"{found['critical_silos_union']:,.1f}) only says on which scale persons become"
    )
    yield "  identifiable: well before k* many already are."
    yield f"  The paper's trigger at gamma = {gamma:g} comes after {trigger['count']:,} answers."
    yield (
        f"  By then the person is named in about {percent(trigger['exact_success'])} of cases "
        f"(estimated), at most {percent(trigger['guaranteed_success'])}"
    )
    yield "  (guaranteed): gamma is not a risk."


def _reading() -> Iterator[str]:
    yield "[bold]How to count[/]"
    yield "  Every answer about the same person counts, from all silos and over the whole period:"
    yield "  two answers from one silo count twice. The guarantee needs every answer to be as"
    yield "  private as above, fixed beforehand, and its noise its own. docs/risk.md says more."


def percent(share: float) -> str:
    """Return a probability as a percentage, never rounded to a certainty it is not."""
    if share in {0.0, 1.0}:
        return f"{100 * share:.0f} %"
    if share > CERTAIN:
        return "more than 99.9 %"
    return f"{100 * share:.1f} %" if share >= 0.0005 else f"{100 * share:.1g} %"  # noqa: PLR2004
