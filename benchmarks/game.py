"""The identification game: the exact formula and the fast Monte Carlo against numpy per trial."""

from collections.abc import Iterable

from benchmarks.framework import Bench, Contender, Row
from benchmarks.framework.row import ratio

TITLE = "The identification game"
NOTES = (
    "Every game has people of its own, in all contenders: games that share them are not "
    "independent. Ours packs 64 attributes into a word. Both games and the formula agree: "
    "`collude study phase-transition --check`.",
    "The studies are the points of paper 2's experiments 1, 2 and 4 at its numbers of trials. "
    "numpy per trial plays one game in 30, and its seconds are multiplied by 30.",
)
GAME = ("2000", "400", "1500")
PART = 30
WORKERS = "benchmarks.workers"


def measure(bench: Bench) -> Iterable[Row]:
    """Yield the rows of the table."""
    size = ("50", "20", "30") if bench.tiny else GAME
    persons, count, trials = size
    work = f"one point, n={persons} k={count} T={trials}"
    found = bench.contest(
        work,
        [
            Contender("ours, Monte Carlo", f"{WORKERS}.collude_game", size),
            Contender("ours, exact", f"{WORKERS}.collude_exact", size),
            Contender("numpy per trial", f"{WORKERS}.numpy_game", size),
        ],
    )
    played, exact, numpy = found.values()
    for ours, quantity, least in ((played, "CPU", 15), (exact, "CPU, exact formula", 500)):
        yield Row(
            work=work, against="numpy per trial", quantity=quantity, at_least=least,
            measured=ratio(numpy.cpu, ours.cpu), missing=numpy.missing or ours.missing,
        )  # fmt: skip
    yield from studies(bench)


def studies(bench: Bench) -> Iterable[Row]:
    """Yield the rows of all grids together."""
    preset = "smoke" if bench.tiny else "paper"
    work = f"experiments 1, 2 and 4, preset {preset}"
    found = bench.contest(
        work,
        [
            Contender("ours, exact", f"{WORKERS}.collude_grids", ("exact", preset)),
            Contender("ours, Monte Carlo", f"{WORKERS}.collude_grids", ("played", preset)),
            Contender("numpy per trial", f"{WORKERS}.numpy_grids", (preset, str(PART))),
        ],
    )
    exact, played, numpy = found.values()
    yield Row(
        work=work, against="numpy per trial", quantity="CPU, exact formula", at_least=100,
        measured=ratio(numpy.cpu, exact.cpu), missing=numpy.missing or exact.missing,
    )  # fmt: skip
    yield Row(
        work=work, against="our own Monte Carlo", quantity="CPU, exact formula",
        measured=ratio(played.cpu, exact.cpu), missing=played.missing or exact.missing,
    )  # fmt: skip
