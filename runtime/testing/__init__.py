"""Integration tests of collusion: the pytest plug-in's fixture and its assertions.

def test_no_exact_recovery(federation):
run = federation(mechanism={"method": "naa-gdp", "anchor_noise_s": 0.4}).run()
assert_no_exact_recovery(run, colluders=["participant-0"])
"""

from collude.runtime.testing.assertions import (
    assert_linkage_at_most,
    assert_no_exact_recovery,
    assert_same_transcript,
)
from collude.runtime.testing.federation import Attacked, FederationFactory, Run

__all__ = [
    "Attacked",
    "FederationFactory",
    "Run",
    "assert_linkage_at_most",
    "assert_no_exact_recovery",
    "assert_same_transcript",
]
