"""What colluders make of the truth: wrong where they say so, and never more than is allowed."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from testkit.federation import P0, entropy, federation, silo
from testkit.quick import run_quickly

from collude.common.errors import DisclosureRefused, PluginInvalid, PluginUnknown, ScenarioInvalid
from collude.common.geometry import RigidTransform, check_anchor
from collude.common.net.desk import DisclosureDesk
from collude.common.protocol.messages import ColluderDisclosure
from collude.common.scenario import build_scenario
from collude.participant import disclose
from collude.participant.colluders import colluder
from collude.participant.disclose import ColluderDiscloser, Teller
from collude.runtime.recorded import attack_recorded, recorded_scenario, recorded_view
from collude.runtime.rundir import RunDirectory

FIELDS = ("records", "transform", "anchor", "noise")
ARRAYS = ("records", "rotation", "translation", "anchor", "noise")
NAMES = ("honest", "liar", "partial", "stale")


@pytest.fixture(scope="module")
def fed():
    return federation()


@pytest.fixture(scope="module")
def made(fed):
    party = silo(fed, P0)
    return party, party.upload(bytes(range(32)))


@pytest.fixture
def true(made):
    return made[0].disclosure(FIELDS)


def teller(fed, name):
    return Teller(name, entropy(fed, P0))


class Lines:
    def __init__(self):
        self.lines = []

    def info(self, event, **values):
        self.lines.append((event, values))


def raising(true, rng, /):
    raise RuntimeError("no idea")


def inventing(true, rng, /):
    return replace(true, records=np.ones((2, 3)))


WRONG = {"raising": raising, "inventing": inventing, "other": lambda true, rng, /: "the truth"}
COMPLAINTS = {"raising": "no idea", "inventing": "records", "other": "a str"}


@pytest.fixture(params=WRONG)
def wrong(request, monkeypatch):
    monkeypatch.setattr(disclose, "colluder", lambda name: WRONG[name])
    return request.param


def test_an_unknown_colluder_is_refused_and_the_nearest_named():
    with pytest.raises(ScenarioInvalid, match="liar"):
        build_scenario({"scenario": {"name": "x", "seed": 1}, "collusion": {"colluder": "lair"}})
    with pytest.raises(PluginUnknown):
        colluder("lair")


def test_a_colluder_that_cannot_be_used_is_named(fed, wrong):
    empty = ColluderDisclosure(None, None, None, None, None)
    with pytest.raises(PluginInvalid, match=COMPLAINTS[wrong]) as caught:
        teller(fed, wrong).told(empty)
    assert caught.value.field == "collusion.colluder"


def test_a_colluder_that_fails_stays_in_its_session_and_the_attacker_hears_why(fed, made, wrong):
    discloser = ColluderDiscloser(made[0], ["transform"], teller(fed, wrong))
    desk = DisclosureDesk(P0, discloser, log=None)
    desk.look()
    with pytest.raises(DisclosureRefused, match=COMPLAINTS[wrong]):
        asyncio.run(desk.disclose("attacker"))


def test_each_disclosure_is_a_line_of_the_log_that_says_to_whom_and_not_what(fed, made):
    log = Lines()
    desk = DisclosureDesk(P0, ColluderDiscloser(made[0], ["records"], teller(fed, "liar")), log)
    desk.look()
    bodies = [asyncio.run(desk.disclose("attacker")) for _ in range(2)]
    line = {"to": "attacker", "bytes": len(bodies[0]), "kind": "ColluderDisclosure"}
    assert log.lines == [("disclosed", line)] * 2
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("field", [*FIELDS, None])
def test_nothing_is_told_that_is_to_stay_hidden(fed, made, name, field):
    fields = [] if field is None else [field]
    shown = made[0].disclosure(fields)
    told = ColluderDiscloser(made[0], fields, teller(fed, name)).disclosure()
    for array in ARRAYS:
        assert (getattr(told, array) is None) == (getattr(shown, array) is None)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_is_told_every_time_and_looks_like_a_disclosure(fed, true, name):
    told = teller(fed, name).told(true)
    assert told == teller(fed, name).told(true)
    assert RigidTransform(told.rotation, told.translation)
    assert check_anchor(told.anchor).shape == true.anchor.shape
    assert told.noise.shape == true.noise.shape


def test_the_honest_tell_the_truth(fed, true):
    assert teller(fed, "honest").told(true) == true


def test_stale_secrets_fit_no_upload(fed, made, true):
    told, sent = teller(fed, "stale").told(true), made[1]
    assert (told.records == true.records).all()
    assert np.linalg.norm(true.rotation - told.rotation) > 1.0  # 0 to 2 sqrt(8)
    assert np.abs(true.anchor - told.anchor).max() > 0.1
    assert np.abs(RigidTransform(told.rotation, told.translation).apply(true.records)
                  - sent.private).max() > 1.0  # fmt: skip
    assert 0.5 < told.noise.std() / true.noise.std() < 2.0


def test_a_liar_invents_records_as_large_as_the_true_ones(fed, true):
    told = teller(fed, "liar").told(true)
    assert told.records.shape == true.records.shape
    assert told.records.mean() == pytest.approx(true.records.mean(), abs=0.3 * true.records.std())
    assert told.records.std() == pytest.approx(true.records.std(), rel=0.3)
    assert not np.isin(told.records, true.records).any()


def test_a_part_is_half_the_records_in_their_order(fed, true):
    told = teller(fed, "partial").told(true)
    rows = [int(np.flatnonzero((true.records == row).all(axis=1))[0]) for row in told.records]
    assert len(rows) == round(len(true.records) / 2)
    assert rows == sorted(set(rows))
    assert replace(told, records=true.records) == true


@pytest.fixture(scope="module")
def lied(tmp_path_factory):
    out = tmp_path_factory.mktemp("lied") / "run"
    run_quickly(out, 'collusion.colluder="liar"')
    return RunDirectory.open(out)


def test_a_recorded_run_is_attacked_with_the_lie_it_was_told(lied, finished_honestly):
    campaign, scored = attack_recorded(lied, None, [], None)
    assert scored["attacks"] == lied.results()["attacks"]["attacks"]
    errors = {a["name"]: a["relative"] for a in scored["attacks"]}
    truth = {a["name"]: a["relative"] for a in finished_honestly["attacks"]["attacks"]}
    assert errors["procrustes"] > 4 * truth["procrustes"]
    assert campaign.colluders == (P0,)


def test_a_lie_changes_nothing_of_what_the_parties_send(lied, finished_honestly):
    """The digest differs with the scenario's; the uploads are the same bytes."""
    scenario = recorded_scenario(lied)
    view = recorded_view(lied, scenario, [])
    honest = RunDirectory.open(finished_honestly["directory"])
    other = recorded_view(honest, recorded_scenario(honest), [])
    for party, upload in view.uploads.items():
        assert (upload.private == other.uploads[party].private).all()


@pytest.fixture(scope="module")
def finished_honestly(tmp_path_factory):
    out = tmp_path_factory.mktemp("honest") / "run"
    return run_quickly(out) | {"directory": out}
