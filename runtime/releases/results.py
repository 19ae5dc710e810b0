"""From what the parties of a release left behind to `results.json`."""

from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np

from collude.attacker.releases.campaign import Streams, posterior_by
from collude.attacker.releases.outcome import ATTACKS
from collude.attacker.releases.output import RecordedPeriod, read_releases
from collude.attacker.releases.scoring import Success, curve, success_of
from collude.codef.period.planned import settings_of
from collude.codef.policy import (
    PaperPolicy,
    PolicySettings,
    SuccessPolicy,
    noise_of,
    policy_of,
)
from collude.common.ids import ATTACKER, COORDINATOR
from collude.common.outcome import Outcome
from collude.common.transcript import transcript_digest
from collude.runtime.federation import ReleaseFederation
from collude.runtime.finish import entries, results_digest
from collude.runtime.releases.truth import persons_behind
from collude.runtime.rundir import RunDirectory

CURVE_POINTS = 40

Facts = dict[str, Any]


def collect_results(
    run: RunDirectory,
    federation: ReleaseFederation,
    left: Mapping[str, Outcome],
    seconds: float,
) -> Facts:
    """Return the content of `results.json`.

    Args:
        run: with transcripts, the querier's folder, and the truth in a simulation.
        federation: what ran.
        left: every party's outcome.
        seconds: wall time of the run.
    """
    scenario, coordinator = federation.scenario, left[COORDINATOR]
    results: Facts = {
        "scenario": scenario.scenario.name,
        "mode": scenario.scenario.mode,
        "seed": scenario.scenario.seed,
        "method": None,
        "transcript_digest": transcript_digest(entries(run, scenario)),
        "utility": None,
        "alignment": None,
        "attacks": None,
        "codef": codef_results(run, federation, coordinator),
    }
    results["results_digest"] = results_digest(results)
    results["training_device"] = None
    results["timings"] = {"total": seconds, **coordinator.rounds}
    results["warnings"] = [
        f"{party}: {warning}" for party, outcome in left.items() for warning in outcome.warnings
    ]
    return results


def codef_results(run: RunDirectory, federation: ReleaseFederation, coordinator: Outcome) -> Facts:
    """Return the `codef` part: each period's leases, answers and attacks, and who was lost."""
    settings = settings_of(federation.scenario)
    heard = {p.name: p for p in read_releases(run.party(ATTACKER) / ATTACKS) or ()}
    periods = coordinator.result["periods"]
    return {
        "persons": federation.scenario.codef.persons,
        "source": federation.scenario.data.source,
        "threshold": federation.scenario.threshold,
        "policies": [
            {
                **facts,
                **limit_of(numbers),
                **_heard(run, federation, (number, heard.get(f"{number}-{numbers.policy}"))),
            }
            for number, (facts, numbers) in enumerate(zip(periods, settings, strict=False))
        ],
        "left": coordinator.result["left"],
    }


def limit_of(settings: PolicySettings) -> Facts:
    """Return what a policy allows about one person: answers, or nats; what `paper` aims at.

    `thresholds` are of `paper`: at so many answers it leaves each level. `risk` is the scenario's
    `max_success`, whatever the policy, and `safe_at_risk` the answers at the first level after
    which nobody is named more often.
    """
    policy = policy_of(settings)
    limits: Facts = {
        "safe_slots": None,
        "max_success": None,
        "budget": _budget(settings),
        "thresholds": list(policy.thresholds) if isinstance(policy, PaperPolicy) else None,
        "risk": settings.max_success,
        "safe_at_risk": _safe_at_risk(settings, policy.levels[0]),
    }
    if isinstance(policy, SuccessPolicy):
        limits |= {"safe_slots": policy.slots, "max_success": settings.max_success}
    return limits


def _budget(settings: PolicySettings) -> float | None:
    known = {"information", "paper"}
    return settings.gamma * log(settings.persons) if settings.policy in known else None


def _safe_at_risk(settings: PolicySettings, epsilon: float) -> int | None:
    if settings.max_success < 1 / settings.persons:  # a guess alone succeeds more often
        return None
    return noise_of(settings).safe_count(settings.persons, epsilon, settings.max_success)


def _heard(
    run: RunDirectory, federation: ReleaseFederation, period: tuple[int, RecordedPeriod | None]
) -> Facts:
    number, recorded = period
    if recorded is None:
        return {"answers": None, "attacks": [], "impossible": {}, "curve": [], "overshoot": None}
    return {
        "answers": answers_of(recorded),
        **attacks_of(run, number, recorded, federation.entropy(ATTACKER).generator),
        "overshoot": overshoot_of(settings_of(federation.scenario)[number], recorded),
    }


def answers_of(recorded: RecordedPeriod) -> Facts:
    """Return how much was asked and answered: in all, by level, and about one person."""
    answers, levels = recorded.view.answers, recorded.view.knowledge.channel.levels
    about = np.bincount(answers.handle, minlength=len(recorded.view.handles))
    return {
        "asked": recorded.asked,
        "answered": len(answers),
        "by_level": np.bincount(answers.level, minlength=levels).tolist(),
        "per_target": _spread(about),
        "by_epoch": np.bincount(answers.epoch).tolist(),
        "unproved": len(recorded.notes),
    }


def attacks_of(run: RunDirectory, number: int, recorded: RecordedPeriod, rng: Streams) -> Facts:
    """Return how often each attack named the right person; nothing where nobody knows who is.

    Args:
        run: with the truth in a simulation.
        number: of the period.
        recorded: what was heard in it, and the attacks that could run.
        rng: the querier's streams, so that an attack says what it said.
    """
    truth = persons_behind(run, number, recorded.view.handles)
    found: Facts = {"attacks": [], "curve": []}
    found["impossible"] = {name: list(lacks) for name, lacks in recorded.impossible.items()}
    if truth is None:
        return found
    for attack in recorded.named:
        posterior = posterior_by(attack, recorded.view, rng, number)
        if not isinstance(posterior, tuple):
            success = success_of(recorded.view, posterior, truth)
            found["attacks"].append({"name": attack, **_facts(success)})
    found["curve"] = [_facts(each) for each in curve(recorded.view, truth, CURVE_POINTS)]
    return found


def overshoot_of(settings: PolicySettings, recorded: RecordedPeriod) -> Facts:
    """Return what was really released about persons, beside the limit: only a simulation's sum.

    Counted from the answers themselves, in the unit of the limit: answers for `success`, else
    nats. `persons_over` counts whose limit was exceeded.
    """
    answers, limit = recorded.view.answers, limit_of(settings)
    policy, noise = policy_of(settings), noise_of(settings)
    nats = np.array([noise.information(level) for level in policy.levels])
    weights = np.ones(len(answers)) if limit["safe_slots"] else nats[answers.level]
    spent = np.bincount(answers.handle, weights=weights, minlength=len(recorded.view.handles))
    most = limit["safe_slots"] or limit["budget"]
    slack = 1e-9  # sums of floats
    return {
        "unit": "answers" if limit["safe_slots"] else "nats",
        "limit": most,
        "spent": _spread(spent),
        "persons_over": None if most is None else int(np.count_nonzero(spent > most + slack)),
        "share_used": None if not most else float(spent.mean() / most),
    }


def _spread(values: Any) -> Facts:
    return {
        "least": float(values.min()),
        "mean": float(values.mean()),
        "most": float(values.max()),
    }


def _facts(success: Success) -> Facts:
    return {
        "success": success.rate,
        "interval": list(success.interval),
        "answers_per_target": success.answers,
        "targets": success.targets,
        "exact": success.exact,
        "guaranteed": success.guarantee,
    }
