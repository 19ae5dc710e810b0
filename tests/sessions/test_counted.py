"""From the budget period to the pooled counts: coordinator, analyst and participants, all real."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.counted import HEURISTIC, PERSONS, federation, parties, scenario, talk, with_people

from collude.analyst.disclose import AnalystDiscloser
from collude.attacker.assemble import build_view
from collude.attacker.attacks import registry
from collude.attacker.campaign import run_attacks
from collude.codef.coordinator.outcome import facts_of
from collude.codef.leakage import rr_information
from collude.common.errors import DeadlineExceeded, ReleaseRefused
from collude.common.ids import ANALYST, COORDINATOR, Round
from collude.common.net.fault_plan import FaultPlan
from collude.participant.r2_count import rule_of
from collude.runtime.federation import prepare

METHODS = {
    "aa-gdp-noise": {"policy": "information"},
    "c-gdp-noise": {"policy": "success", "max_success": 0.3},
    "naa-gdp": {k: v for k, v in HEURISTIC.items() if k != "method"},
}
FED = federation()
P0, P1, P2 = FED.scenario.participants


@pytest.fixture(scope="module")
def runs():
    return {method: talk(parties(federation(method, **c))) for method, c in METHODS.items()}


@pytest.mark.parametrize("method", METHODS)
def test_everybody_finishes_without_a_refusal(runs, method):
    for session in runs[method].parties.sessions:
        assert (session.round, session.error, session.refused) == (Round.DONE, None, [])
    assert runs[method].parties.analyst.counts.total == 6


@pytest.mark.parametrize("method", METHODS)
def test_the_period_is_over_before_anybody_joins_the_analyst(runs, method):
    for name in (P0, P1, P2):
        rounds = [p.round for p in runs[method].transcripts[name].parcels]
        last = max(i for i, r in enumerate(rounds) if r.startswith("codef_"))
        first = min(i for i, r in enumerate(rounds) if not r.startswith("codef_"))
        assert last < first
        assert rounds[last] == Round.CODEF_ADAPT


@pytest.mark.parametrize("method", METHODS)
def test_every_upload_says_the_noise_that_its_lease_gave_it(runs, method):
    made = runs[method].parties
    for name, upload in made.analyst.collected.uploads.items():
        counted = made.silos[name].counted
        assert upload.private_noise == counted.private_noise
        assert upload.anchor_noise == counted.anchor_noise
        assert (upload.private_noise is None) == (method == "naa-gdp")


@pytest.mark.parametrize("method", ["aa-gdp-noise", "c-gdp-noise"])
def test_the_rows_that_leave_are_clipped_ones_under_noise_of_that_size(runs, method):
    """Second derivation: undo the secret; what is left over is noise of the announced sigma."""
    made, fed = runs[method].parties, federation(method, **METHODS[method])
    left = []
    for name, upload in made.analyst.collected.uploads.items():
        told = made.silos[name].disclosure(["transform"])
        X = fed.shares[name].records
        short = X * np.minimum(1, 2.0 / np.linalg.norm(X, axis=1))[:, None]
        back = (upload.private - told.translation) @ told.rotation.T
        left.append((back - short) / upload.private_noise)
    values = np.concatenate(left).ravel()
    error = 5 / np.sqrt(2 * values.size)
    assert abs(values.std() - 1) < error
    assert abs(values.mean()) < error


@pytest.mark.parametrize("method", METHODS)
def test_a_bad_link_changes_times_and_nothing_else(runs, method):
    plan = FaultPlan(loss=0.1, duplicate=0.2, reorder=0.2, delay=(0.01, 0.05))
    made = parties(federation(method, **METHODS[method]))
    assert talk(made, plan=plan, seed=3).parcels == runs[method].parcels


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_says_the_same_and_another_another(runs, method):
    codef = METHODS[method]
    assert talk(parties(federation(method, **codef))).parcels == runs[method].parcels
    assert talk(parties(federation(method, seed=2, **codef))).parcels != runs[method].parcels


def test_a_participant_with_many_rows_of_one_person_adds_more_noise():
    dataset = with_people()
    fed = prepare(scenario(persons=6), dataset)
    made = talk(parties(fed)).parties
    for name, share in fed.shares.items():
        counted = made.silos[name].counted
        most = np.bincount(share.persons).max()
        assert counted.rows_per_person == most > 1
        assert counted.private_noise == pytest.approx(
            2.0 * np.sqrt(most / (2 * counted.nats)), rel=1e-6
        )


def test_held_out_rows_are_clipped_as_those_that_were_uploaded(runs):
    made = runs["aa-gdp-noise"].parties
    long = 1e6 * FED.shares[P0].test_records
    told = made.silos[P0].disclosure(["transform"])
    back = (made.silos[P0].in_model_space(long, None) - told.translation) @ told.rotation.T
    assert np.allclose(np.linalg.norm(back, axis=1), 2.0)


def test_a_lease_is_for_one_upload(runs):
    silo = runs["c-gdp-noise"].parties.silos[P0]
    with pytest.raises(ReleaseRefused) as caught:
        silo.upload(bytes(32))
    assert "used" in caught.value.got
    fresh = parties(federation("c-gdp-noise", **METHODS["c-gdp-noise"])).silos[P0]
    with pytest.raises(ReleaseRefused) as caught:
        fresh.upload(bytes(32))
    assert caught.value.got == "none"


def test_the_analyst_names_who_fell_silent_in_the_period_and_waits_one_deadline_for_it():
    """The others go on, and the first join says that the period is over."""
    crash = {P1: 0.006}  # the period takes longer, on this network
    plan = FaultPlan(delay=(0.001, 0.001), crash=crash)
    talked = talk(parties(federation(p=5)), plan=plan)
    assert type(talked.errors[ANALYST]) is DeadlineExceeded
    assert talked.errors[ANALYST].party == P1
    assert talked.errors[COORDINATOR] is None
    assert not any(parcel[0] == Round.UPLOAD for parcel in talked.parcels)
    assert talked.now < 20 * FED.scenario.network.deadline_s


def test_the_coordinator_says_levels_of_the_upload_and_no_counts(runs):
    (book,) = runs["aa-gdp-noise"].parties.coordinator.books
    last = facts_of(book)["epochs"][-1]
    assert last["persons_by_level"]["1"] == PERSONS
    assert last["counted"] == [P0, P1, P2]


def test_the_lease_of_the_upload_is_charged_whole():
    """A period that went on would find every slot of it spent."""
    made = talk(parties(FED)).parties
    (book,) = made.coordinator.books
    nothing = np.zeros(PERSONS, dtype=np.int64)
    spent = book.spending.spent(nothing, ())
    worth = rr_information(1.0) / book.terms.policy.unit
    assert (spent >= 3 * worth).all()


@pytest.mark.parametrize("method", METHODS)
def test_every_attack_runs_on_counted_uploads(runs, method):
    made, codef = runs[method].parties, METHODS[method]
    fed = federation(method, **codef)
    analyst = AnalystDiscloser(fed.scenario, made.analyst).disclosure()
    told = made.silos[P0].disclosure(["records", "transform", "anchor", "noise"])
    view = build_view(analyst, {P0: told})
    assert set(view.announced) == {P0, P1, P2}
    campaign = run_attacks(view, list(registry()), P1, lambda _: np.random.default_rng(1))
    for records in (each.records for each in campaign.results.values()):
        assert records.shape == fed.shares[P1].records.shape
        assert np.isfinite(records).all()
    assert {"procrustes", "wiener"} <= set(campaign.results) | set(campaign.impossible)
    if method != "naa-gdp":
        silent = replace(view, announced={})
        wiener = registry()["wiener"]
        errors = [
            np.sum((wiener.reconstruct(v, P1, np.random.default_rng(0)).records
                    - fed.shares[P1].records) ** 2)
            for v in (view, silent)
        ]  # fmt: skip
        assert errors[0] < errors[1]  # whoever knows the noise attacks better


def test_all_uploads_together_keep_what_the_report_promises(runs):
    made = runs["c-gdp-noise"].parties
    rule = rule_of(federation("c-gdp-noise", **METHODS["c-gdp-noise"]).scenario)
    told = sum(2.0**2 / (2 * silo.counted.private_noise**2) for silo in made.silos.values())
    assert told <= rule.upload.total
    assert rule.upload.success <= 0.3
