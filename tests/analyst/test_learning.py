"""What the analyst learns, and that a participant's raw records get the same predictions.

((X O + 1 psi^T) - 1 b^T) R + 1 offset^T on a participant's own raw records must be the rows
that the analyst trained on, for every method, as long as the records carry no noise.
"""

from dataclasses import replace

import numpy as np
import pytest
from testkit.federation import P0, P1, dataset, federation, nearest_mean, parties
from testkit.network import talk

from collude.analyst.learning import Lesson, learn
from collude.common.data import Dataset
from collude.common.errors import DataInvalid, ScenarioInvalid
from collude.common.methods import METHODS
from collude.common.models import CnnModel, members_of
from collude.common.protocol.codec import decode_message
from collude.common.protocol.messages import Delivery, Upload
from collude.common.scenario import build_scenario
from collude.runtime.federation import prepare
from collude.runtime.inprocess import assemble, connect
from collude.runtime.runner import Options, run_scenario

UPLOADING = [name for name, traits in METHODS.items() if traits.uploads]
ALIGNING = [name for name in UPLOADING if METHODS[name].anchor]
CASES = [(m, e) for m in ALIGNING for e in ("reference", "spectral", "power")] + [
    (m, "spectral") for m in UPLOADING if m not in ALIGNING
]


def settled(method="naa-gdp", estimator="spectral", *, seed=3, participants=3, **training):
    """A scenario without noise on the records; naa-gdp has noise on the anchor."""
    noise = {"anchor_noise": 0.05} if METHODS[method].anchor_noise else {}
    return build_scenario({
        "scenario": {"name": "learning", "seed": seed},
        "data": {"participants": participants},
        "mechanism": {"method": method, **noise},
        "alignment": {"estimator": estimator},
        "training": training,
    })


def images(count, seed=1):
    """Noise of 20 x 20 with a pattern in the middle, whose sign is the class."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count, dtype=np.int64) % 2
    records = rng.standard_normal((count, 20, 20))
    records[:, 6:14, 6:14] += np.where(labels, 1.0, -1.0)[:, None, None]
    return Dataset("digits", records.reshape(count, 400), labels, credit="made up", synthetic=True)


def predictions_agree(analyst, silos, shares, deliveries, tolerance=1e-9):
    """Compare each participant's own rows and predictions with the analyst's; return how many."""
    learned = analyst.learned
    for name, delivery in deliveries.items():
        told, records = silos[name].disclosure({"transform"}), shares[name].records
        rows = records @ told.rotation + told.translation
        if delivery.alignment is not None:
            to = delivery.alignment
            rows = (rows - to.mean) @ to.rotation + to.offset
        ours = silos[name].in_model_space(records, delivery.alignment)
        assert np.abs(ours - rows).max() < tolerance
        assert np.abs(ours - learned.aligned.rows[name]).max() < tolerance
        for model in members_of(learned.model):
            theirs = model.predict(learned.aligned.rows[name])
            assert (model.predict(ours) == theirs).all()
            assert len(set(theirs.tolist())) > 1  # a model that always says the same shows nothing
    return len(deliveries)


@pytest.mark.parametrize(("method", "estimator"), CASES)
def test_raw_records_are_predicted_as_the_analyst_predicts_them(method, estimator):
    fed = prepare(settled(method, estimator), dataset(3))
    talked = talk(parties(fed))
    deliveries = {
        name: decode_message(parcel.body)
        for name in fed.scenario.participants
        for parcel in talked.received(name, Delivery)
    }
    them = talked.parties
    assert predictions_agree(them.analyst, them.silos, fed.shares, deliveries) == 3


def test_noise_on_the_records_is_not_in_what_a_participant_predicts():
    fed = federation("aa-gdp-noise")
    them = talk(parties(fed)).parties
    rows, maps = them.analyst.learned.aligned.rows, them.analyst.learned.aligned.maps
    ours = them.silos[P0].in_model_space(fed.shares[P0].records, maps[P0])
    assert 0.02 < np.std(ours - rows[P0]) < 0.08  # sigma is .05


@pytest.mark.parametrize("method", ["naa-gdp", "c-gdp"])
def test_the_network_is_learned_delivered_and_counted_for_each_seed(method):
    scenario = settled(method, model="cnn", seeds=[5, 2], participants=2, device="cpu")
    fed = prepare(scenario, images(320))
    sessions = assemble(fed)
    connect([sessions.analyst, *sessions.participants.values()])
    assert sessions.analyst.error is None
    learned = sessions.analyst.learned
    assert [type(each) for each in members_of(learned.model)] == [CnnModel, CnnModel]
    assert learned.device == "cpu"
    maps = learned.aligned.maps
    deliveries = {name: Delivery("", (), maps[name]) for name in scenario.participants}
    assert predictions_agree(sessions.analyst, sessions.silos, fed.shares, deliveries) == 2
    estimate = sessions.analyst.counts.balanced_accuracy()
    assert len(estimate.by_seed) == 2
    assert estimate.count == sum(len(share.test_labels) for share in fed.shares.values())


def test_the_baseline_that_trains_alone_pools_the_counts_of_all():
    fed = prepare(settled("local", model="cnn", participants=2, seeds=[1, 2]), images(320))
    sessions = assemble(fed)
    connect([sessions.analyst, *sessions.participants.values()])
    counts = sessions.analyst.counts
    assert counts.total == sum(len(share.test_labels) for share in fed.shares.values())
    assert counts.repeats == 2
    assert min(counts.balanced_accuracy().by_seed) > 0.9


def test_each_seed_is_counted_by_every_participant():
    fed = prepare(settled(seeds=[1, 2, 3]), dataset(3))
    sessions = assemble(fed)
    connect([sessions.analyst, *sessions.participants.values()])
    assert sessions.analyst.counts.repeats == 3


@pytest.mark.parametrize(
    ("width", "classes", "got"), [(8, 2, "width 8"), (400, 3, "3 classes"), (399, 2, "width 399")]
)
def test_the_network_is_refused_for_other_records(width, classes, got):
    with pytest.raises(ScenarioInvalid, match=got) as caught:
        settled(model="cnn").training.require_fit(width, classes)
    assert caught.value.field == "training.model"
    settled(model="linear").training.require_fit(width, classes)


def test_a_participant_refuses_a_network_for_its_records_before_it_joins():
    with pytest.raises(ScenarioInvalid) as caught:
        assemble(prepare(settled(model="cnn"), dataset(3)))
    assert caught.value.field == "training.model"


def test_a_run_refuses_a_network_for_digits_before_anything_is_written(tmp_path):
    with pytest.raises(ScenarioInvalid) as caught:
        run_scenario(settled(model="cnn"), Options(tmp_path / "run"))
    assert (caught.value.code, caught.value.field) == ("E-SCENARIO", "training.model")
    assert not (tmp_path / "run").exists()


def test_classes_that_only_the_analyst_sees_together_end_the_session():
    """Each participant has two classes, all together have three: only the analyst can tell."""
    fed = prepare(settled(model="cnn", participants=2), images(80))
    first, second = fed.scenario.participants
    moved = replace(fed.shares[second], labels=fed.shares[second].labels + 1)
    sessions = assemble(replace(fed, shares={first: fed.shares[first], second: moved}))
    connect([sessions.analyst, *sessions.participants.values()])
    assert isinstance(sessions.analyst.error, DataInvalid)
    assert "3 classes" in str(sessions.analyst.error)
    assert all(session.error is not None for session in sessions.participants.values())


def test_the_rows_of_all_are_learned_from_in_order_under_each_seed():
    seen = []

    def remembers(rows, labels, *, seed):
        seen.append((rows.tolist(), labels.tolist(), seed))
        return nearest_mean(rows, labels, seed=seed)

    uploads = {
        P0: Upload(np.array([[1.0, 2.0], [3.0, 4.0]]), None, np.array([0, 1])),
        P1: Upload(np.array([[5.0, 6.0]]), None, np.array([1])),
    }
    learned = learn(uploads, Lesson("spectral", remembers, seeds=(4, 9), device="cuda"))
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert seen == [(rows, [0, 1, 1], 4), (rows, [0, 1, 1], 9)]
    assert learned.device == "cuda"
