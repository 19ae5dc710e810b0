"""The report's sentences, in plain words."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

from collude.common.methods import METHODS
from collude.runtime.report.stored import AttackScore, Manifest

EXACT = 1e-6

_TITLES: Mapping[str, str] = MappingProxyType({
    "local": "Local",
    "c-gdp-noise": "C-GDP + noise",
    "aa-gdp-noise": "AA-GDP + noise",
})

_ATTACKS: Mapping[str, str] = MappingProxyType({
    "exact-inversion": "The coalition holds the target's secret transform and undoes it.",
    "procrustes": (
        "The coalition compares the target's anchor with the true one, takes the rotation that "
        "fits best, and undoes it."
    ),
    "centred-procrustes": (
        "The same rotation, but turned around the colluder's own average record, so that the "
        "average no longer suffers from the error."
    ),
})

_VERDICTS: tuple[tuple[float, str], ...] = (
    (EXACT, "The records themselves, exact to rounding."),
    (0.1, "Almost the records: {error} of what tells them apart is wrong."),
    (0.5, "Easy to recognise: {error} of what tells the records apart is wrong."),
    (1.0, "Blurred: {error} of what tells the records apart is wrong."),
)
_NO_BETTER = (
    "No closer than the average record alone: the error is {error} of what tells the records apart."
)

ABSENT = "\N{EN DASH}"
"""Stands in a table where there is no figure."""


_Entry = TypeVar("_Entry")


def in_order(entries: Iterable[_Entry], method: Callable[[_Entry], str]) -> list[_Entry]:
    """Return the entries in the order of Table I; methods of plug-ins come last."""
    order = {name: number for number, name in enumerate(METHODS)}
    return sorted(entries, key=lambda entry: order.get(method(entry), len(order)))


def label_of(manifest: Manifest) -> str:
    """Return the method with its noise, as it stands in tables."""
    noise = noise_label(manifest)
    return method_title(manifest.method) + (f", {noise}" if noise else "")


def method_title(method: str) -> str:
    """Return a method's name as papers write it."""
    return _TITLES.get(method, method.upper())


def method_sentence(method: str) -> str:
    """Return what a method does: a sentence without an end."""
    traits = METHODS.get(method)
    return traits.title if traits else "a method of a plug-in"


def noise_label(manifest: Manifest) -> str:
    """Return the noise that was added, empty if none was."""
    mechanism = manifest.scenario.get("mechanism", {})
    width = manifest.data.width if manifest.data else None
    parts = []
    if v := mechanism.get("anchor_noise"):
        s = f" (s = {v * width**0.5:.2g})" if width else ""
        parts.append(f"v = {v:.3g}{s}")
    if s := mechanism.get("anchor_noise_s"):
        v = f"v = {s / width**0.5:.3g} " if width else ""
        parts.append(f"{v}(s = {s:.2g})")
    if sigma := mechanism.get("private_noise"):
        parts.append(f"sigma = {sigma:.3g}")
    return ", ".join(parts)


def attack_sentence(attack: str) -> str:
    """Return what an attack does."""
    return _ATTACKS.get(attack, "")


def verdict(score: AttackScore) -> str:
    """Return what an attack's centred error means."""
    error = score.centred_relative
    if error is None:
        return lacking(score)
    for limit, sentence in _VERDICTS:
        if error < limit:
            return sentence.format(error=percent(error))
    return _NO_BETTER.format(error=percent(error))


def lacking(score: AttackScore) -> str:
    """Return why an attack has no figures."""
    missing = score.diagnostics.get("missing")
    if not missing:
        return "Not measured: what the target holds is not known here."
    parts = missing if isinstance(missing, str) else "; ".join(str(item) for item in missing)
    return f"Could not run. The coalition lacks: {parts}."


def percent(share: float) -> str:
    """Return a share as per cent with two digits that count."""
    value = 100 * share
    digits = f"{value:.0f}" if value >= 10 or value == 0 else f"{value:.2g}"  # noqa: PLR2004
    return f"{digits}\N{NO-BREAK SPACE}%"


def error_figure(error: float | None) -> str:
    """Return a squared error for a table."""
    if error is None:
        return ABSENT
    return f"{error:.1e}" if 0 < error < EXACT else f"{error:.3f}"


def listed(names: tuple[str, ...]) -> str:
    """Return names as an enumeration in a sentence."""
    if len(names) < 2:  # noqa: PLR2004 -- two names need an "and"
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
