"""A silo's folder that was used in another run: what it told there is not told again."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.network import Between
from testkit.periods import Shape, federation, meet

from collude.codef.policy import PolicySettings
from collude.codef.release import Answerer, FileBook, Remembered
from collude.common.data.persons import SiloTable
from collude.common.errors import SessionUsed
from collude.participant.codef.holdings import PersonHoldings

PERSONS, ATTRIBUTES = 6, 3
SHAPE = Shape(silos=4, persons=PERSONS, attributes=ATTRIBUTES, periods=2, policy="success",
              numbers={"max_success": 0.9}, querier="attacker")  # fmt: skip


def entered(folder, *cohorts):
    """A federation whose silos have books in a folder; P1's holds an answer about each cohort."""
    fed = federation(SHAPE)
    settings = [PolicySettings("success", PERSONS, 4, ATTRIBUTES, max_success=0.9)] * 2
    bits = np.zeros((PERSONS, ATTRIBUTES), dtype=np.int8)
    table = SiloTable(bits, np.ones(PERSONS, dtype=bool))
    for name, session in fed.silos.items():
        core, book = session.core, FileBook(folder / name, name)
        if name == "participant-1":
            book.keep([Remembered(cohort, 2, 1, 0, 1) for cohort in cohorts])
        answerer = Answerer(name, core.signing_key, core.entropy, book)
        session.core = replace(core, holdings=PersonHoldings(answerer, [table] * 2, settings))
    return fed


@pytest.mark.parametrize("period", [0, 1])
def test_a_silo_that_told_of_these_persons_before_stays_out(period, tmp_path):
    """Its record of sessions does not know that: the scenario was another, or the file is lost.

    Measured before this was refused, with 500 persons, 20 silos and 12 safe answers about each:
    24 answers about each stood there after a second run in the same folders, 36 after a third.
    """
    fed = entered(tmp_path, period)
    meet(fed, hands=dict.fromkeys(fed.silos, _Deaf))
    error = fed.silos["participant-1"].error
    assert (type(error), error.party) == (SessionUsed, "participant-1")
    assert error.field == f"answers of period {period}"
    assert len(fed.silos["participant-1"].leases) == period
    assert not any(e for name, e in fed.errors.items() if name != "participant-1")


def test_answers_about_other_persons_are_no_hindrance(tmp_path):
    fed = entered(tmp_path, 2)
    meet(fed, hands=dict.fromkeys(fed.silos, _Deaf))
    assert not any(fed.errors.values())


class _Deaf(Between):
    """An endpoint in a network without a querier: what is for it is dropped."""

    def sent(self, outgoing):
        return [each for each in outgoing if each.receiver != "attacker"]
