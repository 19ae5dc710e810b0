"""The answer as one document: the keys of `collude risk --json`."""

import math
from dataclasses import dataclass
from typing import Any

from collude.codef.numeric.checks import answers as whole_number
from collude.codef.numeric.checks import gamma_of
from collude.codef.risk import critical_silos, fano_error
from collude.runtime.risk.answers import Answers


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes:
        answers: how the silos answer.
        max_success: the risk that may be taken, above 1/n and below 1.
        gamma: the paper's fraction of k*, in (0, 1].
        silos: answers about one person that are planned, or None.
    """

    answers: Answers
    max_success: float
    gamma: float
    silos: int | None = None


def document(question: Question) -> dict[str, Any]:
    """Return everything `collude risk` knows, as JSON types; guarantees and estimates by name.

    Raises:
        ParameterInvalid: a number is out of range.
    """
    answers, n = question.answers, question.answers.persons
    gamma_of(question.gamma)
    safe = answers.largest_safe_count(question.max_success)
    found: dict[str, Any] = {
        "persons": int(n) if n == int(n) else n,
        "information_per_answer": answers.information,
        "critical_silos": critical_silos(n, answers.information),
        "critical_silos_union": critical_silos(n, answers.cutoff_rate),
        "max_success": question.max_success,
        "largest_safe_count": safe,
    }
    if question.silos is not None:
        found |= _planned(answers, whole_number(question.silos, "silos"))
    found["paper_trigger"] = _at(answers, math.floor(question.gamma * found["critical_silos"]))
    return found


def _planned(answers: Answers, silos: int) -> dict[str, Any]:
    at = _at(answers, silos)
    return {
        "silos": at.pop("count"),
        **at,
        "fano_error": float(fano_error(answers.persons, silos * answers.information)),
        "union_bound_error": _number(answers.union_bound_error(silos)),
        "gallager_error": _number(answers.gallager_error(silos)),
    }


def _at(answers: Answers, count: int) -> dict[str, Any]:
    return {
        "count": count,
        "exact_success": float(answers.exact_success(count)),
        "guaranteed_success": float(answers.guaranteed_success(count)),
    }


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)
