"""What images are made of: a name for each state of the tree, clear words when pip fails."""

import shutil
from pathlib import Path

import pytest

from collude.common.errors import ExtraMissing, LocalError
from collude.runtime.compose import images as module
from collude.runtime.compose.images import images_of, prepare_images
from collude.runtime.progress import Quiet

ROOT = Path(__file__).parents[3]
FILES = ("pyproject.toml", "constraints.txt", "README.md", "LICENSE", "deploy/Dockerfile")


@pytest.fixture
def tree(tmp_path) -> Path:
    """As much of the checkout as the images are made of: one package, linked as in the tree."""
    root = tmp_path / "tree"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    (root / "common").mkdir()
    (root / "common" / "one.py").write_text("ONE = 1\n")
    (root / "src" / "collude").mkdir(parents=True)
    (root / "src" / "collude" / "common").symlink_to("../../common")
    return root


def test_an_installed_package_has_nothing_to_build_from(tmp_path) -> None:
    with pytest.raises(ExtraMissing) as caught:
        images_of(tmp_path)
    assert "checkout" in caught.value.reason


def test_the_checkout_of_these_tests_has(monkeypatch) -> None:
    assert images_of().context == ROOT / "build" / "image"


def test_a_version_that_cannot_be_had_is_named(tree) -> None:
    project = tree / "pyproject.toml"
    text = project.read_text()
    project.write_text(text.replace('"numpy>=1.26"', '"numpy>=1.26", "collude-no-such-thing>=7"'))
    with pytest.raises(LocalError) as caught:
        prepare_images(Quiet(), tree)
    assert "collude-no-such-thing" in str(caught.value.got)
    assert not (tree / "build" / "image" / "libraries").exists()


def test_a_project_that_cannot_be_built_is_named(tree) -> None:
    (tree / "pyproject.toml").write_text("[project\n")
    with pytest.raises(LocalError) as caught:
        prepare_images(Quiet(), tree)
    assert caught.value.field == "pip wheel"


CHANGES = {
    "the code": lambda tree: (tree / "common" / "one.py").write_text("ONE = 2\n"),
    "another file": lambda tree: (tree / "common" / "two.py").write_text(""),
    "a file's name": lambda tree: (tree / "common" / "one.py").rename(tree / "common" / "eno.py"),
    "the pins": lambda tree: (tree / "constraints.txt").write_text("numpy==1.26\n"),
    "the Dockerfile": lambda tree: (tree / "deploy" / "Dockerfile").write_text("FROM scratch\n"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_name_changes_with(tree, what) -> None:
    before = images_of(tree)
    assert images_of(tree) == before
    CHANGES[what](tree)
    assert images_of(tree).tag != before.tag


@pytest.mark.parametrize("name", [module.BASE_VARIABLE, module.INDEX_VARIABLE])
def test_the_name_changes_with_the_variable(tree, monkeypatch, name) -> None:
    before = images_of(tree)
    monkeypatch.setenv(name, "another")
    assert images_of(tree).tag != before.tag


def test_the_name_changes_with_the_index_that_setup_remembers(tree) -> None:
    before = images_of(tree)
    (tree / ".venv").mkdir()
    (tree / ".venv" / "collude-torch-index").write_text("https://example.org/cpu")
    assert images_of(tree).tag != before.tag
    (tree / ".venv" / "collude-torch-index").write_text("")
    assert images_of(tree).tag == before.tag


def test_what_is_no_part_of_the_wheel_changes_no_name(tree) -> None:
    before = images_of(tree)
    (tree / "common" / "one.pyc").write_bytes(b"7")
    (tree / "README.md").write_text("other words")
    assert images_of(tree).tag == before.tag
