"""Answers that leak more together than one by one (guideline G4 of paper 2, section 8.4).

A joint law is an array (persons, answers of silo 1, answers of silo 2, ...): the probability of a
target together with every combination of answers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from collude.codef.numeric.checks import Array, floats, non_negative, refuse

ROUNDING = 1e-9


def joint_information(joint: ArrayLike) -> float:
    """Return I(Z; Y_1, ..., Y_k) in nats.

    Raises:
        ParameterInvalid: the array is not a probability law over a target and an answer.
    """
    law = _checked(joint)
    return _information(law.reshape(len(law), -1))


def single_information(joint: ArrayLike) -> Array:
    """Return I(Z; Y_i) of every silo, (k,), in nats.

    Raises:
        ParameterInvalid: the array is not a probability law over a target and an answer.
    """
    law = _checked(joint)
    silos = range(1, law.ndim)
    alone = [law.sum(axis=tuple(set(silos) - {silo})) for silo in silos]
    return floats([_information(pair) for pair in alone])


def refuse_undercharged(joint: ArrayLike, charges: Sequence[float]) -> None:
    """Refuse charges that add up to less than the answers leak together.

    `InformationBudget` charges I_1 an answer, which is enough however attributes depend on each
    other. What was measured silo by silo is not (the XOR pair), nor is I_1 if silos share noise.

    Args:
        joint: law of the target and all answers.
        charges: nats charged for each silo's answer, (k,).

    Raises:
        ParameterInvalid: the charges are too small, or the array is no law.
    """
    charged = float(non_negative("charges", charges).sum())
    leaked = joint_information(joint)
    if charged < leaked - ROUNDING:
        refuse(
            "charges",
            f"{leaked:.6g} nats or more in all: the answers are dependent",
            charged,
            "charge each answer's channel capacity, and see that no two silos share noise",
        )


def _information(pair: Array) -> float:
    """Return the mutual information of a two-way table, never negative."""
    independent = pair.sum(axis=1, keepdims=True) * pair.sum(axis=0, keepdims=True)
    there = pair > 0
    return max(0.0, float((pair[there] * np.log(pair[there] / independent[there])).sum()))


def _checked(joint: ArrayLike) -> Array:
    law = non_negative("joint", joint)
    if law.ndim < 2 or abs(float(law.sum()) - 1) > ROUNDING:  # noqa: PLR2004 -- target, answer
        refuse("joint", "a law over a target and one answer or more, summing to 1", law.shape)
    return law
