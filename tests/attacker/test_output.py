"""A campaign on disk: what reading refuses, and that it comes back."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from collude.attacker.attacks import Reconstruction
from collude.attacker.campaign import Campaign
from collude.attacker.output import INDEX, read_campaign, write_campaign
from collude.common.errors import RunDirectoryInvalid

RNG = np.random.default_rng(3)
WHOLE = Reconstruction(
    RNG.standard_normal((4, 3)), np.eye(3), np.arange(3.0), {"residual": 0.25, "note": "two signs"}
)
BARE = Reconstruction(RNG.standard_normal((4, 3)))
CAMPAIGN = Campaign(
    "participant-1",
    ("participant-0", "participant-2"),
    {"procrustes": WHOLE, "centred-procrustes": BARE},
    {"exact-inversion": ("the transform of a colluder", "an anchor")},
)


@pytest.fixture
def folder(tmp_path):
    write_campaign(tmp_path / "attacks", CAMPAIGN)
    return tmp_path / "attacks"


def refused(folder):
    with pytest.raises(RunDirectoryInvalid) as caught:
        read_campaign(folder)
    assert caught.value.field == str(folder)


OTHERS_MADE = {
    "participant-3": {"procrustes": RNG.standard_normal((5, 3)), "wiener": np.ones((5, 3))},
    "participant-4": {"procrustes": RNG.standard_normal((2, 3))},
}


def test_what_the_attacks_made_of_the_others_comes_back(tmp_path):
    write_campaign(tmp_path, replace(CAMPAIGN, others=OTHERS_MADE))
    back = read_campaign(tmp_path).others
    assert {party: list(made) for party, made in back.items()} == {
        party: list(made) for party, made in OTHERS_MADE.items()
    }
    for party, made in OTHERS_MADE.items():
        for name, records in made.items():
            assert np.array_equal(back[party][name], records)


@pytest.mark.parametrize(
    "others", [3, {"participant-3": ["gone"]}, {"participant-9": []}, {"../procrustes": []}]
)
def test_others_that_cannot_be_read_are_refused(tmp_path, others):
    write_campaign(tmp_path, replace(CAMPAIGN, others=OTHERS_MADE))
    index = json.loads((tmp_path / INDEX).read_text())
    (tmp_path / INDEX).write_text(json.dumps(index | {"others": others}))
    refused(tmp_path)


def test_no_campaign_is_none(tmp_path):
    assert read_campaign(tmp_path) is None
    assert read_campaign(tmp_path / "nothing") is None


@pytest.mark.parametrize(
    "index",
    [
        "", "{", "[]", "7", "null", "{}", '{"target": "x"}', '"text"',
        '{"target": "t", "colluders": 3, "diagnostics": {}, "impossible": {}}',
        '{"target": "t", "colluders": [], "diagnostics": [], "impossible": {}}',
        '{"target": "t", "colluders": [], "diagnostics": {}, "impossible": {"a": 3}}',
        '{"target": "t", "colluders": [], "diagnostics": {"gone": {}}, "impossible": {}}',
    ],
)  # fmt: skip
def test_an_index_that_cannot_be_read_is_refused(folder, index):
    (folder / INDEX).write_text(index)
    refused(folder)


def test_an_index_that_is_not_text_is_refused(folder):
    (folder / INDEX).write_bytes(b"\xff\xfe\x00")
    refused(folder)


@pytest.mark.parametrize("change", [lambda b: b"", lambda b: b[:-30], lambda b: b[30:],
                                    lambda b: b"no archive"])  # fmt: skip
def test_a_reconstruction_that_cannot_be_read_is_refused(folder, change):
    path = folder / "procrustes.npz"
    path.write_bytes(change(path.read_bytes()))
    refused(folder)


def test_a_reconstruction_without_records_is_refused(folder):
    np.savez(folder / "procrustes.npz", rotation=np.eye(3))
    refused(folder)


def test_pickled_objects_are_refused(folder):
    np.savez(folder / "procrustes.npz", records=np.array([{}], dtype=object))
    refused(folder)


def test_an_attack_whose_name_leads_elsewhere_is_refused(folder):
    np.savez(folder.parent / "elsewhere.npz", records=np.eye(3))
    index = json.loads((folder / INDEX).read_text())
    index["diagnostics"]["../elsewhere"] = {}
    (folder / INDEX).write_text(json.dumps(index))
    refused(folder)


def test_what_was_written_comes_back(folder):
    back = read_campaign(folder)
    assert (back.target, back.colluders) == (CAMPAIGN.target, CAMPAIGN.colluders)
    assert back.impossible == CAMPAIGN.impossible
    assert set(back.results) == set(CAMPAIGN.results)
    for name, result in CAMPAIGN.results.items():
        for field in ("records", "rotation", "translation"):
            mine, theirs = getattr(result, field), getattr(back.results[name], field)
            assert (mine is None) == (theirs is None)
            assert mine is None or np.array_equal(mine, theirs)
        assert back.results[name].diagnostics == result.diagnostics


def test_the_index_is_written_last(tmp_path, monkeypatch):
    """Else a run that dies in between would show attacks that are not there."""
    names = []
    real = Path.replace

    def replaced(self, target):
        names.append(target.name)
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replaced)
    write_campaign(tmp_path / "attacks", CAMPAIGN)
    assert names[-1] == INDEX
    assert len(names) == 3
