"""From pydantic's complaints to one clear error that names the field and the nearest known key."""

import difflib
from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from collude.common.errors import ScenarioInvalid
from collude.common.scenario.model import Scenario

_LONGEST_VALUE = 80

_WORDS: Mapping[str, str] = {
    "tuple_type": "a list",
    "string_type": "a text in quotes",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a table",
    "too_short": "one or more",
}


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that looks most like `name`, or None if none does."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return close[0] if close else None


def invalid(error: ValidationError, document: Mapping[str, object]) -> ScenarioInvalid:
    """Return the first problem, unknown keys before all others; the hint lists the rest."""
    details = sorted(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden")
    first = _describe(details[0], document)
    if len(details) > 1:
        others = "; ".join(f"{_dotted(d)}: {d['msg']}" for d in details[1:])
        first.hint = ". ".join(filter(None, (first.hint, f"Also wrong: {others}")))
    return first


def _describe(detail: ErrorDetails, document: Mapping[str, object]) -> ScenarioInvalid:
    field = _dotted(detail)
    if detail["type"] == "extra_forbidden":
        return _unknown_key(detail)
    value = _value_at(document, detail["loc"])
    if detail["type"] == "missing":
        return ScenarioInvalid("a key is missing", field=field, expected="a value")
    if detail["type"] == "model_type":
        return ScenarioInvalid("this must be a table", field=field, expected=f"[{field}]")
    return ScenarioInvalid(
        "the value cannot be used",
        field=field,
        expected=_expected(detail),
        got=_short(value),
        hint=_suggest(str(value), _choices(detail)),
    )


def _unknown_key(detail: ErrorDetails) -> ScenarioInvalid:
    *section, key = (str(part) for part in detail["loc"])
    known = _keys_of(section[0]) if section else list(Scenario.model_fields)
    close = nearest(key, known)
    hint = _suggest(key, known)
    if close is None and (elsewhere := _sections_with(key)):
        hint = f"Did you mean {elsewhere[0]}.{key}?"
    return ScenarioInvalid(
        f"unknown key {key!r}",
        field=_dotted(detail),
        expected=f"one of {', '.join(sorted(known))}",
        hint=hint,
    )


def _suggest(name: str, known: Iterable[str]) -> str | None:
    close = nearest(name, known)
    return f"Did you mean {close!r}?" if close else None


def _keys_of(section: str) -> list[str]:
    annotation = Scenario.model_fields[section].annotation
    known = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    # seed_digest stands in party files only, so nobody is pointed to it
    keys = annotation.model_fields if known and annotation is not None else ()
    return [key for key in keys if key != "seed_digest"]


def _sections_with(key: str) -> list[str]:
    return [section for section in Scenario.model_fields if key in _keys_of(section)]


def _choices(detail: ErrorDetails) -> list[str]:
    """Return the literals that would have been accepted, if the field has any."""
    if detail["type"] != "literal_error":
        return []
    text = str(detail.get("ctx", {}).get("expected", ""))
    return [part.strip().strip("'") for part in text.replace(" or ", ",").split(",")]


def _expected(detail: ErrorDetails) -> str:
    choices = _choices(detail)
    if choices:
        return " or ".join(choices)
    return _WORDS.get(detail["type"], detail["msg"].removeprefix("Input should be "))


def _dotted(detail: ErrorDetails) -> str:
    return ".".join(str(part) for part in detail["loc"])


def _value_at(document: object, location: tuple[int | str, ...]) -> object:
    value = document
    for part in location:
        try:
            value = value[part]  # type: ignore[index]  # documents nest tables and lists
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."
