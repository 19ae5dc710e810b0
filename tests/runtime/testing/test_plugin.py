"""The pytest plug-in, used as an outside project would use it."""

import pytest

from collude.common.errors import (
    AttackImpossible,
    DisclosureRefused,
    ParameterInvalid,
    PluginUnknown,
    ScenarioInvalid,
)
from collude.runtime.testing import (
    assert_linkage_at_most,
    assert_no_exact_recovery,
    assert_same_transcript,
)


def test_an_unknown_section_is_refused_before_anything_runs(federation):
    with pytest.raises(ScenarioInvalid, match="mechanisms"):
        federation(mechanisms={"method": "aa-gdp"})


def test_noisy_anchors_are_not_undone_exactly_and_a_common_transform_is(federation):
    noisy = federation(mechanism={"method": "naa-gdp", "anchor_noise_s": 0.4}).run()
    assert_no_exact_recovery(noisy, colluders=["participant-0"])
    with pytest.raises(AssertionError, match=r"participant-1 exactly"):
        assert_no_exact_recovery(noisy, colluders=["participant-0"], tolerance=0.5)
    common = federation(mechanism={"method": "c-gdp"}).run()
    with pytest.raises(AssertionError, match="exact-inversion recovers"):
        assert_no_exact_recovery(common, colluders=["participant-0"])


def test_a_run_is_viewed_and_attacked_by_any_coalition(federation):
    run = federation.run()
    alone, joint = run.view(), run.view(colluders=["participant-0", "participant-2"])
    assert not alone.disclosures
    assert sorted(joint.disclosures) == ["participant-0", "participant-2"]
    one = run.attack("procrustes", "participant-1", colluders=["participant-2"])
    again = run.attack("procrustes", "participant-1", colluders=["participant-2"])
    assert one.reconstruction.records.tobytes() == again.reconstruction.records.tobytes()
    assert 0.0 < one.relative < 1.0
    with pytest.raises(AttackImpossible, match="procrustes"):
        run.attack("procrustes", "participant-1", colluders=[])
    with pytest.raises(PluginUnknown):
        run.attack("procrustus")
    with pytest.raises(DisclosureRefused):
        run.view(colluders=["analyst"])
    with pytest.raises(ParameterInvalid, match="people"):
        assert_linkage_at_most(run, 0.5)


def test_the_same_scenario_gives_the_same_transcript_and_another_seed_another(federation):
    first, second = federation.run(), federation.run()
    assert_same_transcript(first, second)
    assert_same_transcript(first, federation(network={"deadline_s": 60}).run())
    with pytest.raises(AssertionError, match="differ"):
        assert_same_transcript(first, federation(seed=8).run())


def test_the_option_is_there_for_every_project(pytester):
    pytester.makepyfile("def test_it(federation): assert federation.runtime == 'processes'")
    result = pytester.runpytest_subprocess(
        "--collude-runtime", "processes", "-p", "no:cacheprovider"
    )
    result.assert_outcomes(passed=1)
