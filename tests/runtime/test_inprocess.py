"""All parties in one process: the same files, nothing shared but messages."""

import pytest
from testkit.federation import P0, P1, federation
from testkit.quick import run_quickly
from threadpoolctl import threadpool_info, threadpool_limits

from collude.common.ids import ANALYST
from collude.common.transcript import read_parcels
from collude.runtime.federation import prepare
from collude.runtime.inprocess import assemble, connect
from collude.runtime.rundir import RunDirectory


def test_every_party_leaves_its_transcript_and_outcome(finished) -> None:
    for party in (ANALYST, "participant-0", "participant-1", "participant-2"):
        parcels = list(read_parcels(finished.transcripts, party))
        assert {p.receiver for p in parcels} == {party}
        assert (finished.root / "parties" / party / "outcome.json").exists()
        assert "ended" in (finished.logs / f"{party}.jsonl").read_text()


def test_the_analyst_leaves_nothing_to_disclose(finished) -> None:
    left = {p.parent.name for p in finished.root.rglob("disclosable.npz")}
    assert left == {"participant-0", "participant-1", "participant-2"}


def test_only_the_owner_reads_what_a_participant_could_disclose(finished) -> None:
    for path in finished.root.rglob("disclosable.npz"):
        assert path.stat().st_mode & 0o077 == 0
        assert path.parent.stat().st_mode & 0o077 == 0


def test_one_thread_computes_and_the_threads_come_back() -> None:
    sessions = assemble(federation())
    with threadpool_limits(2):
        before = [info["num_threads"] for info in threadpool_info()]
        connect([sessions.analyst, *sessions.participants.values()])
        assert [info["num_threads"] for info in threadpool_info()] == before
    assert sessions.analyst.error is None


def test_thread_counts_around_it_change_no_byte(tmp_path) -> None:
    digests = set()
    for threads in (1, 2):
        with threadpool_limits(threads):
            results = run_quickly(tmp_path / str(threads))
        digests.add((results["transcript_digest"], results["results_digest"]))
    assert len(digests) == 1


def test_a_participant_that_joins_moves_nobody_elses_secret() -> None:
    two, three = (prepare(federation(p=n).scenario, federation(p=n).dataset) for n in (2, 3))
    for party in (ANALYST, P0, P1):
        assert two.seeds[party] == three.seeds[party]
        assert two.signing_seed(party) == three.signing_seed(party)
    assert len(set(three.seeds.values())) == len(three.seeds)


def test_a_federation_shows_neither_seed_nor_record() -> None:
    fed = federation()
    text = repr(fed)
    assert all(seed.hex() not in text and repr(seed) not in text for seed in fed.seeds.values())
    assert "array" not in text


@pytest.mark.parametrize("method", ["c-gdp", "c-gdp-noise", "i-gdp", "aa-gdp", "aa-gdp-noise"])
def test_every_method_runs_and_is_attacked_as_far_as_its_view_allows(tmp_path, method) -> None:
    noise = ["mechanism.anchor_noise=0"]
    noise += ["mechanism.private_noise=0.1"] if method.endswith("noise") else []
    attacks = 'collusion.attacks=["exact-inversion","procrustes","centred-procrustes"]'
    results = run_quickly(tmp_path / "run", f"mechanism.method={method}", *noise, attacks)
    ran = {a["name"]: a for a in results["attacks"]["attacks"]}
    assert set(ran) | set(results["attacks"]["impossible"]) == {
        "exact-inversion", "procrustes", "centred-procrustes",
    }  # fmt: skip
    assert not set(ran) & set(results["attacks"]["impossible"])
    if method in {"c-gdp", "aa-gdp"}:  # one colluder breaks them
        assert ran["exact-inversion"]["relative"] < 1e-9
    if method == "i-gdp":
        assert not ran
    assert RunDirectory(tmp_path / "run").status().state == "finished"
