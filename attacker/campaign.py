"""Run a suite of attacks on one view, each with its own random stream."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from collude.attacker.attacks import Reconstruction, registry
from collude.attacker.view import CollusionView
from collude.common.errors import AttackImpossible, PluginUnknown

Streams = Callable[[str], np.random.Generator]
"""Purpose -> generator, such as `Entropy.generator`."""


@dataclass(frozen=True)
class Campaign:
    """What came of each attack.

    Attributes:
        target: whose records were reconstructed.
        colluders: who disclosed.
        results: attack -> reconstruction.
        impossible: attack -> what the view lacks, in words.
    """

    target: str
    colluders: tuple[str, ...]
    results: Mapping[str, Reconstruction] = field(repr=False)
    impossible: Mapping[str, tuple[str, ...]]


def run_attacks(
    view: CollusionView, names: Sequence[str], target: str, streams: Streams
) -> Campaign:
    """Return what the named attacks make of the view; those that cannot run are listed apart.

    Raises:
        PluginUnknown: there is no such attack.
        AttackImpossible: the target uploaded nothing, or is one of the colluders.
    """
    known = registry()
    for name in names:
        if name not in known:
            raise PluginUnknown(
                "there is no such attack",
                field="attacks",
                expected=" or ".join(known),
                got=repr(name),
            )
    _check_target(view, target)
    impossible = {name: lacks for name in names if (lacks := known[name].missing(view))}
    results = {
        name: known[name].reconstruct(view, target, streams(f"attack/{name}"))
        for name in names
        if name not in impossible
    }
    return Campaign(target, tuple(view.disclosures), results, impossible)


def _check_target(view: CollusionView, target: str) -> None:
    if target not in view.uploads:
        raise AttackImpossible("the target uploaded nothing", field="target", got=target)
    if target in view.disclosures:
        raise AttackImpossible(
            "the target is one of the colluders",
            field="target",
            expected=" or ".join(p for p in view.uploads if p not in view.disclosures),
            got=target,
        )
