"""Seeds from shares, each checked against what its owner advertised."""

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from collude.codef.secagg.aborts import abort
from collude.codef.secagg.shamir import combine, lagrange
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

STAGE = Stage.UNMASK
Check = Callable[[bytes], bool]


class Joiner:
    """Puts seeds together; computes the weights of a set of silos once."""

    def __init__(self, terms: Terms) -> None:
        """Know no weights yet."""
        self._terms = terms
        self._threshold = terms.neighbourhood.share_threshold
        self._weights: dict[tuple[str, ...], list[int]] = {}

    def join(self, name: str, shares: Mapping[str, int], check: Check) -> bytes:
        """Return the 31-byte seed of a silo.

        Args:
            name: whose seed it is.
            shares: by the silo that sent them.
            check: whether a seed is the one that `name` advertised.

        Raises:
            AggregationAborted: too few shares, or they do not give that seed. Names the silo whose
                share is wrong if the others give the seed without it, else `name`.
        """
        holders = tuple(shares)
        if len(holders) < self._threshold:
            expected = f"{self._threshold} or more"
            got = f"{len(holders)}: {', '.join(holders) or 'none'}"
            reason = f"too few shares of {name} are left"
            abort(STAGE, reason, party=name, what="shares", expected=expected, got=got)
        seed = self._tried(holders[: self._threshold], shares, check)
        if seed is None:
            self._blame(name, shares, check)
        return seed

    def _tried(
        self, holders: tuple[str, ...], shares: Mapping[str, int], check: Check
    ) -> bytes | None:
        if holders not in self._weights:
            points = [self._terms.point(holder) for holder in holders]
            self._weights[holders] = lagrange(points)
        try:
            seed = combine(self._weights[holders], [shares[holder] for holder in holders])
        except ValueError:
            return None
        return seed if check(seed) else None

    def _blame(self, name: str, shares: Mapping[str, int], check: Check) -> NoReturn:
        for suspect in tuple(shares)[: self._threshold]:
            others = tuple(holder for holder in shares if holder != suspect)
            if len(others) >= self._threshold and self._gives(others, shares, check):
                reason = f"sent a share of {name} that is not the one dealt out"
                abort(STAGE, reason, party=suspect, what="share")
        reason = f"the shares of {name} do not give what it advertised"
        abort(STAGE, reason, party=name, what="shares", got=f"shares of {', '.join(shares)}")

    def _gives(self, others: Sequence[str], shares: Mapping[str, int], check: Check) -> bool:
        return self._tried(tuple(others[: self._threshold]), shares, check) is not None
