"""The scenario's digest: what moves it, and that a party computes it without the seed."""

import hashlib
import json
import tomllib
from pathlib import Path

import pytest

from collude.common.errors import ScenarioInvalid
from collude.common.scenario import (
    build_scenario,
    load_party_scenario,
    load_scenario,
    party_view,
    scenario_digest,
    seed_digest,
    with_overrides,
)

QUICKSTART = Path(__file__).parents[3] / "deploy" / "scenarios" / "quickstart.toml"


@pytest.fixture
def scenario():
    return load_scenario(QUICKSTART)


def deployed():
    return build_scenario({"scenario": {"name": "x", "mode": "deployment"}})


def test_a_party_file_with_the_seed_is_refused():
    with pytest.raises(ScenarioInvalid, match="must not know"):
        load_party_scenario(QUICKSTART, "0" * 64)


@pytest.mark.parametrize("digest", ["", "zz", "0" * 63, "A" * 64])
def test_a_party_without_a_whole_seed_digest_is_refused(tmp_path, scenario, digest):
    path = tmp_path / "party.toml"
    path.write_text(party_view(scenario)[0])
    with pytest.raises(ScenarioInvalid):
        load_party_scenario(path, digest)


@pytest.mark.parametrize("build", [lambda: load_scenario(QUICKSTART), deployed])
def test_a_party_computes_the_same_digest_without_the_seed(tmp_path, build):
    scenario = build()
    text, digest = party_view(scenario)
    path = tmp_path / "party.toml"
    path.write_text(text)
    party = load_party_scenario(path, digest)
    assert party.scenario.seed is None
    assert "seed" not in tomllib.loads(text)["scenario"]
    assert scenario_digest(party) == scenario_digest(scenario)
    assert seed_digest(party) == seed_digest(scenario)


def test_deployment_has_no_seed_digest():
    assert party_view(deployed())[1] == ""


@pytest.mark.parametrize(
    "override",
    [
        "scenario.seed=8",
        "scenario.name=other",
        "data.participants=4",
        "data.test_fraction=0.3",
        "mechanism.anchor_noise=0.051",
        "mechanism.anchor_noise_s=0.4",
        "alignment.screen=false",
        "collusion.target=participant-2",
        'collusion.disclose=["records"]',
    ],
)
def test_every_change_of_what_is_run_moves_the_digest(scenario, override):
    assert scenario_digest(with_overrides(scenario, [override])) != scenario_digest(scenario)


@pytest.mark.parametrize("override", ["network.deadline_s=99", "auditor.lineups=3"])
def test_neither_the_network_nor_the_auditor_moves_the_digest(scenario, override):
    other = with_overrides(scenario, [override])
    assert other != scenario
    assert scenario_digest(other) == scenario_digest(scenario)


def test_the_spelling_of_the_file_does_not_move_the_digest(scenario):
    shuffled = dict(reversed(list(scenario.resolved_dict().items())))
    general = dict(reversed(list(shuffled["scenario"].items())))
    del shuffled["mechanism"]["anchor_noise_s"]
    rebuilt = build_scenario(shuffled | {"scenario": general})
    assert scenario_digest(rebuilt) == scenario_digest(scenario)


def test_the_digest_equals_one_computed_by_hand(scenario):
    def prefixed(*items):
        return hashlib.sha256(b"".join(len(i).to_bytes(4, "big") + i for i in items))

    values = json.loads(json.dumps(scenario.resolved_dict()))
    del values["network"], values["auditor"], values["data"]["path"]
    del values["scenario"]["seed"]
    text = json.dumps(values, sort_keys=True, separators=(",", ":")).encode()
    seed = prefixed(b"collude/v1/seed", b"7").digest()
    assert scenario_digest(scenario) == prefixed(b"collude/v1/scenario", text, seed).digest()
