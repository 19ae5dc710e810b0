"""All attacks on what was answered, period by period."""

from collections.abc import Callable, Sequence

import numpy as np

from collude.attacker.attacks import release_registry
from collude.attacker.releases.channels import Floats
from collude.attacker.releases.output import Named, RecordedPeriod, named_by
from collude.attacker.releases.session import PeriodResult
from collude.attacker.releases.view import ReleaseView
from collude.common.errors import PluginInvalid, PluginUnknown
from collude.common.outcome import error_facts

Streams = Callable[[str, int], np.random.Generator]
"""(purpose, counter) -> a generator, such as `Entropy.generator`."""


def name_of(period: int, policy: str) -> str:
    """Return what a period is called in files."""
    return f"{period}-{policy}"


def attacked(
    results: Sequence[PeriodResult], policies: Sequence[str], attacks: Sequence[str], rng: Streams
) -> list[RecordedPeriod]:
    """Return every period in which something was heard, with what each attack says of it.

    Args:
        results: of the periods that are over, in order.
        policies: of each period.
        attacks: names.
        rng: each attack has a stream of its own.

    Raises:
        PluginUnknown: there is no such release attack.
    """
    return [
        _attacked(name_of(number, policy), result, result.view, (attacks, rng, number))
        for number, (result, policy) in enumerate(zip(results, policies, strict=False))
        if result.view is not None
    ]


def _attacked(
    name: str,
    result: PeriodResult,
    view: ReleaseView,
    how: tuple[Sequence[str], Streams, int],
) -> RecordedPeriod:
    attacks, rng, number = how
    named: dict[str, Named] = {}
    impossible: dict[str, tuple[str, ...]] = {}
    for attack in attacks:
        posterior = posterior_by(attack, view, rng, number)
        if isinstance(posterior, tuple):
            impossible[attack] = posterior
        else:
            named[attack] = named_by(posterior)
    notes = tuple(error_facts(note) for note in result.notes)
    return RecordedPeriod(name, view, result.asked, notes, named, impossible)


def posterior_by(
    attack: str, view: ReleaseView, rng: Streams, period: int
) -> Floats | tuple[str, ...]:
    """Return the posterior of an attack, (handles, n), or what the view lacks for it, in words.

    Raises:
        PluginUnknown: there is no such release attack.
        PluginInvalid: what it returns is no posterior.
    """
    known = release_registry()
    if attack not in known:
        raise PluginUnknown(
            "there is no such attack on answers about persons",
            field="collusion.attacks",
            expected=" or ".join(known),
            got=repr(attack),
        )
    lacks = known[attack].missing(view)
    if lacks:
        return lacks
    posterior = np.asarray(known[attack].identify(view, rng(f"releases/{attack}", period)))
    _check_posterior(attack, posterior, (len(view.handles), view.knowledge.persons))
    return posterior


def _check_posterior(attack: str, posterior: Floats, shape: tuple[int, int]) -> None:
    numbers = posterior.shape == shape and np.issubdtype(posterior.dtype, np.floating)
    if numbers and np.allclose(posterior.sum(axis=1), 1) and (posterior >= 0).all():
        return
    raise PluginInvalid(
        f"the attack {attack} returns no posterior over persons",
        field="identify",
        expected=f"shape {shape}, rows of probabilities with sum 1",
        got=f"shape {posterior.shape} of {posterior.dtype}",
    )
