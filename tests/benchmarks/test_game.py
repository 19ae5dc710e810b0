"""The contenders of the game play the same game, and every row has a figure."""

import numpy as np
import pytest

from benchmarks import game
from benchmarks.framework.contest import Bench
from benchmarks.workers.collude_grids import exact, played
from benchmarks.workers.grids import points
from benchmarks.workers.numpy_game import identified
from collude.codef.risk import exact_error
from collude.studies.agreement import allowed, z_of_count


@pytest.mark.processes
def test_every_row_has_a_figure() -> None:
    rows = list(game.measure(Bench(repeats=1, tiny=True)))
    assert [row.at_least for row in rows] == [15, 500, 100, None]
    assert all(row.measured > 0 for row in rows)


def test_one_trial_at_a_time_is_the_same_game() -> None:
    won = identified(20, 1.0, 15, 2000, np.random.default_rng(1))
    assert abs(z_of_count(won, 2000, 1 - exact_error(20, 1.0, 15))) < allowed(1)


def test_the_grids_are_what_the_studies_simulate() -> None:
    grid = points("paper")
    assert len(grid) == 135 + 12 + 60
    assert (500, 1.0, 180, 2500) in grid
    some = points("smoke")
    assert exact(some) == pytest.approx(played(some), abs=0.15)
