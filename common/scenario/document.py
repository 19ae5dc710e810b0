"""Reading a scenario file, and `--set key=value` on top of it."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from collude.common import plugins
from collude.common.errors import ScenarioInvalid
from collude.common.scenario.model import Scenario
from collude.common.scenario.problems import invalid, nearest

Document = dict[str, object]

_KEY = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_BARE_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")

_EXCLUSIVE = {
    "mechanism.anchor_noise": "mechanism.anchor_noise_s",
    "mechanism.anchor_noise_s": "mechanism.anchor_noise",
    "codef.policy": "codef.policies",
    "codef.policies": "codef.policy",
}
"""Two ways to say one thing: an override of one replaces the other."""


def load_scenario(
    path: str | Path, overrides: Sequence[str] = (), seed: int | None = None
) -> Scenario:
    """Return the scenario in a TOML file.

    Args:
        path: the file.
        overrides: `key=value` with a dotted key and a TOML value; quotes around a word may be
            left out.
        seed: replaces `scenario.seed`; None keeps the file's.

    Raises:
        ScenarioInvalid: unreadable, not TOML, or a value that cannot be used; the file and the
            field are named.
    """
    return build_scenario(read_document(path), overrides, seed, origin=str(path))


def build_scenario(
    document: Mapping[str, object],
    overrides: Sequence[str] = (),
    seed: int | None = None,
    origin: str = "scenario",
) -> Scenario:
    """Return the scenario that nested tables describe; as `load_scenario` without a file.

    Raises:
        ScenarioInvalid: a value cannot be used; `origin` and the field are named.
    """
    changed = apply_overrides(document, overrides)
    if seed is not None:
        _put(changed, ["scenario", "seed"], seed)
    scenario = validated(changed, origin)
    if scenario.simulated and scenario.scenario.seed is None:
        raise ScenarioInvalid(
            f"{origin}: simulation mode needs a seed",
            field="scenario.seed",
            expected="an integer of at least 0",
            got="a party's seed digest",
        )
    _check_attacks(scenario, origin)
    return scenario


def _check_attacks(scenario: Scenario, origin: str) -> None:
    """Do nothing if every attack is registered. Parties need not know the attacks.

    Raises:
        ScenarioInvalid: one is not; it must show before the protocol runs, not after.
    """
    known = plugins.registered(plugins.ATTACKS)
    for name in scenario.collusion.attacks:
        if name not in known:
            close = nearest(name, known)
            raise ScenarioInvalid(
                f"{origin}: there is no such attack",
                field="collusion.attacks",
                expected=" or ".join(known),
                got=repr(name),
                hint=f"Did you mean {close!r}?" if close else None,
            )


def with_overrides(scenario: Scenario, overrides: Sequence[str]) -> Scenario:
    """Return a scenario like this one but for the overrides.

    Raises:
        ScenarioInvalid: the changed scenario cannot be used.
    """
    return build_scenario(as_document(scenario), overrides, origin=scenario.scenario.name)


def as_document(scenario: Scenario) -> Document:
    """Return the tables that describe the scenario: every key that has a value."""
    return scenario.model_dump(mode="json", exclude_none=True)


def validated(document: Mapping[str, object], origin: str) -> Scenario:
    """Return the checked scenario.

    Raises:
        ScenarioInvalid: a value cannot be used.
    """
    try:
        return Scenario.model_validate(document)
    except ValidationError as error:
        problem = invalid(error, document)
    except ScenarioInvalid as error:
        problem = error
    raise ScenarioInvalid(
        f"{origin}: {problem.reason}",
        field=problem.field,
        expected=problem.expected,
        got=problem.got,
        hint=problem.hint,
    )


def read_document(path: str | Path) -> Document:
    """Return the tables of a TOML file, not yet checked.

    Raises:
        ScenarioInvalid: there is no such file, it cannot be read, or it is not TOML.
    """
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ScenarioInvalid(
            f"{path}: no such file", field="file", hint="Correct the path."
        ) from None
    except OSError as error:
        raise ScenarioInvalid(
            f"{path}: cannot be read",
            field="file",
            expected="a TOML file",
            got=error.strerror,
            hint="Correct the path, or the file's rights.",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScenarioInvalid(
            f"{path}: not a TOML file",
            field="file",
            expected="TOML, in UTF-8",
            got=error,
            hint="Correct what is named; https://toml.io shows how a TOML file is written.",
        ) from error


def apply_overrides(document: Mapping[str, object], overrides: Sequence[str]) -> Document:
    """Return a copy of the document with the overrides set.

    Raises:
        ScenarioInvalid: an override is not `key=value`.
    """
    changed = _copy(document)
    parsed = dict(_parse_override(text) for text in overrides)
    for key, value in parsed.items():
        rival = _EXCLUSIVE.get(key)
        if rival is not None and rival not in parsed:
            _drop(changed, rival.split("."))
        _put(changed, key.split("."), value)
    return changed


def _parse_override(text: str) -> tuple[str, object]:
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not _KEY.fullmatch(key):
        raise ScenarioInvalid(
            "an override must be key=value",
            field="--set",
            expected="for example mechanism.anchor_noise=0.05",
            got=repr(text),
        )
    return key, _parse_value(key, value.strip())


def _parse_value(key: str, text: str) -> object:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        parsed = {"value": text} if _BARE_WORD.fullmatch(text) else {}
    if list(parsed) != ["value"]:
        raise ScenarioInvalid(
            "the value of an override must be a TOML value",
            field=f"--set {key}",
            expected='a number, true, "text" or ["a", "b"]',
            got=repr(text),
        )
    return parsed["value"]


def _copy(document: Mapping[str, object]) -> Document:
    return {k: _copy(v) if isinstance(v, Mapping) else v for k, v in document.items()}


def _put(document: Document, path: Sequence[str], value: object) -> None:
    *sections, key = path
    table = document
    for section in sections:
        inner = table.setdefault(section, {})
        if not isinstance(inner, dict):
            raise ScenarioInvalid(
                "an override reaches into a value that is no table", field=".".join(path)
            )
        table = inner
    table[key] = value


def _drop(document: Document, path: Sequence[str]) -> None:
    section, key = path
    table = document.get(section)
    if isinstance(table, dict):
        table.pop(key, None)
