"""Whatever a participant uploads, the analyst refuses it by name or works on: it never breaks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from testkit.federation import P0, P1, P2, D, dataset, federation, parties, scenario
from testkit.network import rewrite, talk

from collude.common.errors import ColludeError
from collude.common.ids import ANALYST
from collude.common.protocol import messages as m
from collude.runtime.federation import prepare

ESTIMATORS = ["spectral", "reference", "power"]
SCALES = st.sampled_from([0.0, 5e-324, 1e-300, 1e-154, 1e-8, 1.0, 1e8, 1e99, 1e100, 1e154, 1e308])
NUMBERS = st.one_of(
    st.floats(-1.0, 1.0), st.sampled_from([0.0, 1.0, np.nan, np.inf, -np.inf, 5e-324])
)


def tables(rows, columns):
    """Finite or not, of full rank or not, of any size of number."""
    plain = hnp.arrays(np.float64, (rows, columns), elements=NUMBERS)
    smooth = st.integers(0, 2**32).map(
        lambda seed: np.random.default_rng(seed).standard_normal((rows, columns))
    )
    repeated = smooth.map(lambda table: np.repeat(table[:, :1], columns, axis=1))
    nearly = smooth.map(lambda table: table[:, :1] + 1e-12 * table)
    return st.builds(scaled, st.one_of(plain, smooth, repeated, nearly), SCALES)


def scaled(table, scale):
    with np.errstate(all="ignore"):
        return table * scale


LABELS = st.lists(st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63)]), min_size=6, max_size=6)
UPLOADS = st.builds(
    lambda private, anchor, labels: m.Upload(private, anchor, np.array(labels, np.int64)),
    tables(6, D),
    tables(D + 1, D),
    LABELS,
)


def survives(fed, upload):
    """Run with this as P1's upload; `talk` raises whatever a session raises."""
    talked = talk(parties(fed), hands={P1: rewrite(m.Upload, lambda _: upload)})
    for name in (ANALYST, P0, P2):
        error = talked.errors[name]
        assert error is None or (isinstance(error, ColludeError) and error.party), error
    collected = talked.parties.analyst.collected
    assert collected is None or set(collected.uploads) == {P0, P1, P2}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@settings(max_examples=50)
@given(upload=UPLOADS)
def test_any_upload_with_an_anchor(estimator, upload):
    survives(prepare(scenario("naa-gdp", estimator=estimator), dataset(3)), upload)


@pytest.mark.parametrize("method", ["i-gdp", "c-gdp"])
@settings(max_examples=30)
@given(upload=UPLOADS)
def test_any_upload_without_an_anchor(method, upload):
    bare = m.Upload(upload.private, None, upload.labels)
    survives(federation(method), bare)
