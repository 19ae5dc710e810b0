"""How close the attacks came, as it stands in `results.json`. Reads the truth; parties never do."""

from collections.abc import Sequence
from typing import Any

from collude.attacker.attacks import Reconstruction
from collude.attacker.campaign import Campaign
from collude.attacker.scoring import reconstruction_error
from collude.runtime.rundir import Truth

Scored = dict[str, Any]


def score(campaign: Campaign, truth: Truth | None) -> dict[str, Any]:
    """Return the `attacks` part of the results.

    Args:
        campaign: what the attacks arrived at.
        truth: the target's; None in a deployment, where nothing can be scored.
    """
    scored = [_scored(name, result, truth) for name, result in campaign.results.items()]
    return {
        "target": campaign.target,
        "colluders": list(campaign.colluders),
        "attacks": scored,
        "impossible": {name: list(lacks) for name, lacks in campaign.impossible.items()},
        "leakage": _leakage(scored),
        "ceiling": None,
        "floor": None,
        "chance": None,
    }


def _scored(name: str, result: Reconstruction, truth: Truth | None) -> Scored:
    figures: dict[str, float | None] = dict.fromkeys(("relative", "centred_relative", "rotation"))
    if truth is not None:
        figures = reconstruction_error(result, truth.records, truth.rotation)
    return {
        "name": name,
        **figures,
        "linkage": None,
        "interval": None,
        "diagnostics": dict(result.diagnostics),
    }


def _leakage(scored: Sequence[Scored]) -> dict[str, Any] | None:
    """Return the attack that came closest: a lower bound on what leaks, not a guarantee."""
    measured = [s for s in scored if s["centred_relative"] is not None]
    if not measured:
        return None
    worst = min(measured, key=lambda s: float(s["centred_relative"]))
    return {
        "attack": worst["name"],
        "centred_relative": worst["centred_relative"],
        "linkage": None,
        "interval": None,
    }
