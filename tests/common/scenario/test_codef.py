"""`[codef]` and `[faults]`: what is refused, how it reads, and what follows from what."""

import pytest

from collude.common.errors import ScenarioInvalid
from collude.common.scenario import (
    build_scenario,
    load_party_scenario,
    party_view,
    scenario_digest,
    with_overrides,
)
from collude.common.scenario.document import validated

GENERAL = {"name": "asked", "seed": 7}
NONE = {"collusion": {"attacks": []}}


def released(*overrides, source="persons", silos=6, **codef):
    document = {
        "scenario": GENERAL,
        "data": {"source": source},
        "codef": {"enabled": True, "silos": silos} | codef,
    }
    return build_scenario(document | NONE, overrides)


def uploaded(method, *overrides, participants=4, **codef):
    document = {
        "scenario": GENERAL,
        "data": {"participants": participants},
        "mechanism": {"method": method},
        "codef": {"enabled": True} | codef,
    }
    return build_scenario(document | NONE, overrides)


def refused(build):
    with pytest.raises(ScenarioInvalid) as caught:
        build()
    return caught.value


@pytest.mark.parametrize(
    ("codef", "field"),
    [
        ({"policy": "sucess"}, "codef.policy"),
        ({"policies": ["paper", "papr"]}, "codef.policies"),
        ({"policies": []}, "codef.policies"),
        ({"gamma": 0.0}, "codef.gamma"),
        ({"gamma": 1.01}, "codef.gamma"),
        ({"max_success": 1.0}, "codef.max_success"),
        ({"max_success": 0.0019}, "codef.max_success"),
        ({"epsilon": 0.0}, "codef.epsilon"),
        ({"epsilon": float("inf")}, "codef.epsilon"),
        ({"policy": "paper", "epsilon_after": 1.0}, "codef.epsilon_after"),
        ({"epsilon_grid": [0.5, 0.5]}, "codef.epsilon_grid"),
        ({"epsilon_grid": [0.5, 1.0]}, "codef.epsilon_grid"),
        ({"epsilon_grid": []}, "codef.epsilon_grid"),
        ({"threshold": 3}, "codef.threshold"),
        ({"threshold": 7}, "codef.threshold"),
        ({"threshold": 1}, "codef.threshold"),
        ({"min_silos": 2}, "codef.min_silos"),
        ({"min_silos": 7}, "codef.min_silos"),
        ({"persons": 1}, "codef.persons"),
        ({"persons": 13_334, "attributes": 3}, "codef.persons"),
        ({"persons": 200_001, "attributes": 1}, "codef.persons"),
        ({"attributes": 0}, "codef.attributes"),
        ({"epochs": 0}, "codef.epochs"),
        ({"slots_per_lease": 0}, "codef.slots_per_lease"),
        ({"mechanism": "laplace"}, "codef.mechanism"),
        ({"delta": 0.0}, "codef.delta"),
        ({"unit": 0.0}, "codef.unit"),
        ({"policy": "information", "unit": 1e-9}, "codef.unit"),
        ({"clip": 0.0}, "codef.clip"),
        ({"coverage": 0.0}, "codef.coverage"),
        ({"coverage": 1.1}, "codef.coverage"),
        ({"noise_table": [[1.0, 0.0]]}, "codef.noise_table.0.1"),
        ({"silos": 2}, "codef.silos"),
        ({"enabled": False}, "codef.enabled"),
    ],
)
def test_values_that_make_no_sense_are_refused(codef, field):
    assert refused(lambda: released(**codef)).field == field


def test_an_unknown_key_is_refused_with_the_nearest_one():
    error = refused(lambda: released(epoch=3))
    assert error.field == "codef.epoch"
    assert "epochs" in (error.hint or "")


def test_silos_and_participants_must_be_the_same_number():
    assert refused(lambda: released("data.participants=5")).field == "codef.silos"
    assert len(released("data.participants=6").participants) == 6


def test_persons_without_codef_are_refused():
    error = refused(
        lambda: build_scenario({"scenario": GENERAL, "data": {"source": "persons"}} | NONE)
    )
    assert error.field == "codef.enabled"


def test_the_largest_sum_that_fits_is_accepted_and_one_more_count_is_not():
    # ln 500 = 6.2146: at gamma = 1 and K = 6 the modulus holds 715,827,882 counts of each silo.
    fits = released(policy="information", gamma=1.0, unit=8.682e-9)
    assert fits.codef.unit == 8.682e-9
    over = refused(lambda: released(policy="information", gamma=1.0, unit=8.681e-9))
    assert over.field == "codef.unit"


def test_as_many_persons_as_one_message_holds_are_accepted():
    assert released(persons=13_333, attributes=3).codef.persons == 13_333


def test_pairs_that_share_a_secret_need_an_even_number():
    assert refused(lambda: released(source="xor-persons", silos=5)).field == "data.participants"
    assert released(source="xor-persons", silos=6).releases


def test_nobody_discloses_records_where_persons_are_asked_about():
    error = refused(lambda: released('collusion.colluders=["participant-0"]'))
    assert error.field == "collusion.colluders"
    assert "[faults]" in (error.hint or "")


@pytest.mark.parametrize("method", ["local", "c-gdp", "i-gdp", "aa-gdp"])
def test_codef_has_nothing_to_set_in_a_method_without_noise(method):
    error = refused(lambda: uploaded(method))
    assert error.field == "mechanism.method"


@pytest.mark.parametrize("policy", ["information", "success"])
def test_a_bound_is_not_promised_for_a_method_that_keeps_none(policy):
    table = [[1.0, 0.1], [0.5, 0.2], [0.25, 0.3], [0.125, 0.4]]
    error = refused(lambda: uploaded("naa-gdp", policy=policy, noise_table=table))
    assert error.field == "codef.policy"
    assert "heuristic, no guarantee" in error.expected
    uploaded("naa-gdp", policy=policy, noise_table=table, allow_unbounded=True)


@pytest.mark.parametrize("table", [[], [[1.0, 0.1]], [[1.0, 0.1], [0.5, 0.2], [0.5, 0.3]]])
def test_a_heuristic_needs_one_noise_for_each_level(table):
    error = refused(lambda: uploaded("naa-gdp", policy="paper", noise_table=table))
    assert error.field == "codef.noise_table"
    assert "heuristic, no guarantee" in error.reason


def test_a_heuristic_with_a_whole_table_is_accepted():
    scenario = uploaded("naa-gdp", policy="paper", noise_table=[[1.0, 0.1], [0.5, 0.2]])
    assert scenario.codef.noise_table == ((1.0, 0.1), (0.5, 0.2))
    assert not scenario.releases


@pytest.mark.parametrize("given", ["mechanism.private_noise=0.1"])
def test_noise_is_not_given_twice(given):
    assert refused(lambda: uploaded("aa-gdp-noise", given)).field == "mechanism.private_noise"


def test_an_upload_has_one_period_before_it():
    error = refused(lambda: uploaded("aa-gdp-noise", policies=["success", "information"]))
    assert error.field == "codef.policies"


def test_two_participants_are_no_sum():
    error = refused(lambda: uploaded("aa-gdp-noise", participants=2))
    assert error.field == "data.participants"


@pytest.mark.parametrize(
    ("faults", "field"),
    [
        ({"crash": {"participant-6": "codef_unmask"}}, "faults.crash.participant-6"),
        ({"crash": {"attacker": "codef_unmask"}}, "faults.crash.attacker"),
        ({"crash": {"participant-0": "codef_unmaks"}}, "faults.crash.participant-0"),
        ({"crash": {"participant-0": 3}}, "faults.crash.participant-0"),
        ({"crash": {"participant-0": "codef_unmask:0"}}, "faults.crash.participant-0"),
        ({"crash": {"participant-0": "codef_unmask:x"}}, "faults.crash.participant-0"),
        ({"crash": {"participant-0": "r3_upload"}}, "faults.crash.participant-0"),
        ({"crash": {"participant-0": "window"}}, "faults.crash.participant-0"),
        ({"crash": {"participant-0": "codef_key:2"}}, "faults.crash.participant-0"),
        ({"crash": {"participant-0": "codef_unmask:11"}}, "faults.crash.participant-0"),
        ({"crash": {"coordinator": "codef_release"}}, "faults.crash.coordinator"),
        ({"crash": 3}, "faults.crash"),
        ({"deviator": {"nobody": "under-reporter"}}, "faults.deviator.nobody"),
        ({"crush": {}}, "faults.crush"),
    ],
)
def test_faults_name_parties_and_rounds(faults, field):
    document = {
        "scenario": GENERAL,
        "data": {"source": "persons"},
        "codef": {"enabled": True, "silos": 6},
        "faults": faults,
    }
    assert refused(lambda: build_scenario(document | NONE)).field == field


def test_a_party_may_fall_silent_wherever_it_comes():
    for where in ("codef_unmask:10", "codef_adapt", "codef_join:1"):
        released(f'faults.crash={{participant-0="{where}"}}')
    released('faults.crash={coordinator="codef_head:20"}', policies=["paper", "success"])


def test_an_override_of_the_policy_replaces_the_file_s_list_of_policies():
    assert released("codef.policy=paper", policies=["success"]).codef.periods == ("paper",)
    both = released('codef.policies=["paper", "success"]', policy="information")
    assert both.codef.periods == ("paper", "success")


def test_what_helps_is_said_of_the_section_that_is_named():
    for error in (
        refused(lambda: released(gamma=3.0)),
        refused(lambda: released('faults.deviator={nobody="mute"}')),
    ):
        assert "docs/codef.md" in error.next_step
    assert "quickstart.toml" not in refused(lambda: released(policies=[])).next_step
    assert refused(lambda: released(policies=[])).expected == "one or more"
    assert refused(lambda: released(silos=2)).field == "codef.silos"


def test_nothing_fails_on_purpose_in_deployment_mode():
    document = {
        "scenario": {"name": "real", "mode": "deployment"},
        "data": {"source": "persons"},
        "codef": {"enabled": True, "silos": 6},
        "faults": {"crash": {"coordinator": "codef_commit"}},
    }
    assert refused(lambda: build_scenario(document | NONE)).field == "faults"


def test_defaults_follow_from_the_number_of_silos():
    scenario = released(silos=20)
    assert scenario.releases
    assert len(scenario.participants) == 20
    assert scenario.codef.periods == ("success",)
    assert scenario.threshold == 14  # 2t > K + K/3: a bad coordinator with a third of the silos
    for silos in range(3, 40):
        threshold, bad = released(silos=silos).threshold, silos // 3
        assert 2 * threshold > silos + bad
        assert threshold <= silos


def test_a_release_scenario_has_attacks_on_answers():
    document = {
        "scenario": GENERAL,
        "data": {"source": "persons"},
        "codef": {"enabled": True, "silos": 6},
    }
    assert validated(document, "x").collusion.attacks == ("maximum-likelihood", "one-to-one")
    assert validated(document | NONE, "x").collusion.attacks == ()
    plain = build_scenario({"scenario": GENERAL})
    assert "procrustes" in plain.collusion.attacks


def test_what_stands_in_the_resolved_scenario_builds_the_same_one(tmp_path):
    scenario = released(
        policies=["paper", "success"],
        noise_table=[[1.0, 0.1]],
        silos=5,
    )
    text, digest = party_view(scenario)
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    party = load_party_scenario(path, digest)
    assert party.codef == scenario.codef
    assert scenario_digest(party) == scenario_digest(scenario)
    assert with_overrides(scenario, []) == scenario


@pytest.mark.parametrize(
    "override",
    [
        "codef.epsilon=0.9",
        'codef.policies=["paper"]',
        "codef.threshold=4",
        'codef.strategy="adaptive"',
        'faults.crash={participant-1="codef_commit"}',
        'faults.deviator={participant-1="under-reporter"}',
        'data.source="xor-persons"',
    ],
)
def test_every_change_of_what_is_counted_moves_the_digest(override):
    scenario = released()
    assert scenario_digest(with_overrides(scenario, [override])) != scenario_digest(scenario)
