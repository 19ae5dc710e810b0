"""A coalition's view out of a recorded run: transcripts, and what colluders kept."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from collude.attacker.assemble import build_view
from collude.attacker.campaign import Campaign, run_attacks
from collude.attacker.public import FILE, read_public
from collude.attacker.view import CollusionView
from collude.common.errors import (
    DataUnavailable,
    DisclosureRefused,
    RunDirectoryInvalid,
    WireInvalid,
)
from collude.common.ids import ANALYST, ATTACKER, Round
from collude.common.outcome import read_outcome
from collude.common.protocol.codec import decode_message
from collude.common.protocol.messages import (
    AnalystDisclosure,
    ColluderDisclosure,
    NamedUpload,
    Upload,
)
from collude.common.randomness import Entropy, party_seed
from collude.common.scenario import Scenario, build_scenario
from collude.common.threads import one_blas_thread
from collude.common.transcript import read_parcels
from collude.participant.disclose import Teller
from collude.participant.files import read_disclosable
from collude.runtime.judge import Judge
from collude.runtime.rundir import RunDirectory, Truth
from collude.runtime.scores import score


def recorded_scenario(run: RunDirectory) -> Scenario:
    """Return the scenario of a recorded run.

    Raises:
        RunDirectoryInvalid: the manifest cannot be read.
        ScenarioInvalid: it holds no usable scenario.
    """
    document = run.manifest().get("scenario")
    if not isinstance(document, Mapping):
        raise RunDirectoryInvalid("the manifest holds no scenario", field=str(run.root))
    known = {
        section: {k: v for k, v in values.items() if v is not None}
        for section, values in document.items()
    }
    return build_scenario(known, origin=str(run.root / "manifest.json"))


def recorded_view(run: RunDirectory, scenario: Scenario, colluders: Sequence[str]) -> CollusionView:
    """Return what the analyst and `colluders` of a recorded run hold together.

    Raises:
        RunDirectoryInvalid: the transcripts cannot be read.
        DisclosureRefused: a colluder is no participant, or left nothing to disclose.
    """
    analyst = _uploads(run, scenario)
    told = {name: _disclosed(run, scenario, name) for name in colluders}
    return build_view(analyst, told, read_public(run.root / FILE))


def _accepted(run: RunDirectory) -> dict[str, Upload]:
    """Return the upload of each participant that the analyst took: it noted the refused ones too.

    Where the run was cut short before the analyst could say which, it is the first that is one.
    """
    outcome = read_outcome(run.party(ANALYST))
    taken = None if outcome is None else outcome.result.get("uploads")
    found: dict[str, Upload] = {}
    for parcel in read_parcels(run.transcripts, ANALYST):
        if parcel.round != Round.UPLOAD or parcel.sender in found:
            continue
        if taken is None or taken.get(parcel.sender) == parcel.digest().hex():
            with suppress(WireInvalid):
                message = decode_message(parcel.body, parcel.sender)
                found |= {parcel.sender: message} if isinstance(message, Upload) else {}
    return found


def _uploads(run: RunDirectory, scenario: Scenario) -> AnalystDisclosure:
    uploads = _accepted(run)
    if not uploads:
        raise RunDirectoryInvalid(
            "the run holds no upload, so there is nothing to attack",
            field=str(run.transcripts),
            hint="Methods without upload, and runs that ended before it, cannot be attacked.",
        )
    width = next(iter(uploads.values())).private.shape[1]
    mechanism = scenario.mechanism.resolve(width)
    return AnalystDisclosure(
        method=mechanism.method,
        anchor_noise=mechanism.anchor_noise,
        private_noise=mechanism.private_noise,
        width=width,
        anchor_rows=mechanism.anchor_rows or 0,
        uploads=tuple(NamedUpload.of(name, u) for name, u in sorted(uploads.items())),
    )


def _disclosed(run: RunDirectory, scenario: Scenario, name: str) -> ColluderDisclosure:
    if name not in scenario.participants:
        raise DisclosureRefused(
            "only a participant can collude with the analyst",
            party=name,
            field="--colluder",
            expected=" or ".join(scenario.participants),
        )
    try:
        true = read_disclosable(run.party(name), name, scenario.collusion.disclose)
    except DataUnavailable as error:
        raise DisclosureRefused(
            "the run left nothing that this party could disclose",
            party=name,
            field=error.field,
            hint="A deployment never does; in a simulation the run ended before the upload.",
        ) from error
    return Teller(scenario.collusion.colluder, _entropy(scenario, name)).told(true)


def attack_recorded(
    run: RunDirectory, colluders: Sequence[str] | None, attacks: Sequence[str], target: str | None
) -> tuple[Campaign, dict[str, Any]]:
    """Attack a recorded run; return the campaign and the `attacks` part of results.

    The same run, coalition and attacks give the same reconstructions: the random streams are
    those of the run's attacker. The truth is read only to score them, after the attack.

    Args:
        run: of a run, not of a demo.
        colluders: participants; None for the scenario's, empty for the analyst alone.
        attacks: names; empty for the scenario's.
        target: a participant, or None for the scenario's.

    Raises:
        RunDirectoryInvalid: the run cannot be read.
        DisclosureRefused: a colluder has nothing to disclose.
        PluginUnknown: there is no such attack.
        AttackImpossible: the target uploaded nothing.
    """
    scenario = recorded_scenario(run)
    view = recorded_view(
        run, scenario, scenario.collusion.colluders if colluders is None else colluders
    )
    with one_blas_thread():
        campaign = run_attacks(
            view,
            attacks or scenario.collusion.attacks,
            target or scenario.target,
            _entropy(scenario, ATTACKER).generator,
            everyone=scenario.auditor.everyone,
        )
        truth = _truth(run, scenario, campaign.target)
        return campaign, score(campaign, truth, Judge.of(run, scenario) if truth else None)


def _truth(run: RunDirectory, scenario: Scenario, target: str) -> Truth | None:
    """Return what the target holds; None in a deployment, and after a run that was cut short."""
    written = (run.root / "truth" / f"{target}.npz").exists()
    return run.truth(target) if scenario.simulated and written else None


def _entropy(scenario: Scenario, party: str) -> Entropy:
    seed = scenario.scenario.seed
    if seed is None:
        return Entropy.from_system()
    return Entropy(party_seed(seed, party), simulated=True)
