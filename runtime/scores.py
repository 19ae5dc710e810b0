"""How close the attacks came, as it stands in `results.json`. Reads the truth; parties never do."""

from collections.abc import Mapping, Sequence
from typing import Any

from collude.attacker.attacks import Reconstruction
from collude.attacker.campaign import Campaign
from collude.attacker.scoring import reconstruction_error
from collude.common.geometry.arrays import FloatArray
from collude.runtime.judge import Judge
from collude.runtime.rundir import Truth

Scored = dict[str, Any]


def score(campaign: Campaign, truth: Truth | None, judge: Judge | None = None) -> dict[str, Any]:
    """Return the `attacks` part of the results.

    Args:
        campaign: what the attacks arrived at.
        truth: the target's; None in a deployment, where nothing can be scored.
        judge: of linkage, over all participants that were attacked; None where there are no
            people, or nobody knows who they are.
    """
    scored = [
        _scored(name, result, truth) | _linkage(judge, _records(campaign, name))
        for name, result in campaign.results.items()
    ]
    return {
        "target": campaign.target,
        "colluders": list(campaign.colluders),
        "attacks": scored,
        "impossible": {name: list(lacks) for name, lacks in campaign.impossible.items()},
        "leakage": _leakage(scored),
        **_bounds(campaign, judge),
    }


def _scored(name: str, result: Reconstruction, truth: Truth | None) -> Scored:
    figures: dict[str, float | None] = dict.fromkeys(("relative", "centred_relative", "rotation"))
    if truth is not None:
        figures = reconstruction_error(result, truth.records, truth.rotation)
    return {
        "name": name,
        **figures,
        "diagnostics": dict(result.diagnostics),
    }


def _records(campaign: Campaign, attack: str) -> dict[str, FloatArray]:
    """Return what an attack made of each participant that it was tried on."""
    others = {p: made[attack] for p, made in campaign.others.items() if attack in made}
    return {campaign.target: campaign.results[attack].records, **others}


def _linkage(judge: Judge | None, records: Mapping[str, FloatArray]) -> Scored:
    if judge is None:
        return dict.fromkeys(("linkage", "interval", "nway", "auc"))
    found = judge.linkage(records)
    return {"linkage": found.pop("rank1"), **found}


def _bounds(campaign: Campaign, judge: Judge | None) -> dict[str, Any]:
    """Return what a linkage has to be compared with, and who judged."""
    if judge is None or not campaign.results:
        return dict.fromkeys(("ceiling", "floor", "chance", "controls", "auditor"))
    records = _records(campaign, next(iter(campaign.results)))
    controls = judge.controls(records)
    return {
        "ceiling": controls["clean"]["rank1"],
        "floor": controls["shuffled"]["rank1"],
        "chance": judge.chance,
        "controls": controls,
        "auditor": judge.facts(records),
    }


def _leakage(scored: Sequence[Scored]) -> dict[str, Any] | None:
    """Return the attack that came closest: a lower bound on what leaks, not a guarantee.

    That is the one of the highest linkage, else of the smallest centred error.
    """
    measured = [s for s in scored if s["centred_relative"] is not None]
    if not measured:
        return None
    worst = min(measured, key=lambda s: (-(s["linkage"] or 0.0), float(s["centred_relative"])))
    return {
        "attack": worst["name"],
        "centred_relative": worst["centred_relative"],
        "linkage": worst["linkage"],
        "interval": worst["interval"],
    }
