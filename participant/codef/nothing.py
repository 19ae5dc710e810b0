"""A silo that is asked nothing: it takes part in counting, for the sake of its uploads' noise."""

import numpy as np
from numpy.typing import NDArray

from collude.codef.period import PeriodTerms
from collude.codef.release import Frozen
from collude.common.errors import ReleaseRefused
from collude.common.protocol.release_messages import Answer, Query
from collude.participant.codef.core import Responds


class NothingReleased:
    """Holdings of which nothing is told."""

    def responder(self, terms: PeriodTerms, _session: bytes, _key: bytes) -> Responds:
        """Return one who answers nothing and counts nothing."""
        return _Silent(terms)


class _Silent:
    handles = b""

    def __init__(self, terms: PeriodTerms) -> None:
        self._terms = terms

    def lease(self, levels: NDArray[np.int64], slots: NDArray[np.int64]) -> None:
        """Take a lease; it is for the upload."""

    def answer(self, _query: Query) -> Answer:
        raise ReleaseRefused("nothing is answered here", party=self._terms.querier, field="query")

    def freeze(self) -> Frozen:
        return Frozen(np.zeros(self._terms.persons, dtype=np.uint64), (), ())
