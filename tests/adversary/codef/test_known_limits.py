"""What counting together does not hide, and what a lie can cost: measured, and said in the docs."""

import re

import numpy as np
import pytest
from testkit.command import ROOT
from testkit.periods import Shape, Told, federation, meet

from collude.codef.risk import success_bound
from collude.common.net.fault_plan import FaultPlan

PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")


def test_known_limit_the_coordinator_sees_a_silos_counts_when_only_that_silo_is_missing():
    """Sums of two epochs whose silos differ by one, and nobody answered in between."""
    shape = Shape(silos=5, persons=9, epochs=2)
    rng = np.random.default_rng(4)
    counts = {f"participant-{i}": rng.integers(0, 50, 9) for i in range(5)}
    told = {name: Told({0: [vector, vector]}) for name, vector in counts.items()}
    fed = meet(federation(shape, told), plan=FaultPlan(crash={"participant-2": 0.024}))
    book = fed.coordinator.books[0]
    assert [facts.missing for facts in book.facts] == [(), (), ("participant-2",)]
    assert np.array_equal(book.sums[0] - book.sums[1], counts["participant-2"])


def test_known_limit_a_count_that_only_one_silo_can_have_is_that_silos():
    """A sum of one count and zeros is the count: the sum hides who counted, not that."""
    shape = Shape(silos=4, persons=3, epochs=1)
    told = {f"participant-{i}": Told({0: [[0, 7 * (i == 1), i]]}) for i in range(4)}
    fed = meet(federation(shape, told))
    assert fed.coordinator.books[0].sums[0].tolist() == [0, 7, 6]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.33, 0.5])
def test_what_hiding_costs_is_what_the_page_says(share):
    """A share of the silos counts nothing: 12 answers are safe, 12/(1 - share) are given."""
    given = int(12 / (1 - share))
    bound = success_bound(500, [(1.0, given)])
    (row,) = re.findall(rf"^\| {share:g} \| {given} \| ([\d.]+) \|$", PAGE, re.MULTILINE)
    assert float(row) == pytest.approx(float(bound), abs=6e-4)


def test_what_false_leases_cost_is_what_the_page_says():
    answers = 20 * 3
    (said,) = re.findall(rf"{answers} answers .*?success is at most\s+(\.\d+)", PAGE, re.DOTALL)
    assert float(said) == pytest.approx(float(success_bound(500, [(1.0, answers)])), abs=6e-3)
