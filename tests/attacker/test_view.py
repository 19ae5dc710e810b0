"""The view is frozen and shows no secret."""

from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

from collude.attacker.attacks import registry
from collude.attacker.view import CollusionView, Disclosure, Noise


def test_its_fields_are_those_that_plug_ins_rely_on():
    assert [f.name for f in fields(CollusionView)] == [
        "uploads", "disclosures", "parameters", "alignment", "public", "known", "announced",
    ]  # fmt: skip
    assert [f.name for f in fields(Disclosure)] == ["records", "transform", "anchor", "noise"]


def test_nothing_in_it_can_be_replaced(collusion):
    view = collusion("naa-gdp", s=0.2).view
    with pytest.raises(FrozenInstanceError):
        view.uploads = {}
    with pytest.raises(FrozenInstanceError):
        view.parameters.d = 3
    for mapping in (view.uploads, view.disclosures, view.known):
        with pytest.raises(TypeError, match="item assignment"):
            mapping["participant-1"] = None


def test_later_changes_of_the_callers_mappings_do_not_reach_it(collusion):
    case = collusion("i-gdp")
    uploads = dict(case.view.uploads)
    view = CollusionView(uploads, {}, case.view.parameters)
    uploads.clear()
    assert len(view.uploads) == 3


def test_an_upload_unpacks_in_the_documented_order(collusion, target):
    Y, B, labels = collusion("aa-gdp").view.uploads[target]
    assert (Y.shape, B.shape, labels.shape) == ((40, 8), (9, 8), (40,))


def test_texts_show_no_content(collusion):
    view = collusion("naa-gdp", s=0.2).view
    disclosure = view.disclosures["participant-0"]
    assert repr(disclosure) == "Disclosure(records, transform, anchor)"
    digits = [f"{abs(x):.3f}" for x in disclosure.records.ravel()]
    assert not any(digit in repr(view) for digit in digits)
    assert "array" not in repr(view)


def test_it_holds_no_truth():
    """Anything that names the target's secret or records would have to be a field."""
    words = " ".join(f.name for f in fields(CollusionView)) + " ".join(
        f.name for f in fields(Disclosure)
    )
    assert "truth" not in words


def test_an_empty_coalition_is_the_analyst_alone(collusion):
    case = collusion("naa-gdp", s=0.2)
    view = CollusionView(case.view.uploads, {}, case.view.parameters)
    assert view.alignment is None
    assert view.public == (None, None)
    assert dict(view.known) == {}
    assert isinstance(view.uploads["participant-0"].private, np.ndarray)


def test_the_noise_that_a_participant_announced_holds_for_it_alone(collusion, target):
    view = collusion("aa-gdp-noise", sigma=0.5).view
    told = replace(view, announced={target: Noise(0.1, 2.0)})
    assert told.noise_of(target) == (0.1, 2.0)
    assert told.noise_of("participant-0") == view.noise_of("participant-0") == (0.0, 0.5)
    with pytest.raises(TypeError):
        told.announced["participant-0"] = Noise(0.0, 0.0)


@pytest.mark.parametrize("attack", sorted(registry()))
@pytest.mark.parametrize("method", ["naa-gdp", "aa-gdp-noise", "c-gdp-noise"])
def test_attacks_use_the_announced_noise_as_they_do_a_common_one(collusion, target, attack, method):
    """The same uploads, the noise once in the parameters and once beside each upload."""
    noises = {"s": 0.4} if method == "naa-gdp" else {"sigma": 0.6}
    view, made = collusion(method, **noises).view, registry()[attack]
    levels = Noise(view.parameters.anchor_noise, view.parameters.private_noise)
    told = replace(
        view,
        parameters=replace(view.parameters, anchor_noise=0.0, private_noise=0.0),
        announced=dict.fromkeys(view.uploads, levels),
    )
    assert made.missing(told) == made.missing(view)
    if made.missing(view):
        return
    first, second = (
        made.reconstruct(one, target, np.random.default_rng(3)).records for one in (view, told)
    )
    assert np.array_equal(first, second)
