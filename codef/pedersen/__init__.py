"""Vector Pedersen commitments: the sum that came out is the sum of what was committed to.

C_i = r_i H + sum_p v_i[p] G_p stands in a silo's ledger entry. Commitments add up as counts do, so
sum C_i over the silos in the sum must equal R H + sum_p A[p] G_p. R = sum r_i goes through the same
secure aggregation: 16 further words of 16 bits each, behind the counts (`vectors`).

What the check catches, if whoever checks is shown the sums (A itself is not published, so that is
the auditor, or silos that agreed to see it):

- a coordinator that hands out another sum than came out, alone;
- a silo that masks another vector than it committed to;
- a silo that was left out of the sum or counted twice.

It does not say who of them did it. What it does not catch:

- A lie told consistently: commit to wrong counts, mask the same ones.
- NEGATIVE counts. Commit to -1 mod l and mask 2^w - 1: both sides of the check fall by one. So a
  silo can take away what others counted, down to zero. Only a range proof would show it.
- A coordinator together with a silo that commits last: C_last = K H' - (sum of the others), where
  K H' stands for a commitment to any numbers that they like, makes those numbers the sum that
  passes. Nobody could open C_last, so the auditor who asks for openings finds both this and
  negative counts (`check_opening`), in those silos that he asks.

Hiding: a commitment alone hides its counts perfectly. The sums of the limbs tell more than R does,
through their carries; beside them hiding is computational, as that of the masks is. Of the 252 bits
of a blinding 240 are still open to somebody who knows all but two silos.

Needs the extra `pedersen`. Importing the package without it raises `ExtraMissing`.
"""

from collude.codef.pedersen.check import check_aggregate, check_opening, check_sum, commitments_of
from collude.codef.pedersen.commitments import Blinding, add, commit
from collude.codef.pedersen.vectors import blinded_terms, blinded_vector, split_sum

__all__ = [
    "Blinding",
    "add",
    "blinded_terms",
    "blinded_vector",
    "check_aggregate",
    "check_opening",
    "check_sum",
    "commit",
    "commitments_of",
    "split_sum",
]
