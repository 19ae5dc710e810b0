"""The posterior over persons given the answers about a handle, exactly, for all handles at once.

Every piece of evidence is half a log-likelihood ratio w about one column of what is known: +1 for
a known one, -1 for a known zero, 0 for what is not known. Up to a constant of the handle,

    ln P(answers | person) = sum over pieces of (w s - |s| ln cosh w):

a person whose attribute is not known answers like a fair bit, (e^w + e^-w)/2 in the same units. Of
an XOR pair the piece is made of both answers, w = -artanh(tanh w1 tanh w2): one alone is fair.
"""

from dataclasses import dataclass

import numpy as np

from collude.attacker.releases.channels import Floats, Integers
from collude.attacker.releases.knowledge import PAIR, Knowledge
from collude.attacker.releases.view import Answers, ReleaseView
from collude.codef.numeric.entropy import log_cosh


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """Pieces in the order in which they became complete.

    Attributes:
        handle: (e,) place of the handle.
        column: (e,) of `signs`.
        weight: (e,) w.
        last: (e,) index of the answer that completed the piece.
    """

    handle: Integers
    column: Integers
    weight: Floats
    last: Integers


def signs(knowledge: Knowledge) -> Floats:
    """Return s, (n, columns): 1 for a known one, -1 for a known zero, 0 where not known."""
    bits = knowledge.attributes.reshape(knowledge.persons, -1)
    return np.where(bits < 0, 0.0, 2.0 * bits - 1.0)


def evidence(knowledge: Knowledge, answers: Answers) -> Evidence:
    """Return what each answer, or each pair of answers for `xor`, says."""
    weight = knowledge.channel.half_ratios(answers.value, answers.level)
    order = np.arange(len(answers), dtype=np.int64)
    if knowledge.kind == "plain":
        column = answers.silo * knowledge.each + answers.attribute
        return Evidence(answers.handle, column, weight, order)
    column = answers.silo // PAIR * knowledge.each + answers.attribute
    key = answers.handle * (knowledge.attributes[0].size) + column
    by_key = np.argsort(key, kind="stable")
    second = np.flatnonzero(key[by_key][1:] == key[by_key][:-1]) + 1
    first, last = by_key[second - 1], by_key[second]
    in_time = np.argsort(last, kind="stable")
    first, last = first[in_time], last[in_time]
    one, other = weight[first], weight[last]
    # artanh(tanh a tanh b), without infinities for sure answers
    product = (log_cosh(one + other) - log_cosh(one - other)) / 2
    return Evidence(answers.handle[last], column[last], -product, last)


def weights_of(pieces: Evidence, handles: int, columns: int) -> Floats:
    """Return w of each handle and column, (handles, columns); 0 where there is none."""
    table = np.zeros((handles, columns))
    table[pieces.handle, pieces.column] = pieces.weight
    return table


def log_likelihood(weights: Floats, s: Floats) -> Floats:
    """Return ln P(answers | person) of each handle up to a constant, (handles, n).

    Args:
        weights: w, (handles, columns).
        s: signs of the persons, (n, columns).
    """
    found = weights @ s.T
    if not s.all():  # else the second term is the same for all persons
        found -= log_cosh(weights) @ np.abs(s).T
    return np.asarray(found)


def normalised(log_weights: Floats) -> Floats:
    """Return the probabilities that these logarithms are up to a constant, row by row."""
    shifted = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def log_likelihood_of(view: ReleaseView) -> Floats:
    """Return ln P(answers | person) of a view up to a constant of the handle, (handles, n)."""
    s = signs(view.knowledge)
    pieces = evidence(view.knowledge, view.answers)
    return log_likelihood(weights_of(pieces, len(view.handles), s.shape[1]), s)


def posterior_of(view: ReleaseView) -> Floats:
    """Return P(person | answers about the handle) from a uniform prior, (handles, n)."""
    return normalised(log_likelihood_of(view))
