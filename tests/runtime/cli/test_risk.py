"""`collude risk`: what a data protection officer reads, and what a script does."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from testkit.command import ROOT, collude

from collude.codef.leakage import gaussian_information, rr_cutoff_rate, rr_information
from collude.codef.risk import exact_error, success_bound

OFFICER = ("risk", "--persons", 500, "--epsilon", 1, "--silos", 40)
ALWAYS = {
    "persons", "information_per_answer", "critical_silos", "critical_silos_union", "max_success",
    "largest_safe_count", "paper_trigger",
}  # fmt: skip
WITH_SILOS = {
    "silos", "exact_success", "guaranteed_success", "fano_error", "union_bound_error",
    "gallager_error",
}  # fmt: skip


BAD = [
    (("--persons", 1, "--epsilon", 1), "persons"),
    (("--persons", "nan", "--epsilon", 1), "persons"),
    (("--persons", "inf", "--epsilon", 1), "persons"),
    (("--persons", 500), "one of the two"),
    (("--persons", 500, "--epsilon", 1, "--sigma", 1), "both"),
    (("--persons", 500, "--epsilon", 0), "epsilon"),
    (("--persons", 500, "--epsilon", -1), "epsilon"),
    (("--persons", 500, "--epsilon", "nan"), "epsilon"),
    (("--persons", 500, "--epsilon", 1e6), "epsilon"),
    (("--persons", 500, "--sigma", 0), "sigma"),
    (("--persons", 500, "--sigma", 1, "--sensitivity", 0), "sensitivity"),
    (("--persons", 500, "--epsilon", 1, "--sensitivity", 1), "--sensitivity"),
    (("--persons", 500, "--epsilon", 1, "--gamma", 0), "gamma"),
    (("--persons", 500, "--epsilon", 1, "--gamma", 1.01), "gamma"),
    (("--persons", 500, "--epsilon", 1, "--silos", -1), "silos"),
    (("--persons", 500, "--epsilon", 1, "--max-success", 0.001), "max_success"),
    (("--persons", 500, "--epsilon", 1, "--max-success", 1), "max_success"),
    (("--persons", 5, "--epsilon", 1), "a guess"),
    (("--persons", 500, "--epsilon", 1, "--plot", "curve.doc"), ".svg"),
    (("--persons", 500, "--epsilon", 1, "--plot", "/nowhere/curve.png"), "cannot be written"),
]


@pytest.mark.parametrize(("words", "named"), BAD)
def test_bad_input_is_refused_by_name(words: tuple[object, ...], named: str) -> None:
    said = collude("risk", *words)
    assert said.code == 2
    assert named in said.words


@pytest.mark.parametrize("words", [("--epsilon", 1), ("--persons", "many", "--epsilon", 1)])
def test_bad_usage_is_refused(words: tuple[object, ...]) -> None:
    assert collude("risk", *words).code == 2


def test_a_script_gets_an_error_as_a_document_too() -> None:
    said = collude("risk", "--persons", 500, "--epsilon", 0, "--json")
    assert said.code == 2
    assert said.json["error"]["code"] == "E-PARAMETER"


def test_a_script_gets_every_number() -> None:
    found = collude(*OFFICER, "--json").json
    assert set(found) == ALWAYS | WITH_SILOS
    assert found["persons"] == 500
    assert found["silos"] == 40
    assert found["largest_safe_count"] == 12
    assert found["information_per_answer"] == rr_information(1.0)
    assert found["critical_silos"] == pytest.approx(56.0157, abs=1e-4)
    assert found["critical_silos_union"] == pytest.approx(math.log(500) / rr_cutoff_rate(1.0))
    assert found["exact_success"] == 1 - exact_error(500, 1.0, 40)
    assert found["guaranteed_success"] == float(success_bound(500, [(1.0, 40)]))
    assert found["paper_trigger"]["count"] == 28
    assert round(found["paper_trigger"]["exact_success"], 3) == 0.292
    assert round(found["paper_trigger"]["guaranteed_success"], 3) == 0.346


def test_without_a_plan_there_is_nothing_about_one() -> None:
    said = collude("risk", "--persons", 500, "--epsilon", 1, "--json")
    assert set(said.json) == ALWAYS
    assert "If " not in collude("risk", "--persons", 500, "--epsilon", 1).out


def test_gaussian_answers() -> None:
    found = collude("risk", "--persons", 500, "--sigma", 2, "--silos", 30, "--json").json
    assert found["union_bound_error"] is found["gallager_error"] is None
    assert found["information_per_answer"] == gaussian_information(1.0, 2.0)
    assert 0 < found["exact_success"] <= found["guaranteed_success"] < 0.1
    doubled = ("--sigma", 4, "--sensitivity", 2)
    assert collude("risk", "--persons", 500, *doubled, "--silos", 30, "--json").json == found


def test_an_officer_reads_how_many_silos_may_answer() -> None:
    text = collude(*OFFICER).out
    assert re.search(r"GUARANTEED +At most 12 silos may answer about the same person", text)
    assert "more than 10.0 % probability" in text
    assert re.search(r"If 40 silos answer .*: too many: 28 more than the 12 that are safe", text)
    assert re.search(r"GUARANTEED +the person is named in at most 53.4 %", text)
    assert re.search(r"estimated +the standard attack .* about 47.6 %.* a better one", text)
    assert "gamma is not a risk" in text


def test_a_promise_is_never_called_an_estimate() -> None:
    lines = collude(*OFFICER).out.splitlines()
    for line in lines:
        assert not (line.startswith("GUARANTEED") and "about" in line.replace("about the same", ""))
        assert not (line.startswith("estimated") and "at most" in line)


def test_a_plan_that_is_safe_is_called_safe() -> None:
    text = collude("risk", "--persons", 500, "--epsilon", 1, "--silos", 12).out
    assert "within what is safe" in text
    assert "too many" not in text


def test_no_answer_may_be_too_many() -> None:
    text = collude("risk", "--persons", 500, "--epsilon", 9, "--max-success", 0.003).out
    assert "No silo may answer" in text


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_figure_is_written(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"ein Bild ä.{ending}"
    said = collude(*OFFICER, "--plot", file, "--json")
    assert said.code == 0
    assert said.json["largest_safe_count"] == 12
    assert file.stat().st_size > 10_000
    if ending == "svg":
        assert "GUARANTEED" in file.read_text("utf-8") or "<svg" in file.read_text("utf-8")


def test_the_figure_of_gaussian_answers(tmp_path: Path) -> None:
    file = tmp_path / "curve.png"
    assert collude("risk", "--persons", 50, "--sigma", 0.7, "--plot", file).code == 0
    assert file.stat().st_size > 10_000


def test_it_loads_nothing_slow() -> None:
    code = (
        "import sys, json\n"
        "sys.argv = ['collude', 'risk', '--persons', '500', '--epsilon', '1', '--json']\n"
        "from collude.runtime.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True
    )
    loaded = set(json.loads(done.stderr))
    slow = {"torch", "sklearn", "grpc", "matplotlib", "scipy"}
    assert "numpy" in loaded
    assert not loaded & slow
