"""k known records in an upload: found by their distances, by the analyst alone."""

from dataclasses import replace

import numpy as np
import pytest

from collude.attacker.attacks import membership_registry
from collude.attacker.attacks.distance_inference import congruent, distances
from collude.common.errors import AttackImpossible


def test_fewer_than_two_records_and_another_width_are_refused(collusion, target):
    case, test = collusion("i-gdp"), membership_registry()["distance-inference"]
    for records in (case.records[:1], case.records[:3, :4]):
        with pytest.raises(AttackImpossible, match="width"):
            test.test(case.view, target, records)


def test_members_are_found_without_any_collusion(collusion, target):
    case = collusion("i-gdp", n=60)
    alone = replace(case.view, disclosures={})
    test = membership_registry()["distance-inference"]
    assert test.test(alone, target, case.records[[3, 17]]) == 1.0
    assert test.test(alone, target, case.records[[41, 0, 59, 8]]) == 1.0


def test_strangers_are_not_found(collusion, target):
    case = collusion("i-gdp", n=60)
    strangers = np.random.default_rng(2).standard_normal((2, case.records.shape[1])) + 2.0
    assert membership_registry()["distance-inference"].test(case.view, target, strangers) == 0.0


def test_one_stranger_among_members_lowers_the_score(collusion, target):
    case = collusion("i-gdp", n=60)
    mixed = np.vstack([case.records[[3, 17]], case.records[20] + 0.1])
    score = membership_registry()["distance-inference"].test(case.view, target, mixed)
    assert score == pytest.approx(2 / 3)


def test_private_noise_defeats_it(collusion, target):
    case = collusion("c-gdp-noise", sigma=0.1, n=60)
    test = membership_registry()["distance-inference"]
    assert test.test(case.view, target, case.records[[3, 17]]) == 0.0


def test_congruence_agrees_with_brute_force():
    rng = np.random.default_rng(8)
    points = rng.standard_normal((12, 3))
    for size in (2, 3, 4):
        chosen = rng.permutation(12)[:size]
        assert congruent(distances(points[chosen]), distances(points)) == size
