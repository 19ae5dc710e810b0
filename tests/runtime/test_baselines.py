"""The methods that a utility stands beside."""

import pytest
from testkit.federation import P0, federation

from collude.runtime.baselines import BASELINES, baselines, with_method


@pytest.mark.parametrize("own", ["naa-gdp", "c-gdp", "i-gdp"])
def test_the_runs_own_method_is_not_measured_again(own) -> None:
    found = baselines(federation(own))
    assert set(found) == set(BASELINES) - {own}
    assert all(0.0 <= utility["value"] <= 1.0 for utility in found.values())


def test_a_baseline_repeats() -> None:
    assert baselines(federation()) == baselines(federation())


def test_noise_that_a_method_does_not_use_is_left_out_and_the_rest_kept() -> None:
    scenario = federation("naa-gdp").scenario
    assert with_method(scenario, "c-gdp").mechanism.resolve(8).anchor_noise == 0.0
    assert with_method(scenario, "naa-gdp") == scenario
    other = with_method(scenario, "i-gdp")
    assert other.data == scenario.data
    assert other.scenario == scenario.scenario


def test_the_data_are_the_same_as_in_the_run() -> None:
    """The shares come from the same split: no data set is loaded, which here has 8 columns."""
    fed = federation()
    assert fed.shares[P0].width == 8
    assert baselines(fed)["local"]["count"] == sum(len(s.test_labels) for s in fed.shares.values())
