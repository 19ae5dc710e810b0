"""Every number of the design's tables, with its verdict; and verdicts that could be others."""

import json
from dataclasses import fields
from typing import Any

import pytest

from collude.common.errors import ParameterInvalid
from collude.studies import threshold_scaling
from collude.studies.agreement import SIMULATION, disagreements
from collude.studies.preset import PRESETS, load, read
from collude.studies.registry import STUDIES, study_named
from collude.studies.study import Cell, Outcome, cell_generator, of_table, run


@pytest.fixture(scope="module")
def paper() -> dict[str, Outcome]:
    return {name: run(study, *load(study, "paper")) for name, study in STUDIES.items()}


CLAIMS = {
    "phase-transition": [
        ("no point lies below Fano", "holds", ["0/135"]),
        ("every curve lies within", "holds: but the band is very wide", ["0/135", "1.90"]),
        (
            "the error crosses 0.5 near 1.5 k*", "FALSE",
            ["0.68 to 0.79", "n=100: 0.678 / 0.682 / 0.704", "n=500: 0.740 / 0.743 / 0.759",
             "n=2000: 0.775 / 0.777 / 0.790"],
        ),
        (
            "the error is about 1 below", "only roughly",
            ["0.30 to 0.33 at 1 k*", "0.904 / 0.315 / 0.029", "57%"],
        ),
        (
            "the constant of the threshold", "FALSE: the constant is 1",
            ["n=1e+02: 0.559 / 0.423 / 0.299 / 0.196 / 0.125 / 0.055",
             "n=1e+08: 0.852 / 0.613 / 0.355 / 0.132 / 0.038 / 0.003",
             "n=1e+32: 0.996 / 0.867 / 0.403 / 0.040 / 0.001 / 0.000",
             "n=1e+64: 1.000 / 0.958 / 0.423 / 0.010 / 0.000 / 0.000"],
        ),
    ],
    "threshold-scaling": [
        (
            "the crossing is about 1.5 k*", "FALSE",
            ["0.644 (n=50", "0.788 (n=500, epsilon 3)", "0.930 at n=1e+15", "0.05 to 0.13"],
        ),
        (
            "the crossing is proportional to log2 n", "linear: yes; near-unit slope: FALSE",
            ["R2 0.99995", "slope 5.74", "6.25", "intercept -9.8", "log-log slope 1.28"],
        ),
        (
            "the crossing is proportional to 1/eps", "linear: yes; near-unit slope: FALSE",
            ["R2 0.99998", "slope 36.6", "49.7", "intercept +5.3", "0.773", "0.502", "1.125"],
        ),
    ],
    "synergy": [
        ("exact over leading order at epsilon = 0.2", "holds", ["0.98680"]),
        ("exact over leading order at epsilon = 0.5", "FALSE", ["0.92170"]),
        ("exact over leading order at epsilon = 1", "FALSE", ["0.73532"]),
        ("the leading order is within 1.5 %", "FALSE", ["7.8%", "0.358"]),
        ("Monte Carlo of 3e+05", "not at epsilon 0.1 / 0.2 / 0.3", ["4.5e-06", "7e-06", "3.5e-04"]),
    ],
    "bound-check": [
        ("no point lies below Fano", "holds", ["0/60", "0.159"]),
        ("the union bound says nothing", "nearly: from 1.904 k*", ["1.904", "0/60"]),
        (
            "the union bound shows", "loose",
            ["0.732 / 0.143 / 0.028", "0.305 / 0.097 / 0.025", "0.029 / 0.0071 / 0.0016"],
        ),
        ("the transition occurs", "FALSE", ["0.743"]),
    ],
    "gaussian": [
        ("c_delta = 2 ln(1.25/delta)", "FALSE", ["23.472"]),
        ("k* with Gaussian answers", "FALSE", ["20.94", "1173.2", "0.0052973", "0.0053255"]),
        ("the Gaussian mechanism is c_delta times", "FALSE", ["23.5"]),
        ("the calibration is", "FALSE", ["8.42", "28.077", "8.78"]),
        ("the structure of the transition", "holds", ["0.74"]),
    ],
    "shuffle": [
        ("shuffling divides epsilon", "FALSE", ["k=56: 0.0045 (plain 0.685)", "(plain 1.000)"]),
        ("dividing epsilon by s", "FALSE", ["s^2 = 16"]),
        ("information grows", "FALSE: it saturates", ["0.1201", "plain 44.4 at k=400"]),
        ("the cited amplification", "FALSE", ["m=100: not applicable", "m=10000: 0.2140"]),
    ],
    "codef-policies": [
        (
            "lowering epsilon at gamma k*", "FALSE",
            ["trigger at 28, success 0.292 (at most 0.346)", "0.861 ln n, error 0.408",
             "1.363, 0.149", "trigger at 44, success 0.534 (at most 0.606)",
             "1.371 ln n, error 0.145", "1.570, 0.091", "1.530 ln n, error 0.101", "1.730, 0.063",
             "trigger at 18, success 0.486 (at most 0.559)", "1.502 ln n, error 0.081",
             "1.701, 0.045"],
        ),
        (
            "the rule can be applied again", "FALSE: no protection at all",
            ["0.50 / 0.86 / 1.23 / 1.61 / 1.98 / 2.36", "0.034 / 0.013"],
        ),
        ("corrected rule", "holds", ["0.708"]),
        (
            "gamma is a safety margin", "FALSE: gamma is not a risk level",
            ["0.0965", "0.5:0.292", "0.75:0.506", "0.9:0.614", "1:0.685", "0.5:0.115",
             "0.75:0.369", "1:0.652", "0.61 / 0.55"],
        ),
        ("a trigger at or near k*", "FALSE: far too late", ["68.5%"]),
        ("Fano's bound tells", "FALSE", ["9/8/0", "14/12/0", "44/43/4", "73/68/2"]),
        (
            "counting now and then", "FALSE",
            ["37 answers, success 0.43", "success 0.57", "success 0.86"],
        ),
        ("silos report", "an assumption", ["0.339", "0.401", "0.491", "0.685"]),
        ("no collection without", "holds for ever more silos only", ["0.355", "0.113", "0.130"]),
    ],
    "adaptive": [
        (
            "the exact formula bounds", "FALSE",
            ["formula 0.349, bound 0.3975", "formula 0.590, bound 0.6577"],
        ),
        ("the universal bound holds", "holds", []),
        ("the bound holds if it is kept", "FALSE", ["0.5925", "0.554", "0.556"]),
    ],
}  # fmt: skip
EACH = [(name, *claim) for name, claims in CLAIMS.items() for claim in claims]


@pytest.mark.parametrize(("name", "beginning", "verdict", "numbers"), EACH)
def test_the_claim_is_there_with_its_numbers_and_verdict(
    paper: dict[str, Outcome], name: str, beginning: str, verdict: str, numbers: list[str]
) -> None:
    (claim,) = [c for c in paper[name].claims if c.claim.startswith(beginning)]
    assert claim.verdict.startswith(verdict)
    assert [number for number in numbers if number not in claim.measured] == []
    assert claim.paper


def test_no_claim_is_left_out(paper: dict[str, Outcome]) -> None:
    assert {name: len(claims) for name, claims in CLAIMS.items()} == {
        name: len(outcome.claims) for name, outcome in paper.items()
    }


@pytest.mark.parametrize("name", STUDIES)
def test_rows_are_json_with_a_table_and_a_figure(paper: dict[str, Outcome], name: str) -> None:
    rows = paper[name].rows
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert all(isinstance(row["table"], str) for row in rows)
    assert not of_table(rows, SIMULATION)  # Monte Carlo is behind --check
    figure = STUDIES[name].figure(rows)
    assert figure.lines
    assert all(len(line.x) == len(line.y) > 0 for line in figure.lines)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_agrees_with_its_games(name: str) -> None:
    study = STUDIES[name]
    outcome = run(study, *load(study, "smoke"), check=True)
    assert of_table(outcome.rows, SIMULATION)
    assert disagreements(outcome.rows) == []
    assert any("Monte Carlo of the game" in claim.claim for claim in outcome.claims)
    assert study.figure(outcome.rows).lines


def test_the_games_of_experiment_1_as_the_paper_played_them() -> None:
    study = STUDIES["phase-transition"]
    rows = run(study, *load(study, "paper"), check=True).rows
    simulated = of_table(rows, SIMULATION)
    assert len(simulated) == 135
    assert {row["trials"] for row in simulated} == {1500}
    assert disagreements(rows) == []
    assert sum(row["z"] ** 2 for row in simulated) / 135 == pytest.approx(1, abs=0.4)


def test_the_adaptive_attacker_of_the_design() -> None:
    study = STUDIES["adaptive"]
    outcome = run(study, *load(study, "paper"), check=True)
    few, many = of_table(outcome.rows, "ceiling")
    assert few["simulated"] == pytest.approx(0.399, abs=0.04)
    assert many["simulated"] == pytest.approx(0.658, abs=0.04)
    assert disagreements(outcome.rows) == []
    assert outcome.claims[0].verdict.startswith("FALSE")
    assert outcome.claims[1].verdict == "holds"


def changed(rows: list[dict[str, Any]], tables: str, **values: Any) -> list[dict[str, Any]]:
    return [row | values if row["table"] in tables.split() else row for row in rows]


@pytest.mark.parametrize(
    ("name", "table", "values", "beginning", "verdict"),
    [
        ("phase-transition", "crossing", {"share_at_half": 1.5}, "the error crosses", "holds"),
        ("phase-transition", "curve", {"fano_error": 1.0}, "no point lies", "FALSE"),
        ("phase-transition", "curve", {"union_bound_error": 0.0}, "every curve", "FALSE"),
        (
            "phase-transition", "crossing", {"error_at_0.25": 0.99, "error_at_2": 0.01},
            "the error is about", "holds",
        ),
        ("threshold-scaling", "n epsilon", {"ratio": 1.5}, "the crossing is about", "holds"),
        (
            "synergy", "curve", {"ratio": 0.986}, "exact over leading order at epsilon = 0.5",
            "holds",
        ),
        ("synergy", "curve", {"ratio": 1.0}, "the leading order is within", "holds"),
        ("synergy", "curve", {"bits": 1.0}, "Monte Carlo of 3e+05", "holds"),
        ("bound-check", "crossing", {"share_at_half": 1.45}, "the transition", "holds"),
        ("bound-check", "crossing", {"union_from": 2.0}, "the union bound says", "holds"),
        ("bound-check", "late", {"union_bound_error": 1e-9}, "the union bound shows", "holds"),
        ("gaussian", "calibration", {"c_delta": 23.7}, "c_delta", "holds"),
        ("gaussian", "calibration", {"ratio": 24.1}, "k* with", "holds"),
        ("shuffle", "shuffled", {"information": 3.0}, "information grows", "holds"),
        ("codef-policies", "switch", {"share_of_ln_n": 0.4}, "lowering epsilon", "holds"),
        ("codef-policies", "halving", {"error": 0.7}, "the rule can be", "holds"),
        ("codef-policies", "halving", {"share_of_ln_n": 0.7}, "corrected rule", "FALSE"),
        ("codef-policies", "gamma", {"success": 0.2}, "gamma is a safety margin", "holds"),
        ("codef-policies", "gamma", {"success": 0.2}, "a trigger at", "holds"),
        ("codef-policies", "overshoot", {"count": 28}, "counting", "holds"),
        ("codef-policies", "hidden", {"count": 28}, "silos report", "holds"),
        ("codef-policies", "alone", {"guaranteed_success": 0.9}, "no collection", "holds"),
        ("adaptive", "small", {"best": 0.0}, "the exact formula", "holds"),
        ("adaptive", "small", {"best": 1.0}, "the universal bound", "FALSE"),
        ("adaptive", "mixed", {"best": 0.5}, "the bound holds if", "holds"),
    ],
)  # fmt: skip
def test_other_numbers_would_have_another_verdict(  # the verdicts are computed
    paper: dict[str, Outcome], name: str, table: str, values: Any, beginning: str, verdict: str
) -> None:
    study = STUDIES[name]
    rows = changed(list(paper[name].rows), table, **values)
    assert rows != paper[name].rows
    claims = study.conclude(load(study, "paper")[0], rows)
    (claim,) = [c for c in claims if c.claim.startswith(beginning)]
    assert claim.verdict.startswith(verdict)
    (before,) = [c for c in paper[name].claims if c.claim.startswith(beginning)]
    assert claim.verdict != before.verdict


def test_a_near_unit_slope_would_be_called_one() -> None:
    rows = [
        {"table": "n", "persons": 2.0**d, "epsilon": 1.0, "count_at_half": float(d), "ratio": 1.5,
         "error_at_1.5": 0.1}
        for d in range(3, 9)
    ]  # fmt: skip
    assert threshold_scaling._persons(rows, 1.0).verdict == "holds"


@pytest.mark.parametrize("name", STUDIES)
def test_every_preset_gives_every_parameter(name: str) -> None:
    study = STUDIES[name]
    assert set(read(name)) == {"seed", *PRESETS}
    wanted = {field.name for field in fields(study.parameters)}
    for preset in PRESETS:
        parameters, seed = load(study, preset)
        assert set(read(name)[preset]) == wanted
        assert seed == read(name)["seed"]
        for check in (False, True):
            cells = study.work(parameters, check=check)
            assert len({cell.key for cell in cells}) == len(cells)
            assert any(cell.simulated for cell in cells) == check
            json.dumps([dict(cell.arguments) for cell in cells])


def test_a_cell_has_a_stream_of_its_own() -> None:
    def drawn(study: str, key: str, seed: int) -> float:
        return float(cell_generator(study, Cell(key, lambda: [], {}), seed).random())

    assert drawn("a", "x", 1) == drawn("a", "x", 1)
    assert (
        len({drawn("a", "x", 1), drawn("a", "y", 1), drawn("b", "x", 1), drawn("a", "x", 2)}) == 4
    )


def test_the_same_seed_plays_the_same_games() -> None:
    study = STUDIES["threshold-scaling"]
    parameters, seed = load(study, "smoke")
    first = run(study, parameters, seed, check=True).rows
    assert run(study, parameters, seed, check=True).rows == first
    assert run(study, parameters, seed + 1, check=True).rows != first


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(ParameterInvalid, match="did you mean shuffle"):
        study_named("shufle")
    with pytest.raises(ParameterInvalid, match="--list"):
        study_named("zzz")
    with pytest.raises(ParameterInvalid, match="smoke, paper, honest"):
        load(STUDIES["shuffle"], "large")
