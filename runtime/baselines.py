"""The same records under the other methods, so that a utility has something to stand beside.

Simulation only: it needs everybody's records in one place. The sessions are the real ones, in
this process and without files.
"""

from collections.abc import Iterator
from typing import Any

from collude.analyst.session import AnalystSession
from collude.common.errors import ColludeError
from collude.common.methods import traits_of
from collude.common.scenario import Scenario, with_overrides
from collude.runtime.federation import RecordFederation, prepare
from collude.runtime.inprocess import assemble, connect

BASELINES = ("local", "c-gdp", "i-gdp")
"""Nobody shares; all share one secret; all share, nothing aligned."""

NO_NOISE = ("mechanism.anchor_noise=0.0", "mechanism.private_noise=0.0")


def with_method(scenario: Scenario, method: str) -> Scenario:
    """Return the scenario under another method; noise that it does not use is left out.

    So is CoDef: what it costs is part of what is compared.
    """
    traits = traits_of(method)
    noises = zip((traits.anchor_noise, traits.private_noise), NO_NOISE, strict=True)
    silent = [override for applies, override in noises if not applies]
    return with_overrides(scenario, [f"mechanism.method={method}", "codef.enabled=false", *silent])


def baselines(federation: RecordFederation) -> dict[str, Any]:
    """Return the utility of each baseline method other than the run's own."""
    own = federation.scenario.mechanism.method
    return dict(_measured(federation, [m for m in BASELINES if m != own]))


def _measured(federation: RecordFederation, methods: list[str]) -> Iterator[tuple[str, Any]]:
    for method in methods:
        analyst = _simulated(federation, method)
        if analyst.counts is not None:
            yield method, analyst.counts.accuracy().as_json()


def _simulated(federation: RecordFederation, method: str) -> AnalystSession:
    other = prepare(with_method(federation.scenario, method), federation.dataset)
    sessions = assemble(other)
    connect([sessions.analyst, *sessions.participants.values()])
    error: ColludeError | None = sessions.analyst.error
    if error is not None:
        raise error
    return sessions.analyst
