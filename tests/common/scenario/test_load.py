"""Reading a scenario: what is refused, and how the refusal reads."""

from pathlib import Path

import pytest

from collude.common.errors import ScenarioInvalid
from collude.common.scenario import build_scenario, load_scenario, with_overrides

QUICKSTART = Path(__file__).parents[3] / "deploy" / "scenarios" / "quickstart.toml"
MINIMAL = {"scenario": {"name": "minimal", "seed": 7}}


def refused(*overrides, document=None):
    build = (
        (lambda: load_scenario(QUICKSTART, overrides))
        if document is None
        else (lambda: build_scenario(document, overrides))
    )
    with pytest.raises(ScenarioInvalid) as caught:
        build()
    return caught.value


@pytest.mark.parametrize(
    ("override", "field", "suggestion"),
    [
        ("mechanism.anchor_nosie=0.1", "mechanism.anchor_nosie", "anchor_noise"),
        ("mechansim.method=c-gdp", "mechansim", "mechanism"),
        ("data.anchor_noise=0.1", "data.anchor_noise", "mechanism.anchor_noise"),
        ("scenario.sede=3", "scenario.sede", "seed"),
        ("mechanism.method=nna-gdp", "mechanism.method", "naa-gdp"),
        ('collusion.attacks=["procrustse"]', "collusion.attacks", "procrustes"),
        ("alignment.estimator=spectrl", "alignment.estimator", "spectral"),
    ],
)
def test_a_misspelling_names_the_nearest_known_word(override, field, suggestion):
    error = refused(override)
    assert error.field == field
    assert suggestion in error.hint
    assert str(QUICKSTART) in str(error)


def test_an_unlike_key_lists_what_is_known():
    error = refused("network.qqqqq=1")
    assert error.hint is None
    assert "deadline_s" in error.expected


@pytest.mark.parametrize(
    ("override", "field"),
    [
        ("mechanism.anchor_noise=nan", "mechanism.anchor_noise"),
        ("mechanism.anchor_noise=inf", "mechanism.anchor_noise"),
        ("mechanism.anchor_noise=-0.1", "mechanism.anchor_noise"),
        ('mechanism.anchor_noise="0.1"', "mechanism.anchor_noise"),
        ("mechanism.anchor_noise=true", "mechanism.anchor_noise"),
        ("mechanism.anchor_rows=65.5", "mechanism.anchor_rows"),
        ("mechanism.private_noise=0.1", "mechanism.private_noise"),
        ("mechanism.method=c-gdp", "mechanism.anchor_noise"),
        ("mechanism.method=aa-gdp", "mechanism.anchor_noise"),
        ("data.participants=1", "data.participants"),
        ("data.participants=true", "data.participants"),
        ("data.test_fraction=1.0", "data.test_fraction"),
        ("features.kind=svd", "features.width"),
        ("features.width=10", "features.width"),
        ("features.kind=pca", "features.kind"),
        ("training.model=cnm", "training.model"),
        ("training.seeds=[]", "training.seeds"),
        ("training.seeds=[1, 1]", "training.seeds"),
        ("training.seeds=[-1]", "training.seeds.0"),
        ("training.seeds=3", "training.seeds"),
        ("training.device=gpu", "training.device"),
        ("codef.enabled=true", "mechanism.anchor_noise"),
        ("faults.drop=1", "faults.drop"),
        ("collusion.target=participant-0", "collusion.target"),
        ("collusion.target=participant-3", "collusion.target"),
        ('collusion.colluders=["analyst"]', "collusion.colluders"),
        ("collusion.colluders=participant-0", "collusion.colluders"),
        ('collusion.disclose=["everything"]', "collusion.disclose.0"),
        ("network.deadline_s=0", "network.deadline_s"),
        ("scenario.name=Two_Words", "scenario.name"),
        ("scenario.seed=-1", "scenario.seed"),
        ("scenario.mode=deployment", "scenario.seed"),
        ("mechanism=3", "mechanism"),
        ("mechanism.anchor_noise.x=3", "mechanism.anchor_noise.x"),
        ("no equals sign", "--set"),
        ("data.participants=[1", "--set data.participants"),
        ("data.participants=3\nx = 4", "--set data.participants"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_field(override, field):
    assert refused(override).field == field


def test_a_colluder_named_twice_or_everywhere_is_refused():
    twice = refused('collusion.colluders=["participant-0", "participant-0"]')
    everyone = refused(
        'collusion.colluders=["participant-0", "participant-1"]', "data.participants=2"
    )
    assert "twice" in twice.reason
    assert "nobody is left" in everyone.reason


def test_both_spellings_of_the_anchor_noise_at_once_are_refused():
    error = refused("mechanism.anchor_noise=0.1", "mechanism.anchor_noise_s=0.8")
    assert error.field == "mechanism.anchor_noise"


def test_further_problems_stand_in_the_hint():
    error = refused("data.participants=1", "network.deadline_s=-1", "data.parties=2")
    assert error.field == "data.parties"
    assert "data.participants" in error.hint
    assert "network.deadline_s" in error.hint


def test_simulation_without_a_seed_is_refused():
    assert refused(document={"scenario": {"name": "x"}}).field == "scenario.seed"
    digest_only = {"scenario": {"name": "x", "seed_digest": "0" * 64}}
    assert refused(document=digest_only).field == "scenario.seed"


def test_deployment_refuses_colluders_unless_told_so():
    document = {
        "scenario": {"name": "x", "mode": "deployment"},
        "collusion": {"colluders": ["participant-0"]},
    }
    assert refused(document=document).field == "collusion.colluders"
    allowed = build_scenario(document, ["collusion.allow_in_deployment=true"])
    assert allowed.discloses
    assert not allowed.simulated


def test_deployment_refuses_a_seed_from_the_command_line():
    with pytest.raises(ScenarioInvalid, match="operating system"):
        build_scenario({"scenario": {"name": "x", "mode": "deployment"}}, seed=7)


def test_a_document_without_a_scenario_table_is_refused():
    assert refused(document={"data": {"participants": 3}}).field == "scenario"


@pytest.mark.parametrize(
    "content", [b"[scenario\nname=1", b"\xff\xfe", b"name = 'x'\nname = 'y'\n"]
)
def test_a_file_that_is_not_toml_is_refused(tmp_path, content):
    path = tmp_path / "s.toml"
    path.write_bytes(content)
    with pytest.raises(ScenarioInvalid, match="not a TOML file") as caught:
        load_scenario(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(ScenarioInvalid, match="no such file"):
        load_scenario(tmp_path / "absent.toml")
    with pytest.raises(ScenarioInvalid, match="cannot be read"):
        load_scenario(tmp_path)


def test_the_quickstart_is_what_the_interface_page_says():
    scenario = load_scenario(QUICKSTART)
    assert scenario.scenario.seed == 7
    assert scenario.participants == ("participant-0", "participant-1", "participant-2")
    assert scenario.mechanism.method == "naa-gdp"
    assert scenario.collusion.colluders == ("participant-0",)
    assert scenario.target == "participant-1"
    assert scenario.network.deadline_s == 30


def test_the_quickstart_reads_from_a_path_with_spaces_and_other_letters(tmp_path):
    path = tmp_path / "Señor 分散 x.toml"
    path.write_bytes(QUICKSTART.read_bytes())
    assert load_scenario(path) == load_scenario(QUICKSTART)


def test_overrides_and_seed_replace_values():
    scenario = load_scenario(
        QUICKSTART,
        ["data.participants=4", 'collusion.colluders=["participant-2"]', "alignment.screen=false"],
        seed=8,
    )
    assert scenario.scenario.seed == 8
    assert len(scenario.participants) == 4
    assert scenario.collusion.colluders == ("participant-2",)
    assert not scenario.alignment.screen


def test_one_spelling_of_the_noise_replaces_the_other():
    scenario = load_scenario(QUICKSTART, ["mechanism.anchor_noise_s=0.8"])
    assert scenario.mechanism.anchor_noise is None
    assert scenario.mechanism.resolve(64).anchor_noise == pytest.approx(0.1)
    back = with_overrides(scenario, ["mechanism.anchor_noise=0.2"])
    assert back.mechanism.resolve(64).anchor_noise == 0.2


def test_the_target_is_by_default_the_first_that_does_not_collude():
    overrides = ['collusion.colluders=["participant-0", "participant-1"]']
    assert build_scenario(MINIMAL, overrides).target == "participant-2"


def test_an_anchor_too_short_for_the_width_is_refused_once_the_width_is_known():
    scenario = load_scenario(QUICKSTART)
    assert scenario.mechanism.resolve(64).anchor_rows == 65
    with pytest.raises(ScenarioInvalid, match="cannot align") as caught:
        scenario.mechanism.resolve(65)
    assert caught.value.field == "mechanism.anchor_rows"


def test_anchor_rows_default_to_one_more_than_the_width():
    assert build_scenario(MINIMAL).mechanism.resolve(20).anchor_rows == 21


def test_methods_without_an_anchor_resolve_without_one():
    scenario = build_scenario(
        MINIMAL, ["mechanism.method=c-gdp-noise", "mechanism.private_noise=1"]
    )
    resolved = scenario.mechanism.resolve(20)
    assert resolved.anchor_rows is None
    assert resolved.private_noise == 1.0
    assert resolved.traits.common_secret


def test_a_scenario_cannot_be_changed():
    scenario = build_scenario(MINIMAL)
    with pytest.raises(ValueError, match="frozen"):
        scenario.data.participants = 5
