"""From what the parties left behind to `results.json`: digest, truth, scores, utility."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from collude.attacker.output import read_campaign, write_campaign
from collude.common.data.split import uploaded_identities
from collude.common.evaluation import ConfusionCounts
from collude.common.ids import ANALYST, ATTACKER, COORDINATOR
from collude.common.outcome import Outcome, read_outcome
from collude.common.scenario import Scenario
from collude.common.transcript import Entry, read_transcript, transcript_digest
from collude.participant.files import DISCLOSABLE, EVERYTHING, read_disclosable
from collude.runtime.counted import counted_results
from collude.runtime.federation import RecordFederation
from collude.runtime.judge import Judge, check_auditor
from collude.runtime.roll import roll_of, write_roll
from collude.runtime.rundir import RunDirectory, Truth
from collude.runtime.scores import score

DIGITS = 6
"""Significant digits of a figure in `results_digest`: kernels differ in the last ones."""


def entries(run: RunDirectory, scenario: Scenario) -> list[Entry]:
    """Return the transcript lines of all parties."""
    return [
        entry for party in talkers(scenario) for entry in read_transcript(run.transcripts, party)
    ]


def talkers(scenario: Scenario) -> tuple[str, ...]:
    """Return who has a transcript: everybody who receives messages of the protocol."""
    counted = (COORDINATOR,) if scenario.codef.enabled else ()
    others = (ATTACKER,) if scenario.releases else (ANALYST,)
    return (*scenario.participants, *others, *counted)


def outcomes(run: RunDirectory, scenario: Scenario) -> dict[str, Outcome | None]:
    """Return what each party that took part left; None for one that left nothing."""
    attacked = scenario.releases or scenario.mechanism.traits.uploads
    attacker = (ATTACKER,) if scenario.collusion.attacks and attacked else ()
    analyst = () if scenario.releases else (ANALYST,)
    counted = (COORDINATOR,) if scenario.codef.enabled else ()
    parties = (*analyst, *counted, *scenario.participants, *attacker)
    return {party: read_outcome(run.party(party)) for party in parties}


def write_truths(run: RunDirectory, federation: RecordFederation) -> None:
    """Write what each participant really holds, for scoring."""
    people = federation.dataset.people
    who = {} if people is None else uploaded_identities(people, federation.scenario)
    for name, share in federation.shares.items():
        folder, rotation, translation = run.party(name), None, None
        if (folder / DISCLOSABLE).exists():
            told = read_disclosable(folder, name, EVERYTHING)
            rotation, translation = told.rotation, told.translation
        run.write_truth(name, Truth(share.records, rotation, translation, who.get(name)))
    roll = roll_of(federation.dataset, federation.scenario)
    if roll is not None:
        write_roll(run, roll)


def collect_results(
    run: RunDirectory,
    federation: RecordFederation,
    left: Mapping[str, Outcome],
    baselines: Mapping[str, Any],
    seconds: float,
) -> dict[str, Any]:
    """Return the content of `results.json`.

    Args:
        run: with transcripts, the attacker's folder, and the truth in a simulation.
        federation: what ran.
        left: every party's outcome.
        baselines: method -> utility.
        seconds: wall time of the run.
    """
    scenario = federation.scenario
    results: dict[str, Any] = {
        "scenario": scenario.scenario.name,
        "mode": scenario.scenario.mode,
        "seed": scenario.scenario.seed,
        "method": scenario.mechanism.method,
        "transcript_digest": transcript_digest(entries(run, scenario)),
        "utility": _utility(left[ANALYST], baselines),
        "alignment": left[ANALYST].result.get("alignment"),
        "attacks": _attacks(run, scenario),
        "codef": counted_results(scenario, left),
    }
    results["results_digest"] = results_digest(_without_weights(results))
    results["training_device"] = left[ANALYST].result.get("training_device")
    results["timings"] = {"total": seconds, **left[ANALYST].rounds}
    results["warnings"] = [
        f"{party}: {warning}" for party, outcome in left.items() for warning in outcome.warnings
    ]
    lacking = check_auditor(scenario, federation.dataset) if scenario.simulated else None
    results["warnings"] += [f"auditor: {lacking}"] if lacking else []
    return results


def _utility(analyst: Outcome, baselines: Mapping[str, Any]) -> dict[str, Any] | None:
    found = analyst.result.get("counts")
    if found is None:
        return None
    counts = ConfusionCounts(
        np.array(found["classes"], dtype=np.int64), np.array(found["counts"], dtype=np.int64)
    )
    return {
        **counts.accuracy().as_json(),
        "balanced_accuracy": counts.balanced_accuracy().as_json(),
        "baselines": dict(baselines),
    }


def _attacks(run: RunDirectory, scenario: Scenario) -> dict[str, Any] | None:
    campaign = read_campaign(run.party(ATTACKER) / "attacks")
    if campaign is None:
        return None
    write_campaign(run.root / "attacks", replace(campaign, others={}))
    truth = run.truth(campaign.target) if scenario.simulated else None
    return score(campaign, truth, Judge.of(run, scenario))


def _without_weights(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results without the hash of the auditor's weights: their last digits may vary."""
    attacks = results["attacks"]
    if not attacks or not attacks["auditor"]:
        return dict(results)
    auditor = {key: fact for key, fact in attacks["auditor"].items() if key != "sha256"}
    return {**results, "attacks": {**attacks, "auditor": auditor}}


def results_digest(results: Mapping[str, Any]) -> str:
    """Return SHA-256 over the results as canonical JSON, figures rounded to six digits."""
    text = json.dumps(_rounded(results), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _rounded(value: Any) -> Any:  # JSON has no single static type
    if isinstance(value, float):
        return float(f"{value:.{DIGITS - 1}e}")
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
