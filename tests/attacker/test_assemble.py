"""A view out of disclosures: what cannot be used is refused by the colluder's name."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.federation import P0, P1, P2, D, federation, parties
from testkit.network import talk

from collude.analyst.disclose import AnalystDiscloser
from collude.attacker.assemble import build_view
from collude.common.errors import DisclosureRefused
from collude.common.methods import METHODS
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.messages import ColluderDisclosure
from collude.participant.disclose import ColluderDiscloser

EVERYTHING = ("records", "transform", "anchor", "noise")
NOTHING = ColluderDisclosure(None, None, None, None, None)


def told(method="naa-gdp", fields=EVERYTHING):
    """What the analyst and P0 tell after a real run."""
    fed = federation(method)
    made = talk(parties(fed)).parties
    analyst = AnalystDiscloser(fed.scenario, made.analyst).disclosure()
    return analyst, ColluderDiscloser(made.silos[P0], fields).disclosure()


ANALYST, COLLUDER = told()
BAD = {
    "not orthogonal": replace(COLLUDER, rotation=2.0 * np.eye(D)),
    "not square": replace(COLLUDER, rotation=np.zeros((D, D - 1))),
    "another width": replace(COLLUDER, translation=np.zeros(D + 1)),
    "NaN": replace(COLLUDER, rotation=np.full((D, D), np.nan)),
    "infinite": replace(COLLUDER, translation=np.full(D, np.inf)),
    "empty": replace(COLLUDER, rotation=np.zeros((0, 0)), translation=np.zeros(0)),
}


@pytest.mark.parametrize("colluder", BAD.values(), ids=BAD)
def test_a_transform_that_is_none_is_refused_by_name(colluder):
    with pytest.raises(DisclosureRefused) as caught:
        build_view(ANALYST, {P2: COLLUDER, P0: colluder})
    assert caught.value.party == P0


@pytest.mark.parametrize("half", [{"rotation": None}, {"translation": None}])
def test_half_a_transform_is_none(half):
    view = build_view(ANALYST, {P0: replace(COLLUDER, **half)})
    assert view.disclosures[P0].transform is None


def test_without_colluders_there_is_the_analysts_view():
    view = build_view(ANALYST, {})
    assert dict(view.disclosures) == {}
    assert set(view.uploads) == {P0, P1, P2}


@pytest.mark.parametrize("method", [n for n, t in METHODS.items() if t.uploads])
def test_the_view_holds_what_was_uploaded_and_told(method):
    analyst, colluder = told(method)
    view = build_view(analyst, {P0: colluder})
    traits, fed = METHODS[method], federation(method)
    assert view.parameters.method == method
    assert view.parameters.d == D
    assert view.parameters.r == (D + 1 if traits.anchor else None)
    assert view.parameters.anchor_noise == (0.05 if traits.anchor_noise else 0.0)
    assert view.parameters.private_noise == (0.05 if traits.private_noise else 0.0)
    mine, upload = view.disclosures[P0], view.uploads[P0]
    assert np.array_equal(mine.records, fed.shares[P0].records)
    assert (mine.anchor is not None) == traits.anchor == (upload.anchor is not None)
    if not traits.private_noise:
        assert np.allclose(mine.transform.apply(mine.records), upload.private, atol=1e-12)


def test_what_is_not_disclosed_is_not_in_the_view():
    view = build_view(ANALYST, {P0: NOTHING})
    assert [v for v in vars(view.disclosures[P0]).values() if v is not None] == []


def test_the_network_changes_nothing():
    over = [decode_message(encode_message(message)) for message in (ANALYST, COLLUDER)]
    view, near = build_view(over[0], {P0: over[1]}), build_view(ANALYST, {P0: COLLUDER})
    for name in near.uploads:
        for field in ("private", "anchor", "labels"):
            pair = getattr(view.uploads[name], field), getattr(near.uploads[name], field)
            assert np.array_equal(*pair)


def test_before_all_uploads_are_in_the_analyst_has_nothing_to_tell():
    fed = federation()
    made = parties(fed)
    assert AnalystDiscloser(fed.scenario, made.analyst).disclosure() is None
    local = federation("local")
    ended = talk(parties(local)).parties.analyst
    assert AnalystDiscloser(local.scenario, ended).disclosure() is None


def test_an_announced_noise_is_the_uploads_own():
    first, *others = ANALYST.uploads
    told = replace(ANALYST, uploads=(replace(first, anchor_noise=0.25), *others))
    view = build_view(told, {})
    assert view.noise_of(P0) == (0.25, 0.0)
    assert view.noise_of(P1) == (ANALYST.anchor_noise, ANALYST.private_noise)
    assert set(view.announced) == {P0}
