"""Parties that break CoDef on purpose: plug-ins of the group `collude.deviators`, by name.

Each says in its docstring what stops it, with the named error, or what its damage is; the tests
in tests/adversary/codef show it, and docs/threat-model.md lists all of them.
"""

from typing import cast

import numpy as np

from collude.common import plugins
from collude.common.errors import ScenarioInvalid
from collude.common.ids import role_of
from collude.runtime.deviators.base import Deviator, Session

__all__ = ["Deviator", "Session", "deviating"]


def deviating(endpoint: Session, name: str, rng: np.random.Generator) -> Deviator:
    """Return a party that keeps to the protocol but for one registered deviation.

    Args:
        endpoint: the honest session, not started; its state and its error stay readable there.
        name: of the deviation.
        rng: chooses whom it harms, and when.

    Raises:
        PluginUnknown: no such deviation.
        PluginInvalid: it cannot be imported.
        ScenarioInvalid: it is for the other role.
    """
    kind = cast("type[Deviator]", plugins.find(plugins.DEVIATORS, name))
    role = role_of(endpoint.name)
    if role is not kind.role:
        raise ScenarioInvalid(
            f"the deviation {name} is for another role",
            field=f"faults.deviator.{endpoint.name}",
            expected=f"a {kind.role}",
            got=f"a {role}",
        )
    return kind(endpoint, rng)
