"""A view out of a recorded run is the view that the run's own coalition had."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from collude.attacker.output import read_campaign
from collude.common.errors import DisclosureRefused, RunDirectoryInvalid
from collude.common.ids import ANALYST, Round
from collude.common.protocol import messages as m
from collude.common.protocol.codec import encode_message
from collude.common.protocol.parcel import Parcel
from collude.common.transcript import FileTranscript
from collude.runtime.json_files import write_json
from collude.runtime.recorded import attack_recorded, recorded_scenario, recorded_view

P0, P2 = "participant-0", "participant-2"


@pytest.fixture(scope="module")
def scenario(finished):
    return recorded_scenario(finished)


def test_the_scenario_comes_back_as_it_was(finished, scenario) -> None:
    assert scenario.resolved_dict() == finished.manifest()["scenario"]
    assert scenario.scenario.seed == 7


def test_a_view_holds_all_uploads_and_only_the_colluders_secrets(finished, scenario) -> None:
    view = recorded_view(finished, scenario, [P0])
    assert set(view.uploads) == set(scenario.participants)
    assert set(view.disclosures) == {P0}
    told = view.disclosures[P0]
    assert (told.records is not None, told.noise) == (True, None)  # as the scenario says
    upload = view.uploads[P0]
    assert np.allclose(upload.private, told.transform.apply(told.records))
    assert np.abs(upload.anchor - told.transform.apply(told.anchor)).max() > 0.01  # its noise


def test_the_analyst_alone_has_uploads_only(finished, scenario) -> None:
    assert not recorded_view(finished, scenario, []).disclosures


def test_who_is_no_participant_cannot_collude(finished, scenario) -> None:
    with pytest.raises(DisclosureRefused, match="participant-9"):
        recorded_view(finished, scenario, ["participant-9"])


def test_who_left_nothing_cannot_disclose(mine, scenario) -> None:
    (mine.root / "parties" / P0 / "disclosable.npz").unlink()
    with pytest.raises(DisclosureRefused, match=P0):
        recorded_view(mine, scenario, [P0])
    assert recorded_view(mine, scenario, [P2]).disclosures  # the others still can


@pytest.mark.parametrize("threads", [1, 2])
def test_reconstructions_and_figures_are_those_of_the_run(finished, threads) -> None:
    """Also where more threads could compute: the bytes of a product depend on their number."""
    with threadpool_limits(threads):
        campaign, scored = attack_recorded(finished, None, [], None)
    assert scored["attacks"] == finished.results()["attacks"]["attacks"]
    stored = read_campaign(finished.root / "attacks")
    assert list(campaign.results) == list(stored.results)
    for name, result in campaign.results.items():
        assert (result.records == stored.results[name].records).all()


@pytest.mark.parametrize("told", [True, False])
def test_what_the_analyst_refused_takes_no_upload_s_place(mine, scenario, told) -> None:
    """Noted before it is looked at: what is no message, and another upload after the accepted."""
    kept = recorded_view(mine, scenario, []).uploads[P0].private
    other = m.Upload(2.0 * kept, None, np.zeros(len(kept), np.int64))
    transcript = FileTranscript(mine.transcripts, ANALYST, lambda: 0.0)
    for number, body in enumerate((b"no message", encode_message(other))):
        transcript.record(Parcel(bytes(32), Round.UPLOAD.value, P0, ANALYST, 90 + number, body))
    if not told:
        (mine.party(ANALYST) / "outcome.json").unlink()
    assert (recorded_view(mine, scenario, []).uploads[P0].private == kept).all()


def test_a_run_without_uploads_cannot_be_attacked(mine) -> None:
    (mine.transcripts / "analyst.jsonl").unlink()
    with pytest.raises(RunDirectoryInvalid, match="nothing to attack"):
        attack_recorded(mine, None, [], None)


def test_a_manifest_without_a_scenario_is_refused(mine) -> None:
    write_json(mine.root / "manifest.json", mine.manifest() | {"scenario": None})
    with pytest.raises(RunDirectoryInvalid, match="scenario"):
        recorded_scenario(mine)
