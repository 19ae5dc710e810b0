"""The contenders of secure aggregation do the steps that they are named after."""

import sys

import numpy as np
import pytest

from benchmarks import secagg
from benchmarks.framework.contest import Bench
from benchmarks.workers.collude_secagg import STEPS
from benchmarks.workers.limit_secagg import LIMITS
from benchmarks.workers.secagg_silos import federation, first_advertised, forget, rehearse, views
from benchmarks.workers.session_secagg import Session, silent_from, sizes
from collude.codef.secagg import STAGES
from collude.codef.secagg import messages as m

MESH, SPARSE = (12, 11, 8, 40), (12, 4, 3, 40)


@pytest.mark.processes
def test_every_row_has_its_budget_and_all_but_the_absent_peers_a_figure():
    bench = Bench(repeats=1, tiny=True, peers={"flower": {"missing": "no network"}})
    rows = list(secagg.measure(bench))
    budgets = [row.at_least for row in rows if row.at_least]
    assert budgets == [5, 20, 3, 50, 5, 20, 50]
    for row in rows:
        assert row.missing == ("no network" if row.against.startswith("flwr") else "")
        assert (row.measured is None) == bool(row.missing)


@pytest.mark.parametrize("given", [MESH, SPARSE], ids=["mesh", "sparse"])
@pytest.mark.parametrize("step", STEPS)
def test_steps_end_with_what_the_round_sends(step, given):
    """The coordinator's step raises unless the sum is right."""
    fed = federation(*given)
    sent = STEPS[step](fed)()
    kind = {"mask": m.MaskedInput, "share": m.ShareKeys, "silo": m.Unmask}.get(step, type(None))
    assert isinstance(sent, kind)
    if isinstance(sent, m.MaskedInput):
        words = fed.terms.modulus.parse(sent.words, fed.terms.length)
        assert (words != fed.counts).all()
    if isinstance(sent, m.ShareKeys):
        assert len(sent.envelopes) == given[1]
    if isinstance(sent, m.Unmask):
        assert len(sent.self_masks) == given[1] + 1


@pytest.mark.parametrize("graph", ["complete", "harary"])
def test_a_session_ends_with_the_right_sum_and_times_both_sides(graph):
    session = Session(federation(40, *sizes(40, graph), 5))
    session.run()
    assert session.server.cpu > 0
    assert session.silo > 0


def test_a_wrong_sum_is_not_measured(monkeypatch):
    session = Session(federation(8, 7, 6, 5))
    monkeypatch.setattr(
        session, "_join", lambda name, join=session._join: other(session, join, name)
    )
    with pytest.raises(RuntimeError, match="sum is wrong"):
        session.run()


def other(session, join, name):
    """Let every silo join with counts of which the session does not know."""
    counts = session._fed.counts
    counts += 1
    sent = join(name)
    counts -= 1
    return sent


def test_silent_silos_are_one_in_twenty_and_in_every_round_but_the_first():
    names = federation(80, 79, 54, 1).names
    silent = silent_from(names)
    assert len(silent) == 4
    assert set(silent.values()) == set(STAGES[1:])


def test_a_silo_alone_finds_nothing_checked():
    fed = federation(*MESH)
    views(fed, rehearse(fed).shared)
    kept = [
        value
        for name, module in tuple(sys.modules.items())
        if name.startswith("collude.codef.secagg")
        for value in vars(module).values()
        if hasattr(value, "cache_info")
    ]
    assert any(value.cache_info().currsize for value in kept)
    forget()
    assert not any(value.cache_info().currsize for value in kept)


def test_all_silos_advertise_before_the_first_shares():
    known = first_advertised(federation(*MESH))
    assert len(known.silos) == 12
    assert np.array_equal(known.counts, federation(*MESH).counts)


@pytest.mark.parametrize("what", LIMITS)
def test_limits_run(what):
    LIMITS[what](1 << 17 if what != "agree" else 3)()
