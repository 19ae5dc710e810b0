"""The tree is the protocol: links, sizes, and what an import brings along."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "collude"
PACKAGES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
CHECKED = (*PACKAGES, "proto", "tools", "benchmarks", "tests")
FILE_LINES = 400
FUNCTION_LINES = 50
# A pickle runs code on loading; the standard library's generator is neither named nor secret.
FORBIDDEN_MODULES = {"cloudpickle", "dill", "marshal", "pickle", "random", "shelve"}

IMPORT_ALL = """
import importlib, json, pkgutil, sys
import collude
walk = pkgutil.walk_packages(collude.__path__, "collude.", onerror=lambda name: sys.exit(name))
names = [found.name for found in walk if not found.name.endswith("__main__")]
for name in names:
    importlib.import_module(name)
print(json.dumps({"imported": names, "loaded": sorted(sys.modules)}))
"""


def python_files() -> list[Path]:
    return sorted(file for folder in CHECKED for file in (ROOT / folder).rglob("*.py"))


def relative(file: Path) -> str:
    return str(file.relative_to(ROOT))


def loaded_by(code: str) -> dict[str, list[str]]:
    """Return what `code` prints as JSON, run in the root, where bare names could be found."""
    command = [sys.executable, "-W", "error", "-c", code]
    run = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_source_holds_links_and_the_generated_wire_alone() -> None:
    names = {path.name for path in SOURCE.iterdir() if path.name != "__pycache__"}
    assert names == {*PACKAGES, "wire"}


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_is_a_relative_link(name: str) -> None:
    link = SOURCE / name
    assert link.is_symlink(), f"{link} is no link: was git told to leave out symbolic links?"
    assert link.readlink() == Path("..", "..", name)
    assert (link / "__init__.py").is_file()


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_says_that_it_is_typed(name: str) -> None:
    assert (ROOT / name / "py.typed").is_file()


@pytest.mark.parametrize("name", PACKAGES)
def test_no_folder_of_modules_lacks_its_init(name: str) -> None:
    folders = {file.parent for file in (ROOT / name).rglob("*.py")}
    bare = [relative(folder) for folder in folders if not (folder / "__init__.py").is_file()]
    assert not bare


def test_no_file_is_long() -> None:
    lines = {relative(file): len(file.read_text("utf-8").splitlines()) for file in python_files()}
    assert len(lines) > len(PACKAGES)
    assert not {name: count for name, count in lines.items() if count > FILE_LINES}


def test_no_function_is_long() -> None:
    lines = {f"{relative(file)}:{node.name}": length(node) for file, node in functions()}
    assert len(lines) > len(PACKAGES)
    assert not {name: count for name, count in lines.items() if count > FUNCTION_LINES}


def nodes() -> Iterator[tuple[Path, ast.AST]]:
    for file in python_files():
        yield from ((file, node) for node in ast.walk(ast.parse(file.read_text("utf-8"))))


def functions() -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for file, node in nodes():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield file, node


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines from `def` to the end; what the docstring explains is free."""
    documented = ast.get_docstring(node) is not None
    docstring = node.body[0] if documented else None
    free = 0 if docstring is None else (docstring.end_lineno or 0) - docstring.lineno + 1
    return (node.end_lineno or 0) - node.lineno + 1 - free


def test_no_forbidden_module_is_imported() -> None:
    product = ((file, node) for file, node in nodes() if not relative(file).startswith("tests"))
    found = {(relative(file), name.split(".")[0]) for file, node in product for name in names(node)}
    assert not {place for place in found if place[1] in FORBIDDEN_MODULES}


def names(node: ast.AST) -> list[str]:
    """Return the modules that an import statement names; none for any other node."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def test_pickled_arrays_are_refused_everywhere() -> None:
    keywords = [(file, node) for file, node in nodes() if isinstance(node, ast.keyword)]
    allowing = [
        f"{relative(file)}:{node.value.lineno}"
        for file, node in keywords
        if node.arg == "allow_pickle" and getattr(node.value, "value", None) is not False
    ]
    assert not allowing


def test_importing_everything_loads_no_second_copy() -> None:
    found = loaded_by(IMPORT_ALL)
    assert {f"collude.{name}" for name in (*PACKAGES, "wire")} <= set(found["imported"])
    top = {name.split(".")[0] for name in found["loaded"]}
    assert not top & {*PACKAGES, "wire"}
