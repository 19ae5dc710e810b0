"""The figure: a guarantee is a solid line with everything above it shut off, an estimate dashed."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from collude.common.errors import ExtraMissing, ParameterInvalid
from collude.runtime.risk.answers import Answers
from collude.runtime.risk.document import Question

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 45
# Format -> what it would say of the time; left out, so that the same numbers give the same file.
FORMATS: dict[str, dict[str, None]] = {
    ".png": {},
    ".pdf": {"CreationDate": None},
    ".svg": {"Date": None},
}
GUARANTEE = "#1b5e20"
ESTIMATE = "#e65100"
LIMIT = "#b71c1c"


def draw(question: Question, found: dict[str, Any], file: Path) -> None:
    """Write the risk over the number of answers.

    Raises:
        ParameterInvalid: the file has another ending, or cannot be written.
        ExtraMissing: matplotlib is not installed.
    """
    if file.suffix.lower() not in FORMATS:
        raise ParameterInvalid(
            "the figure's format is not known",
            field="--plot",
            expected=f"a file ending in {', '.join(FORMATS)}",
            got=file.name,
        )
    try:
        from matplotlib import rc_context  # noqa: PLC0415 -- slow, optional
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 -- slow, optional
        from matplotlib.figure import Figure  # noqa: PLC0415 -- slow, optional
    except ImportError as error:
        raise ExtraMissing(
            "--plot needs matplotlib", field="--plot", hint="pip install 'collude[demo]'"
        ) from error
    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    _fill(figure.add_subplot(), question, found)
    try:
        with rc_context({"svg.hashsalt": "collude", "svg.fonttype": "none"}):
            figure.savefig(file, dpi=150, metadata=FORMATS[file.suffix.lower()])
    except OSError as error:
        raise ParameterInvalid(
            "the figure cannot be written", field="--plot", got=str(error)
        ) from error


def counts(found: dict[str, Any]) -> list[int]:
    """Return the numbers of answers that are drawn: to twice k*, and to the planned number."""
    last = max(2 * found["critical_silos"], 1.2 * found.get("silos", 0), 4)
    spread = np.unique(np.round(np.linspace(0, last, POINTS)).astype(np.int64))
    return [int(count) for count in spread]


def curves(answers: Answers, at: list[int]) -> tuple[list[float], list[float]]:
    """Return (guaranteed, estimated) success at each number of answers."""
    guaranteed = [float(answers.guaranteed_success(count)) for count in at]
    return guaranteed, [float(answers.exact_success(count)) for count in at]


def _fill(axes: "Axes", question: Question, found: dict[str, Any]) -> None:
    at = counts(found)
    guaranteed, estimated = curves(question.answers, at)
    axes.fill_between(at, guaranteed, 1, color=GUARANTEE, alpha=0.12, linewidth=0)
    axes.plot(
        at, guaranteed, color=GUARANTEE, linewidth=2.2, label="GUARANTEED: no attacker gets above"
    )
    axes.plot(
        at,
        estimated,
        color=ESTIMATE,
        linewidth=1.6,
        linestyle=(0, (4, 3)),
        label="estimated: the standard attack",
    )
    axes.axhline(found["max_success"], color=LIMIT, linewidth=1, label="the risk you chose")
    safe = found["largest_safe_count"]
    axes.axvline(safe, color=LIMIT, linewidth=1, linestyle=":")
    axes.annotate(f" {safe:,} answers are safe", (safe, 0.96), color=LIMIT)
    axes.axvline(found["critical_silos"], color="grey", linewidth=1, linestyle=":")
    axes.annotate(" k*", (found["critical_silos"], 0.02), color="grey")
    axes.set(
        xlim=(0, at[-1]),
        ylim=(0, 1),
        xlabel="answers about the same person, all silos together",
        ylabel="probability that the person is named",
        title=f"{found['persons']:,} persons, {question.answers.words}",
    )
    axes.title.set_fontsize(9)
    axes.legend(loc="lower right", fontsize=8)
