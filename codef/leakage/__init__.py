"""What one answer about a person leaks: nats per answer, for scalars or arrays.

Source: paper 2, sections 3, 5 and 9.5; docs/risk.md says in plain words what they mean.
"""

from collude.codef.leakage.gaussian import (
    gaussian_cutoff_rate,
    gaussian_information,
    gaussian_sigma,
    gaussian_vector_information,
)
from collude.codef.leakage.inverse import rr_epsilon_for_information
from collude.codef.leakage.repeated import rr_repeated_information
from collude.codef.leakage.rr import (
    rr_bhattacharyya,
    rr_cutoff_rate,
    rr_dispersion,
    rr_divergence,
    rr_information,
    rr_presence_epsilon,
)
from collude.codef.leakage.shuffle import shuffled_information
from collude.codef.leakage.xor import xor_information

__all__ = [
    "gaussian_cutoff_rate",
    "gaussian_information",
    "gaussian_sigma",
    "gaussian_vector_information",
    "rr_bhattacharyya",
    "rr_cutoff_rate",
    "rr_dispersion",
    "rr_divergence",
    "rr_epsilon_for_information",
    "rr_information",
    "rr_presence_epsilon",
    "rr_repeated_information",
    "shuffled_information",
    "xor_information",
]
