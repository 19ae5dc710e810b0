"""A row says whether its budget is met, and by how much it is not."""

import pytest

from benchmarks.framework.row import Row, ratio


def row(**fields):
    return Row(work="w", against="a", quantity="CPU", **fields)


@pytest.mark.parametrize(
    ("fields", "met", "verdict"),
    [
        ({"measured": 7.0, "at_least": 7}, True, "met"),
        ({"measured": 3.5, "at_least": 7, "why": "a wall"}, False, "short by 50%: a wall"),
        ({"measured": 0.0, "at_least": 7}, False, "short by 100%"),
        ({"measured": 1.5, "at_most": 1.5}, True, "met"),
        ({"measured": 3.0, "at_most": 1.5, "why": "less work"}, False, "over by 100%: less work"),
        ({"measured": 2.0}, None, "for information"),
        ({"measured": None, "at_least": 7, "missing": "no network"}, None, "not run: no network"),
    ],
)
def test_the_verdict_follows_from_figure_and_budget(fields, met, verdict):
    assert row(**fields).met is met
    assert row(**fields).verdict == verdict


@pytest.mark.parametrize(
    ("fields", "budget"),
    [({"at_least": 7}, ">= 7x"), ({"at_most": 1e-10, "unit": ""}, "<= 1e-10"), ({}, "-")],
)
def test_the_budget_is_said_in_words(fields, budget):
    assert row(measured=1.0, **fields).budget == budget


@pytest.mark.parametrize(
    ("top", "bottom", "expected"),
    [(6.0, 2.0, 3.0), (None, 2.0, None), (6.0, None, None), (6.0, 0.0, None)],
)
def test_a_ratio_needs_both_figures(top, bottom, expected):
    assert ratio(top, bottom) == expected
