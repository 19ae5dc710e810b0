"""Secure aggregation: the coordinator learns the sum of the silos' counts, and no silo's own.

Both sides are state machines without I/O; `simulate` runs them in one process. Rounds, one file
on each side: `r0_advertise_keys`, `r1_share_keys`, `r2_masked_input`, `r3_consistency`,
`r4_unmask`.

Source: K. Bonawitz et al., Practical secure aggregation for privacy-preserving machine learning,
CCS 2017; with a Harary graph, Bell et al., CCS 2020.
"""

from collude.codef.secagg.client import Client
from collude.codef.secagg.graph import Graph, complete_graph, harary_graph
from collude.codef.secagg.modulus import Modulus
from collude.codef.secagg.parameters import Expectation, harary_parameters
from collude.codef.secagg.server import Server
from collude.codef.secagg.simulate import simulate
from collude.codef.secagg.stages import STAGES, Stage
from collude.codef.secagg.terms import Terms, majority
from collude.common.errors import AggregationAborted

__all__ = [
    "STAGES",
    "AggregationAborted",
    "Client",
    "Expectation",
    "Graph",
    "Modulus",
    "Server",
    "Stage",
    "Terms",
    "complete_graph",
    "harary_graph",
    "harary_parameters",
    "majority",
    "simulate",
]
