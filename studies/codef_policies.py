"""Section 8.3 and its guidelines: what the budget policies really let an attacker achieve."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.studies import policy_claims as claims
from collude.studies import policy_rows as rows_of
from collude.studies.agreement import agreement
from collude.studies.study import Cell, Claim, Figure, Line, Row, Study, of_table

Setting = tuple[int, float, float, float]


@dataclass(frozen=True)
class Parameters:
    """The settings.

    Attributes:
        switches: (n, epsilon, epsilon after, gamma) of the paper's rule.
        persons: n of everything below.
        epsilon: of everything below.
        gamma: of the trigger below.
        halvings: levels of the rule applied again and again.
        gammas: fractions of k* whose risk is computed, for `persons` and for `many_persons`.
        many_persons: n.
        risks: (n, epsilon, s) for which safe counts are computed.
        intervals: silos that answer once between two counts.
        hidden: fractions of silos that do not report.
        silos: a number of silos known beforehand, and gamma.
        filters: (n, rounds, games) of the belief filters, with `check`.
        trials: games a point, with `check`.
    """

    switches: tuple[Setting, ...]
    persons: int
    epsilon: float
    gamma: float
    halvings: int
    gammas: tuple[float, ...]
    many_persons: float
    risks: tuple[tuple[float, float, float], ...]
    intervals: tuple[int, ...]
    hidden: tuple[float, ...]
    silos: tuple[int, float]
    filters: tuple[int, int, int]
    trials: int


def cells(parameters: Parameters, check: bool) -> list[Cell]:  # noqa: FBT001 -- Study's shape
    """Return one cell for each table, and the simulations."""
    setting = {"persons": parameters.persons, "epsilon": parameters.epsilon}
    trigger = {**setting, "gamma": parameters.gamma}
    gammas = {"gammas": parameters.gammas, "epsilon": parameters.epsilon}
    found = [
        *(
            Cell(f"switch/{index}", rows_of.switch, {"setting": list(switch)})
            for index, switch in enumerate(parameters.switches)
        ),
        Cell("halving", rows_of.halving, {**trigger, "levels": parameters.halvings}),
        Cell("gamma", rows_of.gamma, {**gammas, "persons": parameters.persons}),
        Cell("gamma-many", rows_of.gamma, {**gammas, "persons": parameters.many_persons}),
        Cell("safe", rows_of.safe, {"risks": parameters.risks}),
        Cell("overshoot", rows_of.overshoot, {**trigger, "intervals": parameters.intervals}),
        Cell("hidden", rows_of.hidden, {**trigger, "fractions": parameters.hidden}),
        Cell("alone", rows_of.alone, {
            "persons": parameters.persons, "silos": parameters.silos[0],
            "gamma": parameters.silos[1],
        }),
    ]  # fmt: skip
    return found + (_simulations(parameters) if check else [])


def _simulations(parameters: Parameters) -> list[Cell]:
    n, rounds, games = parameters.filters
    played = [
        Cell(f"simulated/{index}", rows_of.simulated_switch, {
            "setting": list(switch), "trials": parameters.trials,
        }, simulated=True)
        for index, switch in enumerate(parameters.switches)
    ]  # fmt: skip
    filters = [
        Cell(f"filter/{kind}", rows_of.filtered, {
            "kind": kind, "persons": n, "epsilon": 1.0, "rounds": rounds, "games": games,
        }, simulated=True)
        for kind in rows_of.FILTERS
    ]  # fmt: skip
    return played + filters


def conclude(parameters: Parameters, rows: Sequence[Row]) -> list[Claim]:
    """Return the claims of sections 7 and 8."""
    found = [
        claims.accounting(of_table(rows, "switch")),
        claims.again(of_table(rows, "halving")),
        claims.cumulative(of_table(rows, "halving"), parameters.gamma),
        claims.gamma_is_risk(of_table(rows, "gamma")),
        claims.too_late(of_table(rows, "gamma")),
        claims.fano_is_enough(of_table(rows, "safe")),
        claims.counting(of_table(rows, "overshoot")),
        claims.reporting(of_table(rows, "hidden")),
        claims.coordination(of_table(rows, "alone")),
    ]
    filters = of_table(rows, "filter")
    return [*found, *([claims.filters(filters)] if filters else []), *agreement(rows)]


def figure(rows: Sequence[Row]) -> Figure:
    """Return how the paper's rule and the cumulative one fare when epsilon is halved."""
    table = of_table(rows, "halving")
    lines = [
        Line(label, [row["level"] for row in some], [1 - row["error"] for row in some])
        for rule, label in (("paper", "the paper's rule"), ("information", "nats are summed"))
        for some in [[row for row in table if row["rule"] == rule]]
    ]
    return Figure("Success when epsilon is halved again and again", "halvings", "success", lines)


STUDY = Study(
    "codef-policies",
    "Section 8: the budget rules, what they let an attacker achieve, and where they fail",
    Parameters,
    cells,
    conclude,
    figure,
)
