"""A thousand silos in a validated sparse graph, some of which leave at every stage."""

import numpy as np
import pytest

from collude.codef.secagg import STAGES, Expectation, harary_parameters, simulate

SILOS, LEAST, LEAVE = 1000, 850, 25


def test_the_graph_is_sparse():
    """What `simulate` takes: one silo in twenty corrupt, and all but the threshold gone."""
    found = harary_parameters(Expectation(SILOS, SILOS // 20, SILOS - LEAST))
    assert found == (42, 20)


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_a_thousand_silos_with_dropouts_at_every_stage():
    rng = np.random.default_rng(6)
    vectors = rng.integers(0, 4_000_000, (SILOS, 4))
    leaving = rng.permutation(SILOS)[: LEAVE * len(STAGES)]
    dropouts = {int(silo): str(STAGES[i % len(STAGES)]) for i, silo in enumerate(leaving)}
    total = simulate(list(vectors), LEAST, dropouts, "harary", seed=7)
    sent = [i for i in range(SILOS) if dropouts.get(i) not in set(STAGES[:3])]
    assert len(sent) == SILOS - 3 * LEAVE
    assert total.tolist() == vectors[sent].sum(axis=0).tolist()
