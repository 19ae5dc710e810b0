"""CoDef sets the noise over the network as it does in one process, and a lost party is named."""

import pytest

from collude.common.scenario import load_scenario
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario
from collude.runtime.scenarios import __file__ as _here

COUNTED = _here.replace("__init__.py", "counted.toml")
SMALL = ("data.participants=3", "codef.slots_per_lease=3")


def results(out, runtime, *overrides):
    scenario = load_scenario(COUNTED, (*SMALL, *overrides))
    return run_scenario(scenario, Options(out, runtime=runtime, compare=False, report=False))


@pytest.mark.slow
@pytest.mark.processes
def test_processes_and_one_process_give_the_same(tmp_path):
    near = results(tmp_path / "near", "inprocess")
    far = results(tmp_path / "far", "processes")
    for name in ("transcript_digest", "results_digest", "codef"):
        assert near[name] == far[name]
    assert far["warnings"] == []
    received = (RunDirectory.open(tmp_path / "far").transcripts / "coordinator.jsonl").read_text()
    assert "codef_masked_input" in received
