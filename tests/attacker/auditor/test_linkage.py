"""Linkage: what it refuses, what it gives where the answer is known, and that it repeats."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.attacker.auditor import linkage
from collude.common.errors import ParameterInvalid

PEOPLE, PICTURES, WIDTH = 15, 4, 6


def rng(seed=0):
    return np.random.default_rng(seed)


def as_it_is(rows):
    return rows


def faces(noise, seed=1, people=PEOPLE, pictures=PICTURES):
    """Return queries, their ids, references, their ids: a centre for each person, and noise."""
    draw = rng(seed)
    centres = draw.standard_normal((people, WIDTH))
    ids = np.repeat(np.arange(people), pictures)
    queries = centres[ids] + noise * draw.standard_normal((len(ids), WIDTH))
    references = centres + noise * draw.standard_normal(centres.shape)
    return queries, ids, references, np.arange(people)


def judged(case, seed=0, **settings):
    return linkage(*case, as_it_is, rng(seed), **settings)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"queries": np.ones((0, WIDTH)), "query_ids": []}, "queries"),
        ({"queries": np.full((60, WIDTH), np.nan)}, "queries"),
        ({"references": np.full((15, WIDTH), np.inf)}, "references"),
        ({"queries": np.ones(60)}, "queries"),
        ({"references": np.ones((15, WIDTH, 1))}, "references"),
        ({"query_ids": np.zeros(59)}, "queries"),
        ({"query_ids": np.zeros((60, 1))}, "queries"),
        ({"reference_ids": np.arange(14)}, "references"),
        ({"query_ids": np.arange(60)}, "query_ids"),
        ({"reference_ids": np.arange(15) + 1}, "query_ids"),
        ({"reference_ids": np.zeros(15)}, "query_ids"),
        ({"query_ids": np.zeros(60), "reference_ids": np.zeros(15)}, "ways"),
        ({"ways": 16}, "ways"),
        ({"ways": 1}, "ways"),
        ({"ways": 0}, "ways"),
        ({"lineups": 0}, "lineups"),
        ({"embed": lambda rows: np.full((len(rows), 2), np.nan)}, "embedded queries"),
        ({"embed": lambda rows: rows[:-1]}, "embed"),
        ({"embed": lambda rows: rows[0]}, "embedded queries"),
    ],
)
def test_what_cannot_be_judged_is_refused_by_name(change, field):
    names = ("queries", "query_ids", "references", "reference_ids")
    case = dict(zip(names, faces(0.1), strict=True)) | {"embed": as_it_is, "rng": rng()}
    with pytest.raises(ParameterInvalid) as caught:
        linkage(**case | change)
    assert caught.value.field.startswith(field)
    assert isinstance(caught.value, ValueError)


def test_too_few_people_for_the_line_up_are_counted():
    case = faces(0.1, people=6)
    with pytest.raises(ParameterInvalid, match="2 to 6, as 5 references are of other people"):
        judged(case)
    assert judged(case, ways=6)["rank1"] > 0.9


def test_clean_queries_are_found_and_nothing_else_is():
    found = judged(faces(0.0))
    assert (found["rank1"], found["nway"]) == (1.0, 1.0)
    assert found["auc"] == pytest.approx(1.0)
    low, high = found["interval"]
    assert low < 1.0 == high, "15 people who are all found do not prove that everybody is"


def test_an_auditor_that_sees_nothing_scores_exactly_chance():
    for blind in (lambda rows: np.ones((len(rows), 3)), lambda rows: np.zeros((len(rows), 3))):
        found = linkage(*faces(0.1), blind, rng())
        assert found["rank1"] == pytest.approx(1 / 10)
        assert found["nway"] == pytest.approx(1 / PEOPLE)
        assert found["auc"] == pytest.approx(1 / 2)


def test_queries_under_random_names_score_chance():
    queries, ids, references, names = faces(0.3, people=40, pictures=50)
    shuffled = judged((queries, rng(3).permutation(ids), references, names))
    assert shuffled["rank1"] == pytest.approx(0.1, abs=0.02)
    assert shuffled["auc"] == pytest.approx(0.5, abs=0.02)
    low, high = shuffled["interval"]
    assert low < 0.1 < high


@pytest.mark.parametrize(("ways", "people"), [(2, 12), (5, 12), (12, 12), (10, 15)])
def test_rank1_tends_to_the_hypergeometric_probability(ways, people):
    """With c references more alike than the own one, no draw of ways - 1 may hold any of them."""
    queries, ids, references, _ = case = faces(1.0, people=people)
    unit = [a / np.linalg.norm(a, axis=1, keepdims=True) for a in (queries, references)]
    closer = [int((s > s[i]).sum()) for s, i in zip(unit[0] @ unit[1].T, ids, strict=True)]
    others = people - 1
    exact = [comb(others - c, ways - 1) / comb(others, ways - 1) for c in closer]
    found = judged(case, ways=ways, lineups=2000)
    assert 0.2 < np.mean(exact) < 0.98, "neither all nor nothing, or this would show nothing"
    assert found["rank1"] == pytest.approx(np.mean(exact), abs=0.01)
    assert found["nway"] == pytest.approx(np.mean([c == 0 for c in closer]))


def test_several_references_of_a_person_are_all_its_own():
    queries, ids, references, names = faces(0.05)
    twice = np.concatenate([references, references[::-1]]), np.concatenate([names, names[::-1]])
    found = judged((queries, ids, *twice))
    assert (found["rank1"], found["nway"]) == (1.0, 1.0)


def test_the_same_generator_gives_the_same_result_and_another_one_does_not():
    case = faces(1.0)
    assert judged(case) == judged(case)
    assert judged(case)["interval"] != judged(case, seed=1)["interval"]
    assert len({judged(case, seed=seed)["rank1"] for seed in range(4)}) > 1
    assert judged(case)["auc"] == judged(case, seed=1)["auc"]


def test_texts_are_names_too_and_the_order_of_references_is_nothing():
    queries, ids, references, names = case = faces(0.5)
    shuffled = rng(9).permutation(PEOPLE)
    as_text = np.array([f"person-{i:02}" for i in range(PEOPLE)])
    other = queries, as_text[ids], references[shuffled], as_text[names[shuffled]]
    assert judged(case) == judged(other)


def test_only_directions_matter():
    queries, ids, references, names = case = faces(0.5)
    scale = rng(4).uniform(0.1, 100.0, (len(queries), 1))
    assert judged(case) == judged((queries * scale, ids, references * 7.0, names))


@given(noise=st.floats(0.0, 3.0), people=st.integers(10, 20), seed=st.integers(0, 99))
def test_every_figure_is_within_its_range(noise, people, seed):
    found = judged(faces(noise, seed, people=people), seed=seed)
    assert set(found) == {"rank1", "nway", "auc", "interval"}
    low, high = found["interval"]
    assert 0.0 <= low <= found["rank1"] <= high <= 1.0
    assert 0.0 <= found["nway"] <= 1.0
    assert 0.0 <= found["auc"] <= 1.0
    assert all(isinstance(value, float) for value in (low, high, *list(found.values())[:3]))


def test_more_noise_links_less():
    levels = [judged(faces(noise, people=40), lineups=20)["rank1"] for noise in (0.1, 0.7, 3.0)]
    assert levels[0] > levels[1] > levels[2]
