"""A site without an engine; and, where one answers, runs in containers."""

import json
import os
import shutil
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import pytest
from testkit.shared import once
from testkit.sites import make_site

from collude.common.errors import ColludeError
from collude.runtime.compose.engine import build_images, connect
from collude.runtime.compose.images import Images, prepare_images
from collude.runtime.progress import Quiet

WITHOUT = "no containers here: "
REQUIRED = os.environ.get("COLLUDE_REQUIRE_DOCKER") == "1"


@pytest.fixture(scope="session")
def new_site(tmp_path_factory) -> Path:
    """The quickstart's site; look, do not touch."""
    return once(tmp_path_factory, "new-site", lambda folder: make_site(folder / "site")) / "site"


@pytest.fixture
def site(new_site, tmp_path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(new_site, tmp_path / "site"))


@dataclass(frozen=True)
class Engine:
    """An engine that answers, and the images of the tree as it was when the tests began."""

    client: object
    images: Images


@pytest.fixture(scope="session")
def engine(tmp_path_factory) -> Engine:
    """The engine, with images; tests are skipped, in one line, where there is none."""
    try:
        client = connect()
        folder = once(tmp_path_factory, "images", partial(_built, client))
    except ColludeError as error:
        if REQUIRED:
            raise
        pytest.skip(f"{WITHOUT}{error}")
    told = json.loads((folder / "images.json").read_text())
    return Engine(client, Images(**told | {"context": Path(told["context"])}))


def _built(client, folder: Path) -> None:
    images = prepare_images(Quiet())
    build_images(client, images, Quiet())
    (folder / "images.json").write_text(json.dumps(asdict(images), default=str))


def pytest_terminal_summary(terminalreporter) -> None:
    """Say once what was left out, and why."""
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", ())
               if isinstance(report.longrepr, tuple)]  # fmt: skip
    left_out = [reason for reason in reasons if WITHOUT in reason]
    if left_out:
        why = left_out[0].partition(WITHOUT)[2]
        terminalreporter.write_line(f"{len(left_out)} tests need containers and are skipped: {why}")
