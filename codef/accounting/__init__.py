"""Differential privacy of all answers about one person: XSP-DP.

Two worlds are neighbours if they differ in the records of one person, in any number of silos.
Everything here bounds what changes between neighbours; how often the person is then named is a
question for `collude.codef.risk`, and a large epsilon here does not answer it.
"""

from collude.codef.accounting.adjacency import differing_person, person_neighbours
from collude.codef.accounting.composition import (
    advanced_composition,
    basic_composition,
    group_privacy,
)
from collude.codef.accounting.gaussian import gaussian_composition
from collude.codef.accounting.rr import rr_composition, rr_delta

__all__ = [
    "advanced_composition",
    "basic_composition",
    "differing_person",
    "gaussian_composition",
    "group_privacy",
    "person_neighbours",
    "rr_composition",
    "rr_delta",
]
