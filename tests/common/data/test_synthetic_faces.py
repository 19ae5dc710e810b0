"""Drawn faces: what is refused, who is who, and the shape of the population."""

import numpy as np
import pytest

from collude.common.data import load_dataset, split
from collude.common.data import synthetic_faces as module
from collude.common.data.face_drawing import SIDE, draw_person
from collude.common.data.synthetic_faces import load_synthetic_faces
from collude.common.errors import ScenarioInvalid
from collude.common.scenario import build_scenario
from collude.common.scenario.sections import Data


def settings(**values):
    return Data(source="synthetic-faces", **({"participants": 2} | values))


@pytest.fixture(scope="module")
def faces():
    return load_synthetic_faces(settings())


def test_another_label_is_refused_and_the_known_ones_named() -> None:
    with pytest.raises(ScenarioInvalid, match="Smiling or Eyeglasses"):
        load_synthetic_faces(settings(label="Bald"))


def test_it_is_registered_and_says_what_it_is() -> None:
    scenario = build_scenario({
        "scenario": {"name": "drawn", "seed": 1},
        "data": {"source": "synthetic-faces", "participants": 2},
    })
    found = load_dataset(scenario)
    assert (found.name, found.synthetic, found.ink) == ("synthetic-faces", True, False)
    assert "no such people" in found.credit
    assert "program" in found.label_note
    shares = split(found, scenario)
    assert {share.records.shape[1] for share in shares.values()} == {SIDE * SIDE}


def test_people_are_dealt_whole_and_public_ones_are_others(faces) -> None:
    people = faces.people
    assert faces.records.shape == (2 * 5 * 10, SIDE * SIDE)
    assert len(np.unique(people.identities)) == 10
    assert people.reserved.sum() == 10
    assert not np.intersect1d(people.identities, people.public.identities).size
    assert len(np.unique(people.public.identities)) == 40


def test_pictures_are_pictures_and_labels_are_both(faces) -> None:
    assert faces.records.min() >= 0.0
    assert faces.records.max() <= 1.0
    assert 0.3 < faces.labels.mean() < 0.7
    glasses = load_synthetic_faces(settings(label="Eyeglasses")).labels
    by_person = glasses.reshape(10, 10)
    assert (by_person == by_person[:, :1]).all()
    assert 0 < glasses.mean() < 1


def test_it_is_one_population_that_grows_without_changing(faces) -> None:
    assert faces.fingerprint() == load_synthetic_faces(settings()).fingerprint()
    larger = load_synthetic_faces(settings(participants=3))
    np.testing.assert_array_equal(larger.records[:100], faces.records)
    assert larger.fingerprint() != faces.fingerprint()


def test_the_mean_is_large_and_the_spectrum_falls(faces) -> None:
    """What makes the centred attacks matter: measured 12 on the ORL faces too."""
    mean = faces.records.mean(axis=0)
    centred = faces.records - mean
    assert mean @ mean > 4.0 * (centred**2).sum(axis=1).mean()
    energy = np.linalg.svd(centred, compute_uv=False) ** 2
    shares = np.cumsum(energy) / energy.sum()
    assert 0.5 < shares[9] < 0.9
    assert shares[49] < 0.99


def test_neighbouring_pixels_are_alike(faces) -> None:
    pictures = faces.records.reshape(-1, SIDE, SIDE)
    step = np.abs(np.diff(pictures, axis=2)).mean()
    mixed = np.random.default_rng(0).permutation(pictures.ravel())
    assert step < 0.2 * np.abs(np.diff(mixed)).mean()


def test_a_person_is_more_like_itself_than_like_others(faces) -> None:
    rows = faces.records - faces.records.mean(axis=0)
    owners = faces.people.identities
    centres = np.stack([rows[owners == who][1:].mean(axis=0) for who in np.unique(owners)])
    first = rows[faces.people.reserved]
    nearest = ((first[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == np.arange(10)).mean() >= 0.7


def test_a_smile_bends_the_mouth() -> None:
    drawn = draw_person(np.random.default_rng(3), 200)
    mouth = drawn.pictures.reshape(-1, SIDE, SIDE)[:, 40:58, 16:48].reshape(200, -1)
    bright = mouth.max(axis=1)
    assert np.corrcoef(bright, drawn.smiles)[0, 1] > 0.3


def test_a_large_population_is_mapped_from_a_file_and_the_same(faces, monkeypatch) -> None:
    monkeypatch.setattr(module, "IN_MEMORY", 1000)
    mapped = load_synthetic_faces(settings())
    assert isinstance(mapped.records, np.memmap)
    assert mapped.fingerprint() == faces.fingerprint()


def test_sizes_can_be_chosen() -> None:
    few = load_synthetic_faces(settings(people=2, images_per_person=3))
    assert few.records.shape[0] == 2 * 2 * 3
    assert few.people.public.records.shape[0] == 40 * 3
