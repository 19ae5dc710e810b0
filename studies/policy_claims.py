"""What the tables of `codef-policies` say about sections 7 and 8."""

from typing import Any

from collude.studies.study import Claim
from collude.studies.words import FALSE, listed, verdict

Rows = list[dict[str, Any]]
SLACK = 1e-9
SMALL = 0.1
"""Below, a digit more is worth printing."""


def accounting(rows: Rows) -> Claim:
    """Return whether the rule keeps its budget across a switch."""
    said = []
    for trigger, stopped, at_k in zip(*[iter(rows)] * 3, strict=True):
        said.append(
            f"n={trigger['persons']}, {trigger['epsilon']:g}->{trigger['epsilon_after']:g}, gamma "
            f"{trigger['gamma']:g}: trigger at {trigger['count']}, success "
            f"{1 - trigger['error']:.3f} (at most {trigger['guaranteed_success']:.3f}); stopped at "
            f"{stopped['count']}, information {stopped['share_of_ln_n']:.3f} ln n, error "
            f"{stopped['error']:.3f}; at k*(epsilon after): {at_k['share_of_ln_n']:.3f}, "
            f"{at_k['error']:.3f}"
        )
    kept = all(
        row["share_of_ln_n"] <= row["gamma"] + SLACK for row in rows if row["stage"] == "stopped"
    )
    return Claim(
        "lowering epsilon at gamma k* moves the threshold ahead and keeps the person safe",
        "count on to gamma k*(epsilon after)",
        "; ".join(said),
        verdict(holds=kept, otherwise=f"{FALSE}: what was answered before is forgotten"),
    )


def again(rows: Rows) -> Claim:
    """Return what repeated halving does under the paper's rule."""
    paper = [row for row in rows if row["rule"] == "paper"]
    errors = [row["error"] for row in paper]
    return Claim(
        "the rule can be applied again and again",
        "adapt whenever gamma k* is reached",
        f"information/ln n {listed([row['share_of_ln_n'] for row in paper], 2)}; error "
        f"{listed(errors, 3)}",
        verdict(holds=errors[-1] > errors[0] / 2, otherwise=f"{FALSE}: no protection at all"),
    )


def cumulative(rows: Rows, gamma: float) -> Claim:
    """Return what summing nats does instead."""
    summed = [row for row in rows if row["rule"] == "information"]
    shares = [row["share_of_ln_n"] for row in summed]
    return Claim(
        "corrected rule: the sum of I_1 stays below gamma ln n",
        "(not in the paper)",
        f"information/ln n {listed(shares, 2)}; error {listed([r['error'] for r in summed], 3)}",
        verdict(holds=max(shares) <= gamma + SLACK),
    )


def gamma_is_risk(rows: Rows) -> Claim:
    """Return whether one gamma is one risk."""
    by_persons: dict[float, Rows] = {}
    for row in rows:
        by_persons.setdefault(row["persons"], []).append(row)
    said = "; ".join(
        f"n={n:g}: "
        + ", ".join(
            f"{row['gamma']:g}:{row['success']:.{4 if row['success'] < SMALL else 3}f}"
            for row in some
        )
        for n, some in by_persons.items()
    )
    halves = [row["fano_success"] for row in rows if row["gamma"] == 0.5]  # noqa: PLR2004 -- shown
    few, many = by_persons.values()
    same = all(abs(a["success"] - b["success"]) < 0.02 for a, b in zip(few, many, strict=True))  # noqa: PLR2004
    return Claim(
        "gamma is a safety margin: it sets the risk",
        "P_e >= Omega(gamma) or 1 - gamma",
        f"success at gamma k*: {said} (Fano at .5: {listed(halves, 2)})",
        verdict(holds=same, otherwise=f"{FALSE}: gamma is not a risk level"),
    )


def too_late(rows: Rows) -> Claim:
    """Return what an attacker achieves at k*."""
    last = max((row for row in rows if row["persons"] == rows[0]["persons"]), key=_gamma)
    return Claim(
        "a trigger at or near k* is in time",
        "k* as coordination budget (G1)",
        f"at gamma {last['gamma']:g}, {last['count']} answers: success {last['success']:.1%}, "
        f"at most {last['guaranteed_success']:.1%}",
        verdict(holds=last["success"] < 0.5, otherwise=f"{FALSE}: far too late"),  # noqa: PLR2004
    )


def _gamma(row: dict[str, Any]) -> float:
    return float(row["gamma"])


def fano_is_enough(rows: Rows) -> Claim:
    """Return the safe counts of the three ways."""
    said = "; ".join(
        f"n={row['persons']:g}, epsilon {row['epsilon']:g}, s={row['max_success']:g}: "
        f"{row['exact']}/{row['guaranteed']}/{row['fano']}"
        for row in rows
    )
    useful = all(row["fano"] >= row["guaranteed"] / 2 for row in rows)
    return Claim(
        "Fano's bound tells how many answers are safe",
        "lower bound of the threshold",
        f"largest safe count, exact/any attacker/Fano: {said}",
        verdict(holds=useful, otherwise=f"{FALSE}: it allows next to nothing"),
    )


def counting(rows: Rows) -> Claim:
    """Return what happens between two counts."""
    said = "; ".join(
        f"{row['silos']} silos: {row['count']} answers, success {row['success']:.2f}"
        for row in rows
    )
    return Claim(
        f"counting now and then is enough (trigger {rows[0]['trigger']})",
        "ignored",
        said,
        verdict(holds=all(row["count"] <= row["trigger"] for row in rows)),
    )


def reporting(rows: Rows) -> Claim:
    """Return what silos that report nothing cost."""
    said = ", ".join(f"f={row['fraction']:g}: {row['success']:.3f}" for row in rows)
    return Claim(
        "silos report what they answered",
        "assumed",
        f"success at the trigger when a fraction f under-reports: {said}",
        verdict(
            holds=all(row["count"] <= row["trigger"] for row in rows), otherwise="an assumption"
        ),
    )


def coordination(rows: Rows) -> Claim:
    """Return whether silos that never talk can be safe."""
    (row,) = rows
    return Claim(
        "no collection without coordination prevents identification",
        "Theorem 7.3",
        f"n={row['persons']}, {row['silos']} silos, gamma {row['gamma']:g}: epsilon "
        f"{row['epsilon']:.3f} each, success {1 - row['error']:.3f} (at most "
        f"{row['guaranteed_success']:.3f})",
        "holds for ever more silos only"
        if row["guaranteed_success"] < 0.5  # noqa: PLR2004 -- prevented
        else "holds",
    )


def filters(rows: Rows) -> Claim:
    """Return which filter keeps its floor."""
    said = "; ".join(
        f"{row['kind']}: mean entropy {row['mean_entropy']:.2f} (floor {row['floor']:.2f}), "
        f"success {row['success']:.3f}, {row['answers']:.1f} answers"
        for row in rows
    )
    kept = {row["kind"]: row["lowest_entropy"] >= row["floor"] - SLACK for row in rows}
    return Claim(
        "a filter that withholds what would tell too much keeps the attacker uncertain",
        "the ToM filter, section 8.2",
        f"{said}; unfiltered success {rows[0]['unfiltered_success']:.3f}",
        verdict(
            holds=all(kept.values()),
            otherwise="holds if it decides without the answer; FALSE for the naive one"
            if kept["simulatable"]
            else FALSE,
        ),
    )
