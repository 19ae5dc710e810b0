"""Whose a row is: refused where it is not known, the same person everywhere else."""

from dataclasses import replace

import numpy as np
import pytest

from collude.common.data import Dataset, load_share, save_share, split
from collude.common.data.dataset import People, PublicRecords
from collude.common.data.person_index import persons_of
from collude.common.data.share import check_share
from collude.common.data.split import uploaded_identities
from collude.common.errors import DataInvalid
from collude.common.scenario import build_scenario

P0 = "participant-0"


def scenario(persons=500, *, enabled=True):
    return build_scenario({
        "scenario": {"name": "x", "seed": 7},
        "mechanism": {"method": "aa-gdp-noise"},
        "codef": {"enabled": enabled, "policy": "information", "persons": persons},
    })


def anonymous(rows=60) -> Dataset:
    rng = np.random.default_rng(1)
    labels = np.arange(rows, dtype=np.int64) % 2
    return Dataset("digits", rng.standard_normal((rows, 4)), labels, credit="made up")


def with_people(people=9, each=5) -> Dataset:
    """Identities are no ranks: 100, 107, 114, ..."""
    identities = np.repeat(100 + 7 * np.arange(people, dtype=np.int64), each)
    reserved = np.tile(np.arange(each) == 0, people)
    public = PublicRecords(np.zeros((2, 4)), np.array([1, 2]))
    return replace(anonymous(people * each), people=People(identities, reserved, public))


@pytest.mark.parametrize(
    "persons", [np.arange(3), np.full(45, -1), np.zeros(45), np.zeros((45, 1), dtype=np.int64)]
)
def test_persons_that_are_not_one_index_a_row_are_refused(persons):
    share = split(anonymous(), scenario())[P0]
    share = replace(share, records=np.zeros((45, 4)), labels=np.zeros(45, dtype=np.int64))
    with pytest.raises(DataInvalid) as caught:
        check_share(replace(share, persons=persons), P0)
    assert (caught.value.party, caught.value.field) == (P0, "persons")


def test_records_without_persons_cannot_be_counted():
    share = replace(split(anonymous(), scenario())[P0], persons=None)
    with pytest.raises(DataInvalid) as caught:
        persons_of(share, 500, P0)
    assert (caught.value.party, caught.value.field) == (P0, "persons")


def test_a_person_beyond_those_that_are_counted_is_refused():
    share = split(anonymous(), scenario())[P0]
    highest = int(share.persons.max())
    assert persons_of(share, highest + 1, P0) is share.persons
    with pytest.raises(DataInvalid) as caught:
        persons_of(share, highest, P0)
    assert caught.value.got == str(highest)


@pytest.mark.parametrize(("dataset", "known"), [(anonymous(), 45), (with_people(), 9)])
def test_more_persons_than_the_scenario_counts_are_refused(dataset, known):
    split(dataset, scenario(known))
    with pytest.raises(DataInvalid) as caught:
        split(dataset, scenario(known - 1))
    assert caught.value.field == "codef.persons"
    assert str(known) in caught.value.expected


def test_without_codef_no_share_says_whose_its_rows_are():
    assert all(s.persons is None for s in split(with_people(), scenario(enabled=False)).values())


def test_a_row_nobody_knows_is_a_person_of_its_own():
    indices = [s.persons for s in split(anonymous(), scenario()).values()]
    assert [len(index) for index in indices] == [15, 15, 15]
    assert np.array_equal(np.concatenate(indices), np.arange(45))


def test_one_person_has_one_index_at_all_its_rows():
    dataset = with_people()
    shares = split(dataset, scenario())
    identities = uploaded_identities(dataset.people, scenario())
    pairs = {
        (int(who), int(index))
        for name, share in shares.items()
        for who, index in zip(identities[name], share.persons, strict=True)
    }
    assert len(pairs) == len({who for who, _ in pairs}) == len({i for _, i in pairs}) == 9
    assert {index for _, index in pairs} == set(range(9))


def test_the_index_survives_the_file_and_nothing_else_of_it_changes(tmp_path):
    share = split(with_people(), scenario())[P0]
    save_share(share, tmp_path / "records.npz")
    loaded = load_share(tmp_path / "records.npz", P0)
    assert np.array_equal(loaded.persons, share.persons)
    save_share(replace(share, persons=None), tmp_path / "bare.npz")
    assert load_share(tmp_path / "bare.npz", P0).persons is None
