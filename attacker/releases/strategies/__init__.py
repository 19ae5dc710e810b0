"""What to ask next, one strategy a file.

A scenario names one of these, or a registered release attack that brings its own: whoever writes
a strategy registers it as the `strategy` of an attack.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from collude.attacker.attacks import release_registry
from collude.attacker.releases.base import ReleaseAttack
from collude.attacker.releases.strategies.base import Questions, Strategy, Turn
from collude.attacker.releases.strategies.everybody import Everybody
from collude.attacker.releases.strategies.greedy_adaptive import GreedyAdaptive
from collude.attacker.releases.strategies.pairs import Pairs
from collude.common.errors import PluginUnknown

__all__ = ["STRATEGIES", "Questions", "Strategy", "Turn", "strategy_named", "strategy_of"]

STRATEGIES: Mapping[str, Callable[[], Strategy]] = MappingProxyType({
    Everybody.name: Everybody,
    GreedyAdaptive.name: GreedyAdaptive,
    Pairs.name: Pairs,
})


def strategy_of(attack: ReleaseAttack) -> Strategy:
    """Return a new strategy of the kind that an attack asks for; else `everybody`."""
    made: Callable[[], Strategy] = getattr(attack, "strategy", Everybody)
    return made()


def strategy_named(name: str) -> Strategy:
    """Return a new strategy of this name, or of the release attack of this name.

    Raises:
        PluginUnknown: there is neither.
    """
    if name in STRATEGIES:
        return STRATEGIES[name]()
    attacks = release_registry()
    if name not in attacks:
        raise PluginUnknown(
            "there is no such strategy, nor a release attack of this name",
            field="codef.strategy",
            expected=" or ".join(dict.fromkeys((*STRATEGIES, *attacks))),
            got=repr(name),
        )
    return strategy_of(attacks[name])
