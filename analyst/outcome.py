"""What the analyst's session came to, as JSON: pooled counts and alignment diagnostics."""

import math
from typing import Any

from collude.analyst.alignment import Alignment
from collude.analyst.session import AnalystSession
from collude.common.evaluation import ConfusionCounts
from collude.common.outcome import FAILED, FINISHED, Outcome, error_facts

PAIR_ERROR_WARNING, GAP_WARNING = 0.5, 0.1


def outcome_of(session: AnalystSession, rounds: dict[str, float]) -> Outcome:
    """Return the outcome of a session that is over."""
    alignment = None if session.learned is None else session.learned.aligned.alignment
    return Outcome(
        state=FINISHED if session.error is None else FAILED,
        error={} if session.error is None else error_facts(session.error),
        rounds=rounds,
        warnings=[
            *(f"restarted: {error}" for error in session.left_out.values()),
            *(str(error) for error in session.refused),
            *_warnings(alignment),
        ],
        result={
            "counts": None if session.counts is None else _counts(session.counts),
            "alignment": None if alignment is None else _alignment(alignment),
            "left_out": list(session.terms.left_out),
        },
    )


def _counts(counts: ConfusionCounts) -> dict[str, Any]:
    return {"classes": counts.classes.tolist(), "counts": counts.counts.tolist()}


def _alignment(alignment: Alignment) -> dict[str, float | bool | None]:
    figures = {
        "residual": alignment.residual,
        "gap": alignment.gap,
        "noise": alignment.noise,
        "expected_pair_error": alignment.expected_pair_error,
    }
    return {**{n: _json(v) for n, v in figures.items()}, "converged": alignment.converged}


def _json(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _warnings(alignment: Alignment | None) -> list[str]:
    if alignment is None:
        return []
    found = []
    error = alignment.expected_pair_error
    if error is not None and error > PAIR_ERROR_WARNING:
        found.append(f"two participants' rows differ by {error:.2f} of their energy (of 2)")
    if alignment.gap < GAP_WARNING:
        found.append(f"the anchors hardly show a common subspace (gap {alignment.gap:.3f})")
    if not alignment.converged:
        found.append("the alignment did not converge")
    return found
