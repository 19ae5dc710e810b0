"""The checks that reach across `[codef]`, `[faults]` and the other sections."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from itertools import pairwise
from math import ceil, log
from types import MappingProxyType
from typing import TYPE_CHECKING

from collude.common import plugins
from collude.common.errors import ScenarioInvalid
from collude.common.ids import COORDINATOR, Round
from collude.common.protocol.codef_rounds import AGGREGATION, EPOCH, SETUP
from collude.common.scenario.codef_sections import FEWEST_SILOS, RELEASE_SOURCES, Codef

if TYPE_CHECKING:
    from collude.common.scenario.model import Scenario

MODULUS_BITS = 32
"""Counts are summed modulo 2 to this power; no true sum may reach it."""

MOST_PERSONS, MOST_QUESTIONS = 200_000, 40_000
"""What fits into one message of 1 MiB: masked counts of 4 bytes a person; questions of 24 bytes,
all persons' attributes at one silo in one query."""

BOUNDED = frozenset({"information", "success"})
"""Policies that promise a bound."""

_LEVELS: Mapping[str, Callable[[Codef], tuple[float, ...]]] = MappingProxyType({
    "paper": lambda codef: (codef.epsilon, codef.epsilon_after),
    "information": lambda codef: codef.epsilon_grid,
    "success": lambda codef: (codef.epsilon,),
})
"""Built-in policy -> the levels that it may grant."""

SILO_ROUNDS = (*SETUP, Round.CODEF_ADAPT, *EPOCH)
COORDINATOR_ROUNDS = (*SETUP, Round.CODEF_COMMIT, Round.CODEF_HEAD, *AGGREGATION)
"""The rounds in which each stands, where persons are asked about."""


def check_codef(scenario: "Scenario") -> None:
    """Do nothing if CoDef can run as the scenario says.

    Raises:
        ScenarioInvalid: it cannot; the field is named.
    """
    source, codef = scenario.data.source, scenario.codef
    if source in RELEASE_SOURCES and not codef.enabled:
        raise ScenarioInvalid(
            "persons are asked about under CoDef only",
            field="codef.enabled",
            expected=f'true where data.source = "{source}"',
            got="false",
        )
    if not codef.enabled:
        return
    for check in _ALWAYS:
        check(scenario)
    for check in _RELEASES if scenario.releases else _UPLOADS:
        check(scenario)


def check_faults(scenario: "Scenario") -> None:
    """Do nothing if the faults name parties and rounds of a simulation.

    Raises:
        ScenarioInvalid: they do not.
    """
    faults, parties = scenario.faults, (*scenario.participants, *_coordinator(scenario))
    if (faults.crash or faults.deviator) and not scenario.simulated:
        raise ScenarioInvalid(
            "nothing goes wrong on purpose in deployment mode", field="faults", expected="none"
        )
    for field, named in (("crash", faults.crash), ("deviator", faults.deviator)):
        for party in named:
            if party not in parties:
                raise ScenarioInvalid(
                    "there is no such party to fail",
                    field=f"faults.{field}.{party}",
                    expected=f"participant-0 to {scenario.participants[-1]}"
                    + (f", or {COORDINATOR}" if scenario.codef.enabled else ""),
                    got=party,
                )
    for party, where in faults.crash.items():
        _check_crash(scenario, party, where)


def _check_crash(scenario: "Scenario", party: str, where: str) -> None:
    """Do nothing if a party comes to where it is to fall silent: else nothing would go wrong.

    Raises:
        ScenarioInvalid: it does not.
    """
    rounds = [each.value for each in (COORDINATOR_ROUNDS if party == COORDINATOR else SILO_ROUNDS)]
    name, colon, visit = where.partition(":")
    periods = len(scenario.codef.periods)
    visits = periods if name in SETUP else periods * scenario.codef.epochs
    counted = not colon or (visit.isdecimal() and 0 < int(visit) <= visits)
    if name in rounds and counted:
        return
    close = get_close_matches(name, rounds, n=1)
    raise ScenarioInvalid(
        "it never comes to such a round" if name in rounds else "it has no such round",
        field=f"faults.crash.{party}",
        expected=f"{name}, or {name}:2 for the second time, at most {visits}"
        if name in rounds
        else f"one of {', '.join(rounds)}",
        got=repr(where),
        hint=f"Did you mean {close[0]!r}?" if close and close[0] != name else None,
    )


def _coordinator(scenario: "Scenario") -> tuple[str, ...]:
    return (COORDINATOR,) if scenario.codef.enabled else ()


def _check_policies(scenario: "Scenario") -> None:
    known = sorted({*_LEVELS, *plugins.registered(plugins.POLICIES)})
    for name in scenario.codef.periods:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            raise ScenarioInvalid(
                "no policy is registered under this name",
                field="codef.policy" if scenario.codef.policies is None else "codef.policies",
                expected=" or ".join(known),
                got=repr(name),
                hint=f"Did you mean {close[0]!r}?" if close else None,
            )


def _check_silos(scenario: "Scenario") -> None:
    codef, silos = scenario.codef, scenario.data.participants
    if codef.silos not in {None, silos}:
        raise ScenarioInvalid(
            "the silos are the participants, and the two numbers differ",
            field="codef.silos",
            expected=f"{silos}, as data.participants, or not given",
            got=codef.silos,
        )
    if silos < FEWEST_SILOS:
        raise ScenarioInvalid(
            "CoDef needs more silos: a sum over two tells each the other's",
            field="codef.silos" if codef.silos else "data.participants",
            expected=f"at least {FEWEST_SILOS}",
            got=silos,
        )
    if codef.min_silos > silos:
        raise ScenarioInvalid(
            "a sum can never have so many silos",
            field="codef.min_silos",
            expected=f"{FEWEST_SILOS} to {silos}",
            got=codef.min_silos,
        )


def _check_threshold(scenario: "Scenario") -> None:
    silos = scenario.data.participants
    threshold, majority = scenario.codef.threshold_of(silos), silos // 2 + 1
    if not majority <= threshold <= silos:
        raise ScenarioInvalid(
            "with this threshold the silos' counts can be unmasked one by one, or never",
            field="codef.threshold",
            expected=f"{majority} (a majority) to {silos}",
            got=threshold,
            hint="Leave it out: the default withstands a bad coordinator and a third of the silos",
        )


def _check_levels(scenario: "Scenario") -> None:
    codef = scenario.codef
    if "paper" in codef.periods and codef.epsilon_after >= codef.epsilon:
        raise ScenarioInvalid(
            "the switch must go to a noisier level",
            field="codef.epsilon_after",
            expected=f"under {codef.epsilon:g} (codef.epsilon)",
            got=codef.epsilon_after,
        )
    grid = codef.epsilon_grid
    if any(later >= earlier for earlier, later in pairwise(grid)):
        raise ScenarioInvalid(
            "the levels must fall",
            field="codef.epsilon_grid",
            expected="each under the one before",
            got=", ".join(f"{level:g}" for level in grid),
        )


def _check_success(scenario: "Scenario") -> None:
    codef = scenario.codef
    if "success" in codef.periods and codef.max_success < 1 / codef.persons:
        raise ScenarioInvalid(
            "guessing at random already succeeds more often",
            field="codef.max_success",
            expected=f"at least {1 / codef.persons:g} (1/persons)",
            got=codef.max_success,
        )


def _check_capacity(scenario: "Scenario") -> None:
    codef, silos = scenario.codef, scenario.data.participants
    cap = ceil(codef.gamma * log(codef.persons) / codef.unit)
    if "information" in codef.periods and silos * cap >= 2**MODULUS_BITS:
        raise ScenarioInvalid(
            "a sum of counts would not fit its modulus",
            field="codef.unit",
            expected=f"K * ceil(gamma ln n / unit) under 2^{MODULUS_BITS}",
            got=f"{silos} * {cap}",
            hint="Choose a coarser unit",
        )


def _check_persons(scenario: "Scenario") -> None:
    codef = scenario.codef
    if codef.persons > MOST_PERSONS:
        raise ScenarioInvalid(
            "the counts of so many persons do not fit into one message",
            field="codef.persons",
            expected=f"at most {MOST_PERSONS}",
            got=codef.persons,
        )


def _check_questions(scenario: "Scenario") -> None:
    codef = scenario.codef
    if codef.persons * codef.attributes > MOST_QUESTIONS:
        raise ScenarioInvalid(
            "the questions to one silo do not fit into one message",
            field="codef.persons",
            expected=f"persons times attributes of at most {MOST_QUESTIONS}",
            got=f"{codef.persons} times {codef.attributes}",
        )


def _check_pairs(scenario: "Scenario") -> None:
    if scenario.data.source == "xor-persons" and scenario.data.participants % 2:
        raise ScenarioInvalid(
            "silos that share a secret come in pairs",
            field="data.participants",
            expected="an even number",
            got=scenario.data.participants,
        )


def _check_nobody_colludes(scenario: "Scenario") -> None:
    if scenario.collusion.colluders:
        raise ScenarioInvalid(
            "where persons are asked about, no silo discloses records",
            field="collusion.colluders",
            expected="none",
            got=", ".join(scenario.collusion.colluders),
            hint="Silos that break the protocol are named in [faults] deviator",
        )


def _check_noisy_method(scenario: "Scenario") -> None:
    traits = scenario.mechanism.traits
    if not (traits.private_noise or traits.anchor_noise):
        raise ScenarioInvalid(
            f"the method {scenario.mechanism.method} adds no noise, so CoDef has nothing to set",
            field="mechanism.method",
            expected="a method with noise, such as c-gdp-noise, aa-gdp-noise or naa-gdp",
            got=scenario.mechanism.method,
        )
    for name in ("private_noise", "anchor_noise", "anchor_noise_s"):
        if getattr(scenario.mechanism, name):
            raise ScenarioInvalid(
                "CoDef sets the noise of each participant",
                field=f"mechanism.{name}",
                expected="0, or not given",
                got=getattr(scenario.mechanism, name),
            )


def _check_one_period(scenario: "Scenario") -> None:
    if len(scenario.codef.periods) > 1:
        raise ScenarioInvalid(
            "an upload has one period before it",
            field="codef.policies",
            expected="one policy",
            got=", ".join(scenario.codef.periods),
        )


def _check_heuristic(scenario: "Scenario") -> None:
    """Do nothing unless a method whose noise bounds no information runs under CoDef.

    The upload itself is then free of noise, so no noise on the anchor bounds what it tells.

    Raises:
        ScenarioInvalid: its policy promises a bound, or a level lacks its noise.
    """
    codef, traits = scenario.codef, scenario.mechanism.traits
    if traits.private_noise:
        return
    promised = BOUNDED & set(codef.periods)
    if promised and not codef.allow_unbounded:
        raise ScenarioInvalid(
            f"{scenario.mechanism.method} uploads records without noise, so no noise on the "
            "anchor keeps what the policy promises",
            field="codef.policy",
            expected='"paper", or codef.allow_unbounded = true: heuristic, no guarantee',
            got=" and ".join(sorted(promised)),
        )
    levels = [level for level, _ in codef.noise_table]
    wanted = {lv for name in codef.periods if name in _LEVELS for lv in _LEVELS[name](codef)}
    if not levels or len(set(levels)) < len(levels) or wanted - set(levels):
        raise ScenarioInvalid(
            "each level needs one anchor noise v: heuristic, no guarantee",
            field="codef.noise_table",
            expected="one [level, v] for each of "
            + ", ".join(f"{level:g}" for level in sorted(wanted, reverse=True)),
            got=", ".join(f"{level:g}" for level in levels) or "none",
        )


_ALWAYS = (
    _check_policies,
    _check_silos,
    _check_persons,
    _check_threshold,
    _check_levels,
    _check_success,
    _check_capacity,
)
_RELEASES = (_check_questions, _check_pairs, _check_nobody_colludes)
_UPLOADS = (_check_noisy_method, _check_one_period, _check_heuristic)
