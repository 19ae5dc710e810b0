"""All seven methods from the join to the pooled counts, with real sessions at every end."""

import numpy as np
import pytest
from testkit.federation import P0, P1, P2, D, dataset, federation, parties, scenario
from testkit.network import talk

from collude.common.geometry.expansion import expand_anchor, expand_transform
from collude.common.ids import ANALYST, Round
from collude.common.methods import METHODS
from collude.common.net.fault_plan import FaultPlan
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message
from collude.runtime import inprocess
from collude.runtime.federation import prepare

ALIGNED = [name for name, traits in METHODS.items() if traits.anchor]
SEEDED = [name for name, traits in METHODS.items() if traits.anchor or traits.common_secret]


@pytest.fixture(scope="module")
def runs():
    return {method: talk(parties(federation(method))) for method in METHODS}


@pytest.mark.parametrize("method", METHODS)
def test_everybody_finishes_without_a_refusal(runs, method):
    talked = runs[method]
    for session in talked.parties.sessions:
        assert (session.round, session.error, session.refused) == (Round.DONE, None, [])
    assert talked.parties.analyst.left_out == {}


@pytest.mark.parametrize("method", METHODS)
def test_the_digest_is_the_same_again_and_another_under_another_seed(runs, method):
    assert talk(parties(federation(method))).digest == runs[method].digest
    assert talk(parties(federation(method, seed=2))).digest != runs[method].digest


def test_no_two_methods_have_one_digest(runs):
    assert len({talked.digest for talked in runs.values()}) == len(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_a_bad_link_changes_times_and_nothing_else(runs, method):
    plan = FaultPlan(loss=0.2, duplicate=0.3, reorder=0.3, delay=(0.01, 0.1))
    talked = talk(parties(federation(method)), plan=plan, seed=7)
    assert talked.digest == runs[method].digest
    for name in (ANALYST, P0, P1, P2):
        mine, theirs = (t.transcripts[name].parcels for t in (talked, runs[method]))
        assert sorted(map(repr, mine)) == sorted(map(repr, theirs))
        assert sorted(p.digest() for p in mine) == sorted(p.digest() for p in theirs)


@pytest.mark.parametrize("method", SEEDED)
def test_an_upload_is_made_of_the_joint_seed(runs, method):
    made = runs[method].parties
    (seed,) = {silo.seed for silo in made.silos.values()}
    for silo in made.silos.values():
        told = silo.disclosure(["transform", "anchor"])
        if METHODS[method].anchor:
            assert np.array_equal(told.anchor, expand_anchor(seed, D + 1, D))
        else:
            assert np.array_equal(told.rotation, expand_transform(seed, D).rotation)


@pytest.mark.parametrize("method", METHODS)
def test_own_secrets_are_own_and_common_ones_common(runs, method):
    told = [s.disclosure(["transform"]).rotation for s in runs[method].parties.silos.values()]
    if not METHODS[method].uploads:
        assert told == [None] * 3
        return
    distances = [np.abs(told[i] - told[j]).max() for i, j in ((0, 1), (0, 2), (1, 2))]
    assert max(distances) == 0.0 if METHODS[method].common_secret else min(distances) > 0.1


@pytest.mark.parametrize("method", METHODS)
def test_the_records_can_be_had_back_with_the_secret_alone(runs, method):
    """Second derivation of the upload: undo it, up to the method's noise."""
    fed, made = federation(method), runs[method].parties
    if not METHODS[method].uploads:
        assert made.analyst.collected is None
        return
    for name, upload in made.analyst.collected.uploads.items():
        told = made.silos[name].disclosure(["records", "transform"])
        back = (upload.private - told.translation) @ told.rotation.T
        noise = fed.scenario.mechanism.private_noise
        assert np.abs(back - fed.shares[name].records).max() <= 6 * noise + 1e-12
        assert np.array_equal(told.records, fed.shares[name].records)
        assert np.array_equal(upload.labels, fed.shares[name].labels)


@pytest.mark.parametrize("method", ALIGNED)
def test_each_gets_the_map_that_the_analyst_used_for_its_rows(runs, method):
    made = runs[method].parties
    for name in (P0, P1, P2):
        (parcel,) = runs[method].received(name, m.Delivery)
        to = decode_message(parcel.body).alignment
        upload = made.analyst.collected.uploads[name].private
        mapped = (upload - to.mean) @ to.rotation + to.offset
        assert np.allclose(mapped, made.analyst.learned.aligned.rows[name], atol=1e-12)


@pytest.mark.parametrize("method", ["aa-gdp", "c-gdp"])
def test_without_noise_everybodys_rows_come_to_one_space(runs, method):
    """Distances between rows of different participants are those of the raw records."""
    made, fed = runs[method].parties, federation(method)
    rows = made.analyst.learned.aligned.rows
    raw = gram([fed.shares[n].records for n in (P0, P1, P2)])
    assert np.allclose(raw, gram([rows[n] for n in (P0, P1, P2)]), atol=1e-9)


def gram(tables):
    rows = np.vstack(tables)
    centred = rows - rows.mean(axis=0)
    return centred @ centred.T


def test_aa_gdp_to_the_reference_is_c_gdp_under_the_references_secret():
    fed = prepare(scenario("aa-gdp", estimator="reference"), dataset(3))
    made = talk(parties(fed)).parties
    secret = made.silos[P0].disclosure(["transform"])
    for name, rows in made.analyst.learned.aligned.rows.items():
        common = fed.shares[name].records @ secret.rotation + secret.translation
        assert np.abs(rows - common).max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_the_pooled_counts_are_the_sum_of_what_each_can_see_for_itself(runs, method):
    sent = [decode_message(p.body) for p in runs[method].received(ANALYST, m.Evaluation)]
    pooled = runs[method].parties.analyst.counts
    assert pooled.total == sum(int(e.counts.sum()) for e in sent) == 6
    for name in (P0, P1, P2):
        (parcel,) = runs[method].received(name, m.Finished)
        assert decode_message(parcel.body) == m.Finished(3)


def test_the_sessions_of_the_product_are_assembled_alike():
    """With the trainer that scenarios name, and as the in-process runtime makes them."""
    fed = federation("aa-gdp")
    made = inprocess.assemble(fed)
    inprocess.connect([made.analyst, *made.participants.values()])
    assert [s.error for s in (made.analyst, *made.participants.values())] == [None] * 4
    assert made.analyst.counts.accuracy().value == 1.0
    quick = talk(parties(fed)).parties.analyst.collected.uploads
    assert made.analyst.collected.uploads == quick
