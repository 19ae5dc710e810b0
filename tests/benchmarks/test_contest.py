"""Contenders run in turn, as processes; one that cannot run is left out and says why."""

import json
import statistics

import pytest

from benchmarks.framework.contest import Bench, Contender, RunFailed, run_once
from benchmarks.framework.environments import PeerMissing, python_of

pytestmark = pytest.mark.processes

NOTED = """
import json, os, sys
with open(sys.argv[1], "a") as notes:
    notes.write(sys.argv[2] + " ")
seconds = len(open(sys.argv[1]).read())
print("some talk before")
print(json.dumps({"wall": seconds, "cpu": seconds, "peak": 1,
                  "threads": float(os.environ["OPENBLAS_NUM_THREADS"])}))
"""


@pytest.fixture
def noted(tmp_path, monkeypatch):
    """Return a contender that notes its name in a file, and the file."""
    (tmp_path / "noted.py").write_text(NOTED)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    notes = tmp_path / "notes"
    return (lambda name: Contender(name, "noted", (str(notes), name))), notes


def test_a_peer_without_requirements_is_missing():
    with pytest.raises(PeerMissing, match=r"no such-a-peer\.txt"):
        python_of("such-a-peer")


def test_a_contender_that_fails_says_its_last_words():
    with pytest.raises(RunFailed, match="No module named"):
        run_once(Contender("x", "benchmarks.workers.no_such_worker"))


def test_who_cannot_run_is_left_out_and_the_others_run(noted):
    contender, _ = noted
    absent = Contender("absent", "noted", peer="such-a-peer")
    broken = Contender("broken", "benchmarks.workers.no_such_worker")
    found = Bench(repeats=2).contest("task", [absent, contender("a"), broken])
    assert "such-a-peer.txt" in found["absent"].missing
    assert "No module named" in found["broken"].missing
    assert (found["absent"].cpu, found["broken"].cpu) == (None, None)
    assert found["a"].missing == ""
    assert len(found["a"].samples) == 2


def test_contenders_take_turns_and_the_medians_are_of_all_runs(noted):
    contender, notes = noted
    bench = Bench(repeats=3)
    found = bench.contest("task", [contender("a"), contender("b")])
    assert notes.read_text().split() == ["a", "b"] * 3
    walls = [sample["wall"] for sample in found["a"].samples]
    assert walls == [2, 6, 10]
    assert found["a"].wall == statistics.median(walls)
    assert found["a"].median("threads") == 1
    assert bench.outcomes == list(found.values())
    json.dumps([outcome.as_json() for outcome in bench.outcomes])
