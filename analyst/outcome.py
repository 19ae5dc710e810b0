"""What the analyst's session came to, as JSON: pooled counts and alignment diagnostics."""

import math
from typing import Any

from collude.analyst.r3_upload import Collected
from collude.analyst.r4_align import Aligned
from collude.analyst.session import AnalystSession
from collude.common.evaluation import ConfusionCounts
from collude.common.outcome import FAILED, FINISHED, Outcome, error_facts


def outcome_of(session: AnalystSession, rounds: dict[str, float]) -> Outcome:
    """Return the outcome of a session that is over."""
    aligned = None if session.learned is None else session.learned.aligned
    return Outcome(
        state=FINISHED if session.error is None else FAILED,
        error={} if session.error is None else error_facts(session.error),
        rounds=rounds,
        warnings=[
            *(f"restarted: {error}" for error in session.left_out.values()),
            *(str(error) for error in session.refused),
            *_warnings(aligned),
        ],
        result={
            "counts": None if session.counts is None else _counts(session.counts),
            "alignment": _alignment(aligned),
            "screened": _screened(aligned),
            "training_device": None if session.learned is None else session.learned.device,
            "left_out": list(session.terms.left_out),
            "uploads": _accepted(session.collected),
        },
    )


def _accepted(collected: Collected | None) -> dict[str, str] | None:
    """Return which upload of each party was accepted: its transcript has the refused ones too."""
    if collected is None:
        return None
    return {name: digest.hex() for name, digest in sorted(collected.digests.items())}


def _counts(counts: ConfusionCounts) -> dict[str, Any]:
    return {"classes": counts.classes.tolist(), "counts": counts.counts.tolist()}


def _alignment(aligned: Aligned | None) -> dict[str, Any] | None:
    alignment = None if aligned is None else aligned.alignment
    if aligned is None or alignment is None:
        return None
    figures = {
        "residual": alignment.residual,
        "gap": alignment.gap,
        "noise": alignment.noise,
        "expected_pair_error": alignment.expected_pair_error,
    }
    noises = zip(aligned.names, alignment.participant_noise, strict=True)
    return {
        **{name: _json(value) for name, value in figures.items()},
        "participant_noise": {name: _json(noise) for name, noise in noises},
        "converged": alignment.converged,
    }


def _json(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _screened(aligned: Aligned | None) -> list[dict[str, str | float | None]]:
    return [
        {
            "party": drop.party,
            "test": drop.test,
            "figure": _json(drop.figure),
            "threshold": _json(drop.threshold),
            "twin": drop.twin,
        }
        for drop in (() if aligned is None else aligned.screened)
    ]


def _warnings(aligned: Aligned | None) -> list[str]:
    if aligned is None:
        return []
    left_out = [
        f"left {drop.party} out of alignment and training: {drop}" for drop in aligned.screened
    ]
    return [*left_out, *(() if aligned.alignment is None else aligned.alignment.warnings)]
