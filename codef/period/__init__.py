"""A budget period: what its parties agree on, its ids, and how long anybody waits."""

from collude.codef.period.terms import PeriodTerms
from collude.codef.period.waits import COORDINATOR_WAITS, SILO_WAITS

__all__ = ["COORDINATOR_WAITS", "SILO_WAITS", "PeriodTerms"]
