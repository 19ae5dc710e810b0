"""The view is frozen and shows no secret."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from collude.attacker.view import CollusionView, Disclosure


def test_its_fields_are_those_that_plug_ins_rely_on():
    assert [f.name for f in fields(CollusionView)] == [
        "uploads", "disclosures", "parameters", "alignment", "public", "known",
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
