"""What the analyst refuses of an upload, by its stable code."""

import numpy as np
import pytest

from collude.analyst.r0_join import Opened
from collude.analyst.upload_check import check_classes, check_noise, check_upload
from collude.common.errors import UploadRejected, tree
from collude.common.protocol.aborts import from_abort, to_abort
from collude.common.protocol.messages import Upload

N, D, R = 7, 3, 4
OPENED = Opened(bytes(32), width=D, anchor_rows=R)
WITHOUT_ANCHOR = Opened(bytes(32), width=D, anchor_rows=0)


def _upload(**changed):
    rng = np.random.default_rng(0)
    parts = {
        "private": rng.standard_normal((N, D)),
        "anchor": rng.standard_normal((R, D)),
        "labels": np.arange(N),
    }
    return Upload(**(parts | changed))


def _full(shape, value):
    matrix = np.random.default_rng(1).standard_normal(shape)
    matrix[-1, -1] = value
    return matrix


REFUSED = {
    "zero rows": ("records", "EMPTY", {"private": np.zeros((0, D)), "labels": np.arange(0)}),
    "another width": ("records", "SHAPE", {"private": np.zeros((N, D + 1))}),
    "records nan": ("records", "NONFINITE", {"private": _full((N, D), np.nan)}),
    "records inf": ("records", "NONFINITE", {"private": _full((N, D), np.inf)}),
    "records huge": ("records", "RANGE", {"private": _full((N, D), 1e150)}),
    "too few labels": ("labels", "LABELS", {"labels": np.arange(N - 1)}),
    "too many labels": ("labels", "LABELS", {"labels": np.arange(N + 1)}),
    "a class for each of many rows": (
        "labels",
        "LABELS",
        {"private": np.ones((1001, D)), "labels": np.arange(1001)},
    ),
    "no anchor": ("anchor", "ANCHOR", {"anchor": None}),
    "anchor of another r": ("anchor", "SHAPE", {"anchor": np.eye(R + 1, D)}),
    "anchor of another d": ("anchor", "SHAPE", {"anchor": np.eye(R, D - 1)}),
    "anchor nan": ("anchor", "NONFINITE", {"anchor": _full((R, D), np.nan)}),
    "anchor of rank one": ("anchor", "RANK", {"anchor": np.outer(np.arange(R), np.ones(D))}),
    "constant anchor": ("anchor", "RANK", {"anchor": np.full((R, D), 0.1)}),
}


def _refusal(upload, opened=OPENED):
    with pytest.raises(UploadRejected) as caught:
        check_upload("participant-1", upload, opened)
    return caught.value


@pytest.mark.parametrize(("field", "code", "changed"), REFUSED.values(), ids=REFUSED)
def test_a_bad_upload_is_refused_with_its_code_and_every_part(field, code, changed):
    error = _refusal(_upload(**changed))
    assert (error.party, error.field, error.code) == ("participant-1", field, f"E-UPLOAD-{code}")
    assert error.expected
    assert error.got
    assert error.next_step


def test_an_anchor_is_refused_where_the_method_has_none():
    assert _refusal(_upload(), WITHOUT_ANCHOR).code == "E-UPLOAD-ANCHOR"


def test_few_classes_each_may_be_too_many_together():
    uploads = {name: _upload(labels=np.arange(400) + 400 * i) for i, name in enumerate("abc")}
    with pytest.raises(UploadRejected, match="too many classes") as caught:
        check_classes(uploads)
    assert caught.value.got == "1200"
    check_classes({name: uploads[name] for name in "ab"})


def test_a_good_upload_passes():
    check_upload("participant-1", _upload(), OPENED)
    check_upload("participant-1", _upload(anchor=None), WITHOUT_ANCHOR)


@pytest.mark.parametrize("changed", [c for *_, c in REFUSED.values()], ids=REFUSED)
def test_the_refused_party_hears_the_same_error(changed):
    error = _refusal(_upload(**changed))
    heard = from_abort(to_abort(error), "analyst")
    assert type(heard) is type(error)
    assert str(heard) == str(error)


def test_every_class_of_refusal_has_a_code_of_its_own():
    codes = [kind.code for kind in tree(UploadRejected)]
    assert len(codes) == len(set(codes))
    assert all(code.startswith("E-UPLOAD") for code in codes)


@pytest.mark.parametrize(
    ("wanted", "field", "told"),
    [
        ("private_noise", "private_noise", {}),
        ("private_noise", "private_noise", {"private_noise": 0.0}),
        ("private_noise", "private_noise", {"private_noise": -1.0}),
        ("private_noise", "private_noise", {"private_noise": np.nan}),
        ("private_noise", "private_noise", {"private_noise": np.inf}),
        ("private_noise", "anchor_noise", {"private_noise": 1.0, "anchor_noise": 0.1}),
        ("anchor_noise", "private_noise", {"anchor_noise": 0.1, "private_noise": 0.0}),
        ("anchor_noise", "anchor_noise", {}),
        (None, "private_noise", {"private_noise": 1.0}),
        (None, "anchor_noise", {"anchor_noise": 0.0}),
    ],
)
def test_a_noise_that_codef_did_not_set_is_refused(wanted, field, told):
    with pytest.raises(UploadRejected) as caught:
        check_noise("participant-1", _upload(**told), wanted)
    assert (caught.value.party, caught.value.field) == ("participant-1", field)


@pytest.mark.parametrize("wanted", ["private_noise", "anchor_noise", None])
def test_the_noise_that_codef_set_is_taken(wanted):
    check_noise("participant-1", _upload(**({wanted: 0.3} if wanted else {})), wanted)
