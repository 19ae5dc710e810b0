"""Parties that break CoDef on purpose: plug-ins of the group `collude.deviators`, by name.

Each says in its docstring what stops it, with the named error, or what its damage is; the tests
in tests/adversary/codef show it, and docs/threat-model.md lists all of them.
"""

from typing import cast

import numpy as np

from collude.common import plugins
from collude.common.errors import PluginInvalid, ScenarioInvalid
from collude.common.ids import role_of
from collude.runtime.deviators.base import Deviator, Session

__all__ = ["Deviator", "Session", "deviating", "deviation_of"]


def deviating(endpoint: Session, name: str, rng: np.random.Generator) -> Deviator:
    """Return a party that keeps to the protocol but for one registered deviation.

    Args:
        endpoint: the honest session, not started; its state and its error stay readable there.
        name: of the deviation.
        rng: chooses whom it harms, and when.

    Raises:
        PluginUnknown: no such deviation.
        PluginInvalid: it cannot be imported, or is no deviation.
        ScenarioInvalid: it is for the other role.
    """
    return deviation_of(endpoint.name, name)(endpoint, rng)


def deviation_of(party: str, name: str) -> type[Deviator]:
    """Return the class that makes a party deviate.

    Raises:
        PluginUnknown: no such deviation.
        PluginInvalid: it cannot be imported, or is no deviation.
        ScenarioInvalid: it is for the other role.
    """
    kind = cast("type[Deviator]", plugins.find(plugins.DEVIATORS, name))
    if not (isinstance(kind, type) and issubclass(kind, Deviator) and hasattr(kind, "role")):
        raise PluginInvalid(
            f"what is registered as {name} is no deviation",
            field=plugins.DEVIATORS,
            expected="a subclass of Deviator with a role",
        )
    role = role_of(party)
    if role is not kind.role:
        raise ScenarioInvalid(
            f"the deviation {name} is for another role",
            field=f"faults.deviator.{party}",
            expected=f"a {kind.role}",
            got=f"a {role}",
        )
    return kind
