"""Starting and ending processes: one that does not start is named, none stays behind."""

import pytest
from testkit.quick import quickstart
from testkit.watching import Hook, living

from collude.common.errors import PartyFailed
from collude.common.ids import ANALYST, Round
from collude.common.protocol.rounds import PLANS
from collude.runtime.federation import prepare
from collude.runtime.party_files import write_party_folders
from collude.runtime.processes import IN_WORDS, Processes
from collude.runtime.rundir import RunDirectory

pytestmark = pytest.mark.processes


@pytest.fixture
def run(tmp_path):
    made = RunDirectory.create(tmp_path / "run")
    write_party_folders(prepare(quickstart()), made)
    return made


def test_a_party_that_ends_before_it_listens_is_named_with_its_last_words(run) -> None:
    (run.party(ANALYST) / "cert.pem").write_text("no certificate")
    with Processes(prepare(quickstart()), run) as processes:
        processes.start(ANALYST, {})
        with pytest.raises(PartyFailed) as caught:
            processes.address(ANALYST, "listening")
    assert caught.value.party == ANALYST
    assert caught.value.got == "exit status 2"
    assert caught.value.hint
    assert living(run.root) == []


def test_leaving_the_block_ends_whoever_lives(run, tmp_path, monkeypatch) -> None:
    hook = Hook(tmp_path / "hook")
    for name, value in hook.environ().items():
        monkeypatch.setenv(name, value)
    with Processes(prepare(quickstart()), run) as processes:
        processes.start(ANALYST, {})
        address = processes.address(ANALYST, "listening")
        assert living(run.root)
        (note,) = hook.notes()
        assert note.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert address.startswith("127.0.0.1:")
    assert living(run.root) == []


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_every_round_has_words_for_the_person_who_waits(plan) -> None:
    at_once = {Round.DELIVER}  # the analyst passes through it
    assert set(plan) - at_once <= set(IN_WORDS)
