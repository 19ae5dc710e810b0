"""The report's sentences, in plain words."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from collude.common.methods import METHODS
from collude.runtime.report.documents import PERSON_RELEASES, AttackScore, Manifest

EXACT = 1e-6

_TITLES: Mapping[str, str] = MappingProxyType({
    "local": "Local",
    "c-gdp-noise": "C-GDP + noise",
    "aa-gdp-noise": "AA-GDP + noise",
    PERSON_RELEASES: "Person releases",
})

_ATTACKS: Mapping[str, str] = MappingProxyType({
    "exact-inversion": "The coalition holds the target's secret transform and undoes it.",
    "procrustes": (
        "The published attack: compare the target's anchor with the true one, take the rotation "
        "that fits best, and undo it."
    ),
    "moore-penrose": (
        "Undo the best linear map from the true anchor to the target's, rotation or not."
    ),
    "alignment-map": "Use what aligned the target with the colluder in place of its secret.",
    "centred-procrustes": (
        "The same rotation, but turned around the colluder's own average record, so that the "
        "average no longer suffers from the error."
    ),
    "shrunk-centre": (
        "The same rotation around the target's own average record, as far as it still shows, and "
        "what looks like noise is damped."
    ),
    "wiener": "The centred attack, and what looks like noise is damped as public records suggest.",
    "moment-map": (
        "The rotation that fits the anchors and gives the records the spread that such records "
        "have."
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

NUMBERS: Mapping[int, str] = MappingProxyType(
    dict(enumerate(("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"), 1))
)
"""Small numbers at the beginning of a sentence."""

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
    if manifest.releases:
        return ""
    if v := mechanism.get("anchor_noise"):
        s = f" (s = {v * width**0.5:.2g})" if width else ""
        parts.append(f"v = {v:.3g}{s}")
    if s := mechanism.get("anchor_noise_s"):
        v = f"v = {s / width**0.5:.3g} " if width else ""
        parts.append(f"{v}(s = {s:.2g})")
    if sigma := mechanism.get("private_noise"):
        parts.append(f"sigma = {sigma:.3g}")
    if manifest.scenario.get("codef", {}).get("enabled"):
        parts.append("noise set by CoDef")
    return ", ".join(parts)


def short_noise(manifest: Manifest) -> str:
    """Return the anchor's noise as s = v sqrt(d) alone, empty where that says not everything."""
    mechanism = manifest.scenario.get("mechanism", {})
    width = manifest.data.width if manifest.data else None
    if width is None or mechanism.get("private_noise"):
        return ""
    v = mechanism.get("anchor_noise")
    s = v * width**0.5 if v else mechanism.get("anchor_noise_s")
    return f"s = {s:.2g}" if s else ""


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


@dataclass(frozen=True)
class Glance:
    """What somebody who looks at a reconstruction sees.

    Attributes:
        kind: `exact`, `person`, `blur`, `noise` or `unknown`, for its colour.
        tag: one or two words.
    """

    kind: str
    tag: str


def glance(score: AttackScore) -> Glance:
    """Return what the eye makes of an attack's outcome, by its centred error."""
    error = score.centred_relative
    if error is None:
        return Glance("unknown", "Not measured")
    for limit, kind, tag in _GLANCES:
        if error < limit:
            return Glance(kind, tag)
    return Glance("noise", "Noise")


_GLANCES = (
    (EXACT, "exact", "Exact copy"),
    (0.5, "person", "Recognisable"),
    (1.0, "blur", "Blurred"),
)


TELLING = 2.0
"""A linkage above so many times a guess is worth a "yet"."""

_MATCHED: Mapping[tuple[str, bool], str] = defaultdict(
    lambda: "To the eye, nothing was measured;",
    {
        ("exact", True): "Nothing was hidden:",
        ("exact", False): "Nothing was hidden, yet",
        ("person", True): "The eye sees the person;",
        ("person", False): "The eye sees the person;",
        ("blur", True): "The eye sees a blur;",
        ("blur", False): "The eye sees a blur;",
        ("noise", True): "The eye sees noise, and yet",
        ("noise", False): "The eye sees noise, and",
    },
)


def matched(score: AttackScore, ways: int, chance: float | None) -> str:
    """Return what the auditor makes of an attack's outcome, empty where there was none."""
    if score.linkage is None or chance is None:
        return ""
    hits, guess = f"{100 * score.linkage:.0f} of 100", f"{100 * chance:.0f}"
    begin = _MATCHED[glance(score).kind, score.linkage > TELLING * chance]
    return (
        f"{begin} matching software picks the right one of {ways} in {hits} tries; "
        f"a guess, {guess}."
    )


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
