"""`collude new`: what it writes installs, registers itself and passes its own tests."""

import ast
import os
import tomllib

import pytest

from collude.common.errors import ParameterInvalid, RunDirectoryExists
from collude.runtime.scaffold import KINDS, write_skeleton


@pytest.mark.parametrize("name", ["", "Name", "9lives", "a--b", "-a", "a-", "../up", "a b", "ä"])
def test_a_name_that_cannot_be_one_is_refused(name, tmp_path):
    with pytest.raises(ParameterInvalid, match="name"):
        write_skeleton("attack", name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_unknown_kind_and_an_existing_folder_are_refused(tmp_path):
    with pytest.raises(ParameterInvalid, match="attack or mechanism or alignment"):
        write_skeleton("protocol", "mine", tmp_path)
    write_skeleton("attack", "mine", tmp_path)
    with pytest.raises(RunDirectoryExists):
        write_skeleton("attack", "mine", tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_the_project_is_registered_in_its_group(kind, tmp_path):
    made = write_skeleton(kind, "first-guess", tmp_path)
    project = tomllib.loads((tmp_path / "first-guess" / "pyproject.toml").read_text())
    (entry,) = project["project"]["entry-points"][KINDS[kind]].items()
    assert entry == ("first-guess", "first_guess:FirstGuess")
    defined = ast.parse((tmp_path / "first-guess" / "first_guess.py").read_text())
    names = {getattr(node, "name", None) for node in defined.body}
    assert "FirstGuess" in names
    assert all(path.is_file() for path in made)


def test_all_three_pass_their_own_tests(pytester, monkeypatch):
    """One subprocess for all: what `pip install` writes is written here by hand."""
    for kind in KINDS:
        write_skeleton(kind, f"my-{kind}", pytester.path)
        folder = pytester.path / f"my-{kind}"
        info = folder / f"my_{kind}-0.1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: my-{kind}\nVersion: 0.1.0\n")
        project = tomllib.loads((folder / "pyproject.toml").read_text())
        ((name, value),) = project["project"]["entry-points"][KINDS[kind]].items()
        (info / "entry_points.txt").write_text(f"[{KINDS[kind]}]\n{name} = {value}\n")
    paths = [str(pytester.path / f"my-{kind}") for kind in KINDS]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    pytester.makeini("[pytest]\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *(f"{p}/tests" for p in paths))
    result.assert_outcomes(passed=5)
