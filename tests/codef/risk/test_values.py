"""A promise and an expectation are floats of two types that cannot be taken for each other."""

import copy
import json

from collude.codef.risk import (
    Estimate,
    Guarantee,
    exact_error,
    exact_error_gaussian,
    exact_error_mixed,
    fano_error,
    gallager_error,
    success_bound,
    success_bound_gaussian,
    union_bound_error,
)


def test_every_number_says_which_it_is() -> None:
    promised = [
        success_bound(500, [(1.0, 5)]),
        success_bound_gaussian(500, 1.0, 3.0, 5),
        fano_error(500, 1.0),
    ]
    expected = [
        exact_error(500, 1.0, 5),
        exact_error_mixed(500, [(1.0, 5), (0.5, 5)]),
        exact_error_gaussian(500, 1.0, 3.0, 5),
        union_bound_error(500, 1.0, 5),
        gallager_error(500, 1.0, 5),
    ]
    assert {type(number) for number in promised} == {Guarantee}
    assert {type(number) for number in expected} == {Estimate}
    assert all(number.condition for number in promised)


def test_they_are_numbers() -> None:
    promise = Guarantee(0.25, "nobody cheats")
    assert json.dumps([promise, Estimate(0.5)]) == "[0.25, 0.5]"
    assert f"{promise:.1%}" == "25.0%"
    assert promise + Estimate(0.5) == 0.75
    assert type(1 - promise) is float  # what is computed from a promise is no promise


def test_the_condition_is_shown_and_survives_copying() -> None:
    promise = Guarantee(0.25, "nobody cheats")
    assert repr(promise) == "Guarantee(0.25, if nobody cheats)"
    assert repr(Estimate(0.5)) == "Estimate(0.5)"
    assert copy.deepcopy(promise).condition == "nobody cheats"
