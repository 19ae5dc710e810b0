"""A site without an engine; and, where one answers, runs in containers."""

import os
import subprocess
from pathlib import Path

import pytest
from testkit.quick import quickstart
from testkit.shared import once

from collude.common.errors import ColludeError
from collude.runtime.compose.engine import build_images, connect
from collude.runtime.compose.images import Images, prepare_images
from collude.runtime.compose.site import write_site
from collude.runtime.federation import prepare
from collude.runtime.progress import Quiet

REQUIRED = os.environ.get("COLLUDE_REQUIRE_DOCKER") == "1"
NAMES_ONLY = Images(Path("/nowhere/image"), "0.1.0-test", "python:3.11-slim")


def make_site(root: Path, *overrides: str, seed: int = 7, options=None):
    """Make a site of the quickstart; its images are names only."""
    return write_site(prepare(quickstart(*overrides, seed=seed)), root, NAMES_ONLY, options)


@pytest.fixture
def site(tmp_path) -> Path:
    """The quickstart's site, to be changed."""
    make_site(tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture(scope="session")
def engine(tmp_path_factory):
    """The engine, with this tree's images; tests are skipped, in one line, where there is none."""
    try:
        client = connect()
        once(tmp_path_factory, "images", lambda _: build_images(client, made(), Quiet()))
    except ColludeError as error:
        if REQUIRED:
            raise
        pytest.skip(f"no containers here: {error}")
    return client


def made() -> Images:
    return prepare_images(Quiet())


def has_command(name: str, *words: str) -> bool:
    try:
        done = subprocess.run([name, *words], check=False, capture_output=True)
    except OSError:
        return False
    return done.returncode == 0
