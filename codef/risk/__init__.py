"""How often an attacker names the right person: estimates, bounds, and what is safe.

`*_error` is an error probability, `success_*` a success probability. A `Guarantee` holds for every
attacker under its `.condition`; an `Estimate` is what one attacker achieves in one game.
"""

from collude.codef.risk.bounds import (
    critical_silos,
    fano_error,
    fano_error_tight,
    fano_list_error,
    gallager_error,
    union_bound_error,
)
from collude.codef.risk.exact import exact_error, silos_at_error
from collude.codef.risk.exact_mixed import exact_error_mixed
from collude.codef.risk.gaussian_bound import (
    largest_safe_count_gaussian,
    success_bound_gaussian,
)
from collude.codef.risk.gaussian_game import exact_error_gaussian
from collude.codef.risk.sphere_packing import largest_safe_count, success_bound
from collude.codef.risk.values import Estimate, Guarantee
from collude.codef.risk.vector_bound import safe_upload_nats, success_bound_vectors

__all__ = [
    "Estimate",
    "Guarantee",
    "critical_silos",
    "exact_error",
    "exact_error_gaussian",
    "exact_error_mixed",
    "fano_error",
    "fano_error_tight",
    "fano_list_error",
    "gallager_error",
    "largest_safe_count",
    "largest_safe_count_gaussian",
    "safe_upload_nats",
    "silos_at_error",
    "success_bound",
    "success_bound_gaussian",
    "success_bound_vectors",
    "union_bound_error",
]
