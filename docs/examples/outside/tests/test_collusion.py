"""What one colluder and the analyst learn: these tests fail when it becomes more."""

from pathlib import Path

import pytest

from collude.common.errors import AttackImpossible
from collude.runtime.testing import assert_no_exact_recovery

SCENARIO = Path(__file__).parents[1] / "scenario.toml"


def test_noisy_anchors_keep_the_records_from_being_copied(federation):
    run = federation(SCENARIO).run()
    assert_no_exact_recovery(run, colluders=["participant-0"])


def test_a_common_transform_does_not(federation):
    run = federation(SCENARIO, mechanism={"method": "c-gdp"}).run()
    with pytest.raises(AssertionError, match="exact-inversion"):
        assert_no_exact_recovery(run, colluders=["participant-0"])


def test_lookalike_needs_somebody_who_tells(federation):
    with pytest.raises(AttackImpossible, match="lookalike"):
        federation(SCENARIO).run().attack("lookalike", "participant-1", colluders=[])


def test_lookalike_fails_where_the_colluder_lies(federation):
    true = federation(SCENARIO).run().attack("lookalike", "participant-1")
    lied = federation(SCENARIO, collusion={"colluder": "liar"}).run()
    assert true.relative < 0.5 < lied.attack("lookalike", "participant-1").relative
