"""The command: what it refuses, the JSON it writes, and the page it makes of it."""

import json

import pytest

from benchmarks import __main__ as command
from benchmarks import alignment, cnn
from benchmarks.framework.contest import Bench
from benchmarks.framework.results import read_all, report, rows_of, write
from benchmarks.framework.row import Row
from benchmarks.framework.table import page

ABSENT = {name: {"missing": "no network"} for name in ("scipy", "qc-procrustes")}
CONDITIONS = {"commit", "date", "machine", "versions", "peers", "repeats"}
MACHINE = {"cpu", "cores", "system", "blas", "blas_threads"}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Return the report of a whole benchmark of next to no size, written and read again."""
    bench = Bench(repeats=2, tiny=True, peers=dict(ABSENT))
    rows = list(alignment.measure(bench))
    folder = tmp_path_factory.mktemp("results")
    write(folder, report("alignment", alignment.TITLE, alignment.NOTES, bench, rows))
    return read_all(folder)[0], rows, bench


def test_an_unknown_benchmark_is_refused(capsys):
    with pytest.raises(SystemExit):
        command.main(["no-such-benchmark"])
    assert "there are" in capsys.readouterr().err


@pytest.mark.processes
def test_a_report_holds_conditions_samples_and_rows(found):
    content, rows, bench = found
    assert content.keys() >= CONDITIONS
    assert content["machine"].keys() >= MACHINE
    assert rows_of(content) == rows
    assert [len(run["samples"]) for run in content["runs"] if not run["missing"]] == [2] * sum(
        not outcome.missing for outcome in bench.outcomes
    )
    for run in content["runs"]:
        assert run["missing"] or run["median"].keys() >= {"wall", "cpu", "peak"}


@pytest.mark.processes
def test_only_the_absent_peers_have_no_figure(found):
    _, rows, _ = found
    absent = [row for row in rows if row.measured is None and row.missing]
    assert {row.missing for row in absent} == {"no network"}
    assert {row.against.split(",")[0] for row in absent} == {
        "scipy GPA",
        "qc-procrustes",
        "scipy one shot",
    }
    same = next(row for row in rows if "R_i R_0^T" in row.quantity)
    assert same.met, same


@pytest.mark.processes
def test_the_page_has_a_line_for_each_row_and_run(found):
    content, rows, bench = found
    written = page([content])
    lines = [line for line in written.splitlines() if line.startswith("| ")]
    assert len(lines) == len(rows) + 2 + len(bench.outcomes) + 2
    assert "not run: no network" in written
    assert content["machine"]["cpu"] in written


@pytest.mark.processes
def test_the_network_is_compared_too():
    speed, rate = cnn.measure(Bench(repeats=1, tiny=True))
    assert speed.measured > 0
    assert rate.measured > 0


def test_a_bar_in_a_cell_stays_in_its_cell():
    row = Row(work="|x|", against="a", quantity="q", measured=1.0)
    content = {
        **{"title": "T", "notes": [], "runs": [], "rows": [row.as_json()], "peers": {}},
        **{"repeats": 5, "commit": None, "changed_since_commit": False, "date": "2026-01-01"},
        "machine": {"cpu": "c", "cores": 1, "system": "s", "blas": ["b"], "blas_threads": 1},
        "versions": {},
    }
    assert "| \\|x\\| | a | q | - | 1x | for information |" in page([content])


def test_the_committed_page_is_what_the_committed_results_give(root):
    reports = read_all(root / "benchmarks" / "results")
    assert {content["benchmark"] for content in reports} >= {"alignment", "cnn"}
    assert (root / "docs" / "benchmarks.md").read_text("utf-8") == page(reports)
    for content in reports:
        assert content["repeats"] >= 5
        assert content.keys() >= CONDITIONS


def test_the_table_alone_runs_nothing(root, tmp_path):
    target = tmp_path / "page.md"
    assert command.main(["--table", "--page", str(target)]) == 0
    assert target.read_text("utf-8") == (root / "docs" / "benchmarks.md").read_text("utf-8")


def test_results_are_json_that_others_can_read(root):
    for path in (root / "benchmarks" / "results").glob("*.json"):
        content = json.loads(path.read_text("utf-8"))
        assert all(row["budget"] and row["quantity"] for row in content["rows"])
