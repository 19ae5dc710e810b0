"""Policies by name: the entry points of the group `collude.policies`."""

from itertools import pairwise
from typing import Protocol, cast

from collude.codef.numeric.checks import refuse
from collude.codef.policy.grant import ReleasePolicy
from collude.codef.policy.settings import PolicySettings
from collude.common import plugins
from collude.common.errors import PluginInvalid

_PARTS = (
    *("name", "levels", "leased", "unit", "cap", "guarantee"),
    *("charge", "charge_of_lease", "grant"),
)
"""What every policy has: see `ReleasePolicy`."""


class PolicyFactory(Protocol):
    """What an entry point of the group `collude.policies` must be."""

    def __call__(self, settings: PolicySettings) -> ReleasePolicy:
        """Return the policy; refuse numbers under which it could not keep what it promises."""
        ...


def policy_of(settings: PolicySettings) -> ReleasePolicy:
    """Return the registered policy with these numbers.

    Raises:
        PluginUnknown: no such policy.
        PluginInvalid: what is registered makes no policy.
        ParameterInvalid: a number is out of range, or the silos' counts could wrap in the sum.
    """
    factory = cast("PolicyFactory", plugins.find(plugins.POLICIES, settings.policy))
    policy = factory(settings)
    _check(policy, settings.policy)
    if settings.silos * policy.cap >= 1 << settings.bits:
        refuse(
            "unit",
            f"so large that {settings.silos} silos' counts of {policy.cap} stay below "
            f"2^{settings.bits}",
            settings.unit,
            "raise codef.unit",
        )
    return policy


def _check(policy: ReleasePolicy, name: str) -> None:
    """Refuse what is no policy, and what the wire cannot carry.

    Raises:
        PluginInvalid: something is missing, the levels do not descend, or nothing can be counted.
    """
    lacks = [part for part in _PARTS if not hasattr(policy, part)]
    if lacks:
        raise PluginInvalid(
            f"what is registered as {name} is no policy",
            field=plugins.POLICIES,
            expected=", ".join(_PARTS),
            got=f"one without {', '.join(lacks)}",
        )
    levels = policy.levels
    falls = all(first > second for first, second in pairwise(levels))
    if not levels or not falls or min(levels) <= 0 or policy.cap < 1:
        raise PluginInvalid(
            f"the policy {name} needs one level or more, descending and above 0, and a cap of "
            "1 or more",
            field=plugins.POLICIES,
            got=f"levels {levels}, cap {policy.cap}",
        )
