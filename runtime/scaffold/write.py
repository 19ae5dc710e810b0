"""Write a plug-in project that installs, registers itself and passes its own test."""

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from jinja2 import Environment, StrictUndefined

from collude.common.errors import ParameterInvalid, RunDirectoryExists
from collude.common.plugins import ALIGNMENTS, ATTACKS, MECHANISMS

KINDS: Mapping[str, str] = MappingProxyType({
    "attack": ATTACKS,
    "mechanism": MECHANISMS,
    "alignment": ALIGNMENTS,
})
"""Kind of plug-in -> its entry-point group."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def write_skeleton(kind: str, name: str, folder: Path) -> list[Path]:
    """Write the project into `folder`/`name` and return its files.

    Args:
        kind: of `KINDS`.
        name: the plug-in's name: a-z, 0-9 and hyphens, starting with a letter.
        folder: where the project's folder is made.

    Raises:
        ParameterInvalid: there is no such kind, or the name cannot be one.
        RunDirectoryExists: the project's folder exists.
    """
    _check(kind, name)
    target, module = folder / name, name.replace("-", "_")
    if target.exists():
        raise RunDirectoryExists(
            "the folder exists", field=str(target), hint="Choose another name or --out."
        )
    values = {
        "name": name,
        "module": module,
        "title": name.replace("-", " ").capitalize(),
        "classname": "".join(part.capitalize() for part in name.split("-")),
        "group": KINDS[kind],
    }
    texts = {
        "pyproject.toml": "pyproject.toml.jinja",
        "README.md": "README.md.jinja",
        f"{module}.py": f"{kind}.py.jinja",
        f"tests/test_{module}.py": f"test_{kind}.py.jinja",
    }
    return [_write(target / path, template, values) for path, template in texts.items()]


def _check(kind: str, name: str) -> None:
    if kind not in KINDS:
        raise ParameterInvalid(
            "there is no such kind of plug-in",
            field="kind",
            expected=" or ".join(KINDS),
            got=repr(kind),
        )
    if not _NAME.fullmatch(name):
        raise ParameterInvalid(
            "this cannot be a plug-in's name",
            field="name",
            expected="a-z, 0-9 and single hyphens, starting with a letter",
            got=repr(name),
        )


def _write(path: Path, template: str, values: Mapping[str, str]) -> Path:
    source = files("collude.runtime.scaffold").joinpath("templates", template)
    # The output is Python and TOML, not HTML: there is nothing to escape, and names are checked.
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    text = environment.from_string(source.read_text(encoding="utf-8")).render(values)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
