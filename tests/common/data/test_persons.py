"""Populations: what a silo holds, what is known, and which files are refused."""

import numpy as np
import pytest

from collude.common.data.persons import (
    SiloTable,
    drawn,
    load_known,
    load_tables,
    population_of,
    save_known,
    save_tables,
)
from collude.common.errors import DataInvalid, DataUnavailable
from collude.common.scenario import build_scenario, load_party_scenario, party_view


def scenario_of(source="persons", **codef):
    return build_scenario({
        "scenario": {"name": "asked", "seed": 7},
        "data": {"source": source},
        "collusion": {"attacks": []},
        "codef": {"enabled": True, "silos": 4, "persons": 30, "attributes": 2} | codef,
    })


def rng():
    return np.random.default_rng(5)


def damaged(path, **changes):
    with np.load(path) as stored:
        arrays = dict(stored) | changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"attributes_0": np.full((30, 2), 2, np.int8)}, "attributes_0"),
        ({"attributes_0": np.zeros((30, 3), np.int8)}, "attributes_0"),
        ({"attributes_0": np.zeros((30, 2))}, "attributes_0"),
        ({"present_0": np.ones(30, np.int8)}, "present_0"),
        ({"present_0": np.ones(29, bool)}, "present_0"),
        ({"attributes_1": None}, None),
    ],
)
def test_tables_that_do_not_fit_are_refused(tmp_path, changes, field):
    scenario = scenario_of(policies=["paper", "success"])
    path = tmp_path / "persons.npz"
    save_tables([population_of(scenario, c).table(0) for c in range(2)], path)
    damaged(path, **changes)
    with pytest.raises(DataInvalid) as caught:
        load_tables(path, scenario, "participant-0")
    assert caught.value.party == "participant-0"
    assert field is None or caught.value.field == field


def test_python_objects_are_not_loaded(tmp_path):
    path = tmp_path / "persons.npz"
    np.savez(path, attributes_0=np.array([{}], dtype=object), present_0=np.ones(30, bool))
    with pytest.raises(DataInvalid):
        load_tables(path, scenario_of(), "participant-0")


def test_no_file_is_said_so(tmp_path):
    with pytest.raises(DataUnavailable):
        load_tables(tmp_path / "none.npz", scenario_of(), "participant-0")


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": np.array("xor")},
        {"kind": np.array(["plain"])},
        {"bits_0": np.zeros((30, 2, 2), np.int8)},
        {"present_0": np.zeros((30, 2), bool)},
        {"bits_0": None},
    ],
)
def test_knowledge_that_does_not_fit_is_refused(tmp_path, changes):
    scenario, path = scenario_of(), tmp_path / "known.npz"
    save_known([population_of(scenario, 0).known], path)
    damaged(path, **changes)
    with pytest.raises(DataInvalid):
        load_known(path, scenario, "attacker")


def test_a_party_without_the_master_seed_draws_nobody(tmp_path):
    text, digest = party_view(scenario_of())
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    with pytest.raises(DataUnavailable, match=r"docs/codef\.md"):
        population_of(load_party_scenario(path, digest), 0)


def test_a_silo_gets_its_own_column_and_nothing_else(tmp_path):
    scenario, path = scenario_of(policies=["paper", "success"], coverage=0.7), tmp_path / "p.npz"
    populations = [population_of(scenario, c) for c in range(2)]
    save_tables([p.table(3) for p in populations], path)
    assert path.stat().st_mode & 0o777 == 0o600
    for population, table in zip(
        populations, load_tables(path, scenario, "participant-3"), strict=True
    ):
        assert np.array_equal(table.attributes, population.attributes[:, 3])
        assert np.array_equal(table.present, population.present[:, 3])
        assert table.attributes.base is None or table.attributes.base.shape == (30, 2)


def test_a_repr_shows_sizes_only():
    table = SiloTable(np.ones((3, 2), np.int8), np.ones(3, bool))
    assert repr(table) == "SiloTable(persons=3, attributes=2)"
    assert "1" not in repr(drawn("plain", (9, 4, 2), 1.0, rng())).replace("plain", "")


def test_the_same_seed_and_cohort_give_the_same_people_and_another_gives_others():
    scenario = scenario_of(policies=["paper", "success"])
    first, again, other = (population_of(scenario, c) for c in (0, 0, 1))
    assert np.array_equal(first.attributes, again.attributes)
    assert not np.array_equal(first.attributes, other.attributes)


def test_plain_attributes_are_fair_and_all_known():
    population = drawn("plain", (4000, 4, 3), 1.0, rng())
    assert population.present.all()
    means = population.attributes.mean(axis=0)
    assert (abs(means - 0.5) < 5 * 0.5 / 4000**0.5).all()
    assert np.array_equal(population.known.bits, population.attributes)


def test_of_a_pair_neither_bit_tells_the_secret_and_both_do():
    n = 20000
    population = drawn("xor", (n, 4, 2), 1.0, rng())
    x, z = population.attributes.astype(int), population.known.bits
    assert z.shape == (n, 2, 2)
    assert np.array_equal(z[:, 1], (x[:, 2] + x[:, 3]) % 2)
    for silo in range(4):  # a correlation of 5 / sqrt(n) would be far out
        seen = (2 * x[:, silo] - 1) * (2 * z[:, silo // 2] - 1)
        assert (abs(seen.mean(axis=0)) < 5 / n**0.5).all()


@pytest.mark.parametrize("kind", ["plain", "xor"])
def test_coverage_is_the_share_of_the_persons_that_a_silo_knows(kind):
    population = drawn(kind, (4000, 4, 2), 0.3, rng())
    assert (abs(population.present.mean(axis=0) - 0.3) < 5 * (0.21 / 4000) ** 0.5).all()
    assert not population.attributes[~population.present].any()
    if kind == "xor":
        assert np.array_equal(population.present[:, 0], population.present[:, 1])


@pytest.mark.parametrize("source", ["persons", "xor-persons"])
def test_knowledge_comes_back_as_written(tmp_path, source):
    scenario = scenario_of(source, policies=["paper", "success"])
    known = [population_of(scenario, c).known for c in range(2)]
    save_known(known, tmp_path / "k.npz")
    read = load_known(tmp_path / "k.npz", scenario, "attacker")
    for one, other in zip(known, read, strict=True):
        assert one.kind == other.kind
        assert np.array_equal(one.bits, other.bits)
        assert np.array_equal(one.present, other.present)
