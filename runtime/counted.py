"""What CoDef did for a run that shares records: the `codef` part of `results.json`."""

from collections.abc import Mapping
from typing import Any

from collude.common.ids import COORDINATOR
from collude.common.outcome import Outcome
from collude.common.scenario import Scenario
from collude.participant.outcome import UPLOAD
from collude.participant.r2_count import rule_of


def counted_results(scenario: Scenario, left: Mapping[str, Outcome]) -> dict[str, Any] | None:
    """Return the levels and the noise of each upload; None where CoDef set none.

    Args:
        scenario: what ran.
        left: every party's outcome.
    """
    rule = rule_of(scenario)
    if rule is None:
        return None
    coordinator = left[COORDINATOR].result
    bounded, upload = rule.bounded, rule.upload
    return {
        "policy": scenario.codef.policy,
        "persons": rule.persons,
        "levels": list(rule.levels),
        "guarantee": rule.guarantee,
        "heuristic": not bounded,
        "nats_in_all": upload.total if bounded else None,
        "guaranteed_success": upload.success if bounded else None,
        "uploads": [
            {"party": name, **left[name].result[UPLOAD]}
            for name in scenario.participants
            if name in left and UPLOAD in left[name].result
        ],
        "periods": coordinator.get("periods", []),
        "left": coordinator.get("left", {}),
    }
