"""Sites for containers, made without an engine: the names of the images are names only."""

from pathlib import Path

from testkit.quick import quickstart

from collude.runtime.compose.images import Images
from collude.runtime.compose.site import SiteOptions, write_site
from collude.runtime.federation import prepare

NAMES_ONLY = Images(Path("/nowhere/image"), "0.1.0-test", "python:3.11-slim")


def make_site(root: Path, *overrides: str, seed: int = 7, options: SiteOptions | None = None):
    """Make a site of the quickstart and return its plan."""
    return write_site(prepare(quickstart(*overrides, seed=seed)), root, NAMES_ONLY, options)
