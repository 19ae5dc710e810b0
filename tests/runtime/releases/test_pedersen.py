"""Runs whose sums are checked against Pedersen commitments."""

import pytest
from testkit.releases import release

from collude.codef.coordinator.files import read_sums
from collude.codef.ledger import read_ledger
from collude.common.errors import AggregationAborted
from collude.common.ids import COORDINATOR
from collude.runtime.federation import prepare_releases
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario


def played(scenario, out):
    results = run_scenario(scenario, Options(out))
    return RunDirectory.open(out), results


def test_every_entry_has_a_commitment_and_nothing_else_changes(tmp_path):
    plain, without = played(release(), tmp_path / "plain")
    checked, with_ = played(release(pedersen=True), tmp_path / "checked")
    for run, length in ((plain, 0), (checked, 32)):
        text = (run.party(COORDINATOR) / "ledger-0.jsonl").read_text()
        ledger, _ = read_ledger(text, prepare_releases(release()).roster)
        entries = [entry for phase in ledger.phases for entry in phase.entries]
        assert {len(entry.pedersen) for entry in entries} == {length}
        assert len({entry.pedersen for entry in entries}) == (len(entries) if length else 1)
    sums = [read_sums(run.party(COORDINATOR), 0) for run in (plain, checked)]
    assert sums[0].shape == sums[1].shape == (2, 12)
    assert sums[0].sum() == sums[1].sum() > 0
    (before,), (after,) = without["codef"]["policies"], with_["codef"]["policies"]
    assert before["answers"]["answered"] == after["answers"]["answered"]
    assert with_["codef"]["left"] == {}


def test_a_silo_that_masks_other_counts_than_it_committed_to_is_noticed(tmp_path):
    deviating = 'faults.deviator={participant-1="late-counter"}'
    played(release(deviating), tmp_path / "unnoticed")
    with pytest.raises(AggregationAborted, match="not that of the commitments") as caught:
        played(release(deviating, pedersen=True), tmp_path / "noticed")
    assert caught.value.field == "unmask/pedersen"
