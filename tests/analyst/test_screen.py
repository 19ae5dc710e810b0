"""What the analyst does with uploads that the screen finds, from round 4 to its outcome."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.federation import P1, Witness, core, federation, parties
from testkit.network import talk

from collude.analyst.assemble import assemble
from collude.analyst.outcome import outcome_of
from collude.analyst.r4_align import align
from collude.common import plugins
from collude.common.geometry import (
    centered_orthonormal_anchor,
    pair_error,
    random_rigid_transform,
)
from collude.common.geometry.alignment import align_spectral
from collude.common.ids import Round
from collude.common.protocol.messages import Delivery, Upload
from collude.common.scenario import build_scenario
from collude.participant.session import ParticipantSession

R, D, P, N = 24, 8, 6, 5
LOUD = "participant-2"


def _federation(anchors=True):
    rng = np.random.default_rng(0)
    A = centered_orthonormal_anchor(R, D, rng)
    secrets = {f"participant-{i}": random_rigid_transform(D, rng) for i in range(P)}
    uploads = {
        name: Upload(
            private=secret.apply(rng.standard_normal((N, D))),
            anchor=secret.apply(A) + 0.05 * rng.standard_normal((R, D)) if anchors else None,
            labels=np.arange(N),
        )
        for name, secret in secrets.items()
    }
    return [secret.rotation for secret in secrets.values()], uploads


@pytest.fixture
def hostile():
    """Six secrets, and uploads of which one is a thousand times too loud."""
    rotations, uploads = _federation()
    uploads[LOUD] = replace(uploads[LOUD], anchor=1000.0 * uploads[LOUD].anchor)
    return rotations, uploads


@pytest.mark.parametrize("estimator", sorted(plugins.registered(plugins.ALIGNMENTS)))
def test_whoever_is_dropped_gives_no_rows_and_gets_a_map_that_serves(hostile, estimator):
    rotations, uploads = hostile
    aligned = align(uploads, estimator)
    kept = tuple(name for name in uploads if name != LOUD)
    assert [(drop.party, drop.test) for drop in aligned.screened] == [(LOUD, "norm")]
    assert aligned.names == tuple(aligned.rows) == kept
    assert set(aligned.maps) == set(uploads)
    found = [aligned.maps[name].rotation for name in uploads]
    assert pair_error(rotations, found) < 0.1


def test_the_others_are_aligned_as_if_it_had_never_come(hostile):
    _, uploads = hostile
    kept = {name: upload for name, upload in uploads.items() if name != LOUD}
    alone = align_spectral([upload.anchor for upload in kept.values()])
    aligned = align(uploads, "spectral")
    for i, name in enumerate(kept):
        np.testing.assert_array_equal(aligned.maps[name].rotation, alone.rotations[i])
        np.testing.assert_array_equal(aligned.rows[name], alone.transform(i, uploads[name].private))


def test_without_the_screen_everybody_takes_part_as_in_the_paper(hostile):
    _, uploads = hostile
    aligned = align(uploads, "spectral", screen=False)
    assert aligned.screened == ()
    assert tuple(aligned.rows) == tuple(uploads)


def test_a_dropped_reference_is_replaced_by_the_next():
    rotations, uploads = _federation()
    uploads["participant-0"] = replace(
        uploads["participant-0"], anchor=1000.0 * uploads["participant-0"].anchor
    )
    aligned = align(uploads, "reference")
    np.testing.assert_array_equal(aligned.maps["participant-1"].rotation, np.eye(D))
    maps = [aligned.maps[name].rotation for name in uploads]
    assert pair_error(rotations, maps) < 0.2


def test_without_anchors_nothing_is_screened_and_nobody_gets_a_map():
    _, uploads = _federation(anchors=False)
    aligned = align(uploads, "spectral")
    assert (aligned.alignment, aligned.screened) == (None, ())
    assert aligned.maps == dict.fromkeys(uploads)
    assert tuple(aligned.rows) == tuple(uploads)


@pytest.mark.parametrize("screen", [True, False])
def test_the_scenario_decides(screen):
    fed = federation()
    tree = {
        "scenario": {"name": "small", "seed": 1},
        "alignment": {"screen": screen},
    }
    session = assemble(build_scenario(tree), fed.roster)
    assert session._lesson.screen is screen


class Loud(Witness):
    """A silo whose anchor is a thousand times too large, about its mean."""

    def upload(self, seed):
        made = super().upload(seed)
        mean = made.anchor.mean(axis=0)
        return replace(made, anchor=mean + 1000.0 * (made.anchor - mean))


@pytest.fixture(scope="module")
def finished():
    """A whole session of three with one loud participant."""
    fed = federation()
    everybody = parties(fed)
    loud = Loud(fed.shares[P1], everybody.silos[P1]._recipe, fed.entropy(P1))
    everybody.participants[P1] = ParticipantSession(core(fed, P1), loud)
    return talk(everybody)


def test_the_session_goes_on_and_everybody_gets_a_model_that_works(finished):
    assert set(finished.errors.values()) == {None}
    analyst = finished.parties.analyst
    assert analyst.round is Round.DONE
    for name in finished.parties.participants:
        assert len(finished.received(name, Delivery)) == 1
    assert analyst.counts.accuracy().value == 1.0  # the classes are far apart


def test_the_outcome_names_whoever_was_dropped_with_its_figure(finished):
    outcome = outcome_of(finished.parties.analyst, {})
    (drop,) = outcome.result["screened"]
    assert drop["party"] == P1
    assert drop["test"] == "norm"
    assert drop["figure"] == pytest.approx(1000.0, rel=0.2)
    assert drop["threshold"] < 3.0
    assert set(outcome.result["alignment"]["participant_noise"]) == {
        "participant-0",
        "participant-2",
    }
    told = [warning for warning in outcome.warnings if P1 in warning]
    assert len(told) == 1
    assert "left participant-1 out of alignment and training" in told[0]


def test_the_alignments_own_warnings_reach_the_outcome(finished):
    session = finished.parties.analyst
    alignment = session.learned.aligned.alignment
    noisy = replace(alignment, noise_variances=(4.0, 4.0), converged=False)
    aligned = replace(session.learned.aligned, alignment=noisy)
    session.learned = replace(session.learned, aligned=aligned)
    warnings = outcome_of(session, {}).warnings
    assert len(noisy.warnings) == 2
    assert set(noisy.warnings) <= set(warnings)
