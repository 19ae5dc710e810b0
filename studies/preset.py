"""Parameters and seeds: one TOML file a study, one table a preset."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from collude.common.errors import ParameterInvalid
from collude.studies.study import Study

PRESETS = ("smoke", "paper", "honest")
"""Small, to try it; the paper's grids; the grids that show what the paper's do not."""


def load(study: Study, preset: str) -> tuple[Any, int]:
    """Return a study's parameters and its seed.

    Raises:
        ParameterInvalid: there is no such preset.
    """
    if preset not in PRESETS:
        raise ParameterInvalid(
            f"there is no preset {preset}",
            field="--preset",
            expected=", ".join(PRESETS),
            got=preset,
        )
    document = read(study.name)
    return study.parameters(**_frozen(document[preset])), int(document["seed"])


def read(name: str) -> dict[str, Any]:
    """Return the preset file of a study."""
    file = files("collude.studies") / "presets" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _frozen(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _tuple(value) for name, value in table.items()}


def _tuple(value: Any) -> Any:
    return tuple(_tuple(item) for item in value) if isinstance(value, list) else value
