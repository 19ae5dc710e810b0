"""The digits and their split: disjoint, complete, repeatable, in every class."""

import sys

import numpy as np
import pytest

from collude.common.data import Dataset, load_dataset, split
from collude.common.errors import DataInvalid, ExtraMissing, ScenarioInvalid
from collude.common.scenario import build_scenario, load_party_scenario, party_view


def scenario(*overrides, seed=7):
    return build_scenario({"scenario": {"name": "x", "seed": seed}}, overrides)


@pytest.fixture(scope="module")
def digits():
    return load_dataset(scenario())


def numbered(rows, classes=3):
    """A data set whose records carry their own row number."""
    records = np.arange(rows, dtype=float).reshape(-1, 1)
    return Dataset("numbered", records, np.arange(rows) % classes, credit="none")


def test_an_unknown_source_names_the_nearest():
    with pytest.raises(ScenarioInvalid, match="digits") as caught:
        load_dataset(scenario("data.source=digit"))
    assert caught.value.field == "data.source"


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(ExtraMissing, match="demo"):
        load_dataset(scenario())


@pytest.mark.parametrize("rows", [3, 5, 7])
def test_too_few_rows_for_so_many_participants_are_refused(rows):
    with pytest.raises(DataInvalid, match="too small") as caught:
        split(numbered(rows), scenario("data.participants=4"))
    assert caught.value.party is not None


def test_digits_are_what_they_are_said_to_be(digits):
    assert digits.records.shape == (1797, 64)
    assert digits.records.min() == 0
    assert digits.records.max() == 1
    assert sorted(set(digits.labels)) == list(range(10))
    assert not digits.synthetic


def test_the_fingerprint_moves_with_one_value_one_label_and_the_shape():
    base = numbered(12)
    other_value = Dataset("x", base.records.copy(), base.labels, "")
    other_value.records[3, 0] += 1e-9
    other_label = Dataset("x", base.records, base.labels.copy(), "")
    other_label.labels[3] += 1
    other_shape = Dataset("x", base.records.reshape(6, 2), base.labels, "")
    prints = {d.fingerprint() for d in (base, other_value, other_label, other_shape)}
    assert len(prints) == 4
    assert numbered(12).fingerprint() == base.fingerprint()


@pytest.mark.parametrize("participants", [2, 3, 10])
@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5])
def test_shares_are_disjoint_and_together_the_whole(participants, fraction):
    rows = 301
    chosen = scenario(f"data.participants={participants}", f"data.test_fraction={fraction}")
    shares = split(numbered(rows), chosen)
    assert list(shares) == list(chosen.participants)
    parts = [np.concatenate([s.records, s.test_records]).ravel() for s in shares.values()]
    assert sorted(np.concatenate(parts)) == list(range(rows))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    for s in shares.values():
        held_out = len(s.test_records) / (len(s.records) + len(s.test_records))
        assert abs(held_out - fraction) < 0.04
        assert (s.labels == s.records.ravel() % 3).all()
        assert (s.test_labels == s.test_records.ravel() % 3).all()


def test_every_participant_has_every_class_about_equally(digits):
    for share in split(digits, scenario("data.participants=10")).values():
        trained = np.bincount(share.labels, minlength=10)
        held_out = np.bincount(share.test_labels, minlength=10)
        assert trained.min() >= 11
        assert held_out.min() >= 3
        assert trained.max() - trained.min() <= 4


def test_the_split_repeats_and_moves_with_the_seed(digits):
    first, again, other = (
        split(digits, scenario(seed=seed))["participant-0"].records for seed in (7, 7, 8)
    )
    assert (first == again).all()
    assert not (first[:100] == other[:100]).all()


def test_a_party_without_the_seed_makes_the_same_split(tmp_path):
    text, digest = party_view(scenario())
    path = tmp_path / "party.toml"
    path.write_text(text)
    ours = split(numbered(90), scenario())
    theirs = split(numbered(90), load_party_scenario(path, digest))
    assert all((ours[p].records == theirs[p].records).all() for p in ours)
