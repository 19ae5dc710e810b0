"""`collude risk`: how many answers until somebody is named."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from collude.common.errors import ParameterInvalid
from collude.runtime.cli.console import err, out, show_json, use_json
from collude.runtime.cli.options import Json

if TYPE_CHECKING:
    from collude.runtime.risk.answers import Answers

DEFAULT_RISK = 0.1
DEFAULT_GAMMA = 0.5


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("risk")(risk)


def risk(  # noqa: PLR0913 -- one argument for each option of the command
    persons: Annotated[
        float, typer.Option(help="Persons among whom somebody is looked for, 2 or more.")
    ],
    epsilon: Annotated[
        float | None,
        typer.Option(help="Privacy of one yes/no answer (randomized response), above 0."),
    ] = None,
    sigma: Annotated[
        float | None, typer.Option(help="Instead of --epsilon: Gaussian noise of one answer.")
    ] = None,
    sensitivity: Annotated[
        float | None,
        typer.Option(help="With --sigma: how far apart the two true values lie; default 1."),
    ] = None,
    silos: Annotated[
        int | None, typer.Option(help="Answers about the same person that you plan.")
    ] = None,
    max_success: Annotated[
        float, typer.Option(help="The risk you accept: how often an attacker may be right.")
    ] = DEFAULT_RISK,
    gamma: Annotated[
        float, typer.Option(help="Paper 2's fraction of k*, for comparison, in (0, 1].")
    ] = DEFAULT_GAMMA,
    plot: Annotated[
        Path | None, typer.Option(help="Write the curve to this file (.png, .pdf or .svg).")
    ] = None,
    json: Json = False,
) -> None:
    """Say how many silos may answer about a person before an attacker can name the person.

    What is GUARANTEED holds for every attacker; what is estimated is what the standard attack
    achieves. `docs/risk.md` explains the words.

    Example: collude risk --persons 500 --epsilon 1 --silos 40 --max-success 0.1
    """
    use_json(wanted=json)
    from collude.runtime.risk.document import Question, document
    from collude.runtime.risk.words import lines

    answers = _answers(persons, epsilon, sigma, sensitivity)
    question = Question(answers, max_success, gamma, silos)
    found = document(question)
    if json:
        show_json(found)
    else:
        for line in lines(question, found):
            out.print(line, soft_wrap=True)
    if plot is not None:
        from collude.runtime.risk.figure import draw

        draw(question, found, plot)
        err.print(f"wrote {plot}", markup=False, soft_wrap=True)


def _answers(
    persons: float, epsilon: float | None, sigma: float | None, sensitivity: float | None
) -> "Answers":
    from collude.codef.numeric import checks
    from collude.runtime.risk.answers import GaussianAnswers, RandomizedResponse

    checks.persons(persons)
    if (epsilon is None) == (sigma is None):
        raise ParameterInvalid(
            "say how the silos answer, in one way",
            field="--epsilon, --sigma",
            expected="one of the two",
            got="neither" if epsilon is None else "both",
            hint="--epsilon for yes/no answers that are flipped at random, "
            "--sigma for numbers with Gaussian noise",
        )
    if epsilon is not None:
        if sensitivity is not None:
            raise ParameterInvalid("--sensitivity goes with --sigma only", field="--sensitivity")
        return RandomizedResponse(
            persons, checks.epsilon_of_answer(checks.positive("epsilon", epsilon))
        )
    apart = checks.positive("sensitivity", 1.0 if sensitivity is None else sensitivity)
    return GaussianAnswers(persons, apart, checks.positive("sigma", sigma or 0.0))
