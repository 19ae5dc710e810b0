"""Run a suite of attacks on one view, each with its own random stream."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from collude.attacker.attacks import Attack, Reconstruction, registry
from collude.attacker.view import CollusionView
from collude.common.errors import AttackImpossible, PluginUnknown
from collude.common.geometry.arrays import FloatArray

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
        others: other participant -> attack -> its records (n, d), where all were attacked.
    """

    target: str
    colluders: tuple[str, ...]
    results: Mapping[str, Reconstruction] = field(repr=False)
    impossible: Mapping[str, tuple[str, ...]]
    others: Mapping[str, Mapping[str, FloatArray]] = field(default_factory=dict, repr=False)


def run_attacks(
    view: CollusionView,
    names: Sequence[str],
    target: str,
    streams: Streams,
    *,
    everyone: bool = False,
) -> Campaign:
    """Return what the named attacks make of the view; those that cannot run are listed apart.

    Args:
        view: what the coalition holds.
        names: of registered attacks.
        target: whose records to reconstruct.
        streams: gives each attack a generator of its own.
        everyone: attack the others that do not collude too, where the view holds public
            people: more people to judge linkage by. What comes of the target is the same.

    Raises:
        PluginUnknown: there is no such attack.
        AttackImpossible: the target uploaded nothing, or is one of the colluders.
    """
    known = _known(names)
    _check_target(view, target)
    impossible = {name: lacks for name in names if (lacks := known[name].missing(view))}
    possible = [known[name] for name in names if name not in impossible]
    results = {a.name: a.reconstruct(view, target, streams(f"attack/{a.name}")) for a in possible}
    others = _others(view, possible, target, streams) if everyone else {}
    return Campaign(target, tuple(view.disclosures), results, impossible, others)


def _others(
    view: CollusionView, attacks: Sequence[Attack], target: str, streams: Streams
) -> dict[str, dict[str, FloatArray]]:
    if view.public.records is None:
        return {}
    return {
        party: {
            a.name: a.reconstruct(view, party, streams(f"attack/{a.name}/{party}")).records
            for a in attacks
        }
        for party in view.uploads
        if party != target and party not in view.disclosures
    }


def _known(names: Sequence[str]) -> Mapping[str, Attack]:
    known = registry()
    for name in names:
        if name not in known:
            raise PluginUnknown(
                "there is no such attack",
                field="attacks",
                expected=" or ".join(known),
                got=repr(name),
            )
    return known


def _check_target(view: CollusionView, target: str) -> None:
    if target not in view.uploads:
        raise AttackImpossible("the target uploaded nothing", field="target", got=target)
    if target in view.disclosures:
        raise AttackImpossible(
            "the target is one of the colluders",
            field="target",
            expected=" or ".join(p for p in view.uploads if p not in view.disclosures),
            got=target,
            hint="Choose another target, or leave this party out of the colluders.",
        )
