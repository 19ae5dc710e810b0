"""The analyst's outcome: JSON in every case, with a word on everything that somebody should see."""

import json
import math

import numpy as np
import pytest
from testkit.federation import P0, P1, federation, parties, scenario
from testkit.network import rewrite, talk

from collude.analyst.outcome import outcome_of
from collude.common.methods import METHODS
from collude.common.outcome import read_outcome, write_outcome
from collude.common.protocol import messages as m

FED = federation()


def outcome(fed=FED, **options):
    return outcome_of(talk(parties(fed), **options).parties.analyst, {"r0_join": 0.5})


def strict(value) -> str:
    return json.dumps(value, allow_nan=False)


@pytest.mark.parametrize("method", METHODS)
def test_a_good_run_leaves_counts_and_what_was_aligned(method, tmp_path):
    made = outcome(federation(method))
    assert (made.state, made.error) == ("finished", {})
    assert np.sum(made.result["counts"]["counts"]) == 6
    alignment = made.result["alignment"]
    assert (alignment is not None) == METHODS[method].anchor
    write_outcome(tmp_path, made)
    assert read_outcome(tmp_path) == made
    strict(made.result)


def test_a_figure_that_is_none_becomes_null():
    """At r = d + 1 there is no gap to see."""
    assert math.isnan(talk(parties(FED)).parties.analyst.learned.aligned.alignment.gap)
    assert outcome().result["alignment"]["gap"] is None


def test_a_failed_run_says_who_and_why():
    made = outcome(late=[P1])
    assert made.state == "failed"
    assert (made.error["code"], made.error["party"]) == ("E-DEADLINE", P1)
    assert made.result["counts"] is None
    strict(made.result)


def test_a_restart_and_a_refusal_are_warnings():
    made = outcome(hands={P0: rewrite(m.AnchorReveal, lambda r: m.AnchorReveal(r.envelopes[:1]))})
    assert made.state == "finished"
    assert made.result["left_out"] == [P0]
    assert any(text.startswith("restarted") and P0 in text for text in made.warnings)
    assert any("E-ANCHOR-ABORT" in text for text in made.warnings)
    assert scenario().scenario.name == "small"
