"""Attacking what a recorded release left behind, by other attacks than it was attacked by."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from collude.attacker.releases.campaign import posterior_by
from collude.attacker.releases.outcome import ATTACKS
from collude.attacker.releases.output import RecordedPeriod, named_by, read_releases
from collude.common.errors import RunDirectoryInvalid
from collude.common.ids import ATTACKER
from collude.common.randomness import Entropy, party_seed
from collude.common.scenario import Scenario
from collude.runtime.releases.results import attacks_of
from collude.runtime.rundir import RunDirectory


def attack_recorded(
    run: RunDirectory, scenario: Scenario, attacks: Sequence[str]
) -> list[dict[str, Any]]:
    """Return, period by period, how often each attack names the right person.

    The same run and attacks give the same figures: the streams are those of the run's querier.

    Args:
        run: of a release.
        scenario: as it ran.
        attacks: names; empty for the scenario's.

    Raises:
        RunDirectoryInvalid: nothing was heard, or it cannot be read.
        PluginUnknown: there is no such attack on answers.
    """
    periods = read_releases(run.party(ATTACKER) / ATTACKS)
    if not periods:
        raise RunDirectoryInvalid(
            "nobody was asked, so there is nothing to attack", field=str(run.root)
        )
    entropy, found = _entropy(scenario), []
    for period in periods:
        number = int(period.name.partition("-")[0])
        tried = _tried(period, attacks or scenario.collusion.attacks, entropy, number)
        policy = scenario.codef.periods[number]
        scored = attacks_of(run, number, tried, entropy.generator)
        found.append({"policy": policy, **scored})
    return found


def _tried(
    period: RecordedPeriod, attacks: Sequence[str], entropy: Entropy, number: int
) -> RecordedPeriod:
    named, impossible = {}, {}
    for attack in attacks:
        posterior = posterior_by(attack, period.view, entropy.generator, number)
        if isinstance(posterior, tuple):
            impossible[attack] = posterior
        else:
            named[attack] = named_by(posterior)
    return replace(period, named=named, impossible=impossible)


def _entropy(scenario: Scenario) -> Entropy:
    seed = scenario.scenario.seed
    if seed is None:
        return Entropy.from_system()
    return Entropy(party_seed(seed, ATTACKER), simulated=True)
