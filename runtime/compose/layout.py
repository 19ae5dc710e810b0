"""A site: a folder with a compose file, and for each party what it is handed and where it writes.

compose.yaml            parties/NAME/config    read-only in its container: certificates, keys,
scenario.toml                                  scenario, records, its party file
site.json               parties/NAME/state     what it writes: outcome, transcript, log
run/                   the run directory, when all have ended
"""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from collude.common.errors import RunDirectoryInvalid
from collude.runtime.json_files import read_json

FORMAT = "collude-site/1"
"""Stands in `site.json`, so that `--force` removes nothing but sites."""
SCENARIO, INDEX, COMPOSE, RUN = "scenario.toml", "site.json", "compose.yaml", "run"


@dataclass(frozen=True, slots=True)
class Site:
    """The paths of a site."""

    root: Path

    @classmethod
    def open(cls, root: str | Path) -> "Site":
        """Return a site that was made.

        Raises:
            RunDirectoryInvalid: there is none.
        """
        site = cls(Path(root))
        if not is_site(site.root):
            raise RunDirectoryInvalid(
                "this is no site",
                field=str(root),
                expected=f"a {INDEX} of format {FORMAT}",
                hint="Name a directory that `collude compose` has made.",
            )
        return site

    @property
    def scenario(self) -> Path:
        """The whole scenario, with the seed: for the report, never for a party."""
        return self.root / SCENARIO

    @property
    def compose(self) -> Path:
        """The compose file."""
        return self.root / COMPOSE

    @property
    def run(self) -> Path:
        """The run directory, once there is one."""
        return self.root / RUN

    def config(self, party: str) -> Path:
        """What a party is handed."""
        return self.root / "parties" / party / "config"

    def state(self, party: str) -> Path:
        """Where a party writes."""
        return self.root / "parties" / party / "state"

    @property
    def user(self) -> str:
        """Return `uid:gid` of the containers."""
        return str(read_json(self.root / INDEX)["user"])

    @property
    def parties(self) -> tuple[str, ...]:
        """Return the parties that have a container, in the order of starting."""
        return tuple(cast("list[str]", read_json(self.root / INDEX)["parties"]))


def is_site(root: Path) -> bool:
    """Return whether a folder is a site."""
    try:
        return read_json(root / INDEX).get("format") == FORMAT
    except RunDirectoryInvalid:
        return False
