"""What stands in results about attacks: errors against the truth, or nothing."""

import numpy as np
import pytest

from collude.attacker.attacks import Reconstruction
from collude.attacker.campaign import Campaign
from collude.runtime.rundir import Truth
from collude.runtime.scores import score

RNG = np.random.default_rng(0)
TRUE = RNG.normal(size=(6, 3)) + 2.0


def campaign(**results):
    made = {n: Reconstruction(records=r, rotation=None, translation=None) for n, r in
            results.items()}  # fmt: skip
    return Campaign("participant-1", ("participant-0",), made, {"other": ("the anchor A",)})


def test_an_exact_reconstruction_has_no_error_and_the_mean_record_has_1() -> None:
    mean = np.broadcast_to(TRUE.mean(axis=0), TRUE.shape)
    scored = score(campaign(exact=TRUE, mean=mean), Truth(TRUE))
    exact, guess = scored["attacks"]
    assert (exact["relative"], exact["centred_relative"]) == (0.0, 0.0)
    assert guess["centred_relative"] == pytest.approx(1.0)
    assert guess["relative"] < 1.0


def test_the_closest_is_named_as_what_leaks() -> None:
    scored = score(campaign(far=TRUE + 1.0, near=TRUE + 0.1), Truth(TRUE))
    assert scored["leakage"]["attack"] == "near"
    assert scored["leakage"]["centred_relative"] == scored["attacks"][1]["centred_relative"]


def test_without_the_truth_there_are_names_and_no_figures() -> None:
    scored = score(campaign(near=TRUE), None)
    (only,) = scored["attacks"]
    assert (only["name"], only["relative"], only["rotation"]) == ("near", None, None)
    assert scored["leakage"] is None
    assert scored["impossible"] == {"other": ["the anchor A"]}


def test_truth_of_another_shape_is_a_defect_and_raises() -> None:
    with pytest.raises(ValueError, match="cannot score"):
        score(campaign(near=TRUE), Truth(TRUE[:-1]))
