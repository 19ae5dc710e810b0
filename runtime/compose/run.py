"""The runtime `compose`: every party in a container of its own, through the engine's API."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from collude.common.ids import ANALYST, COORDINATOR
from collude.runtime.compose.collect import LOG, gather
from collude.runtime.compose.containers import Containers
from collude.runtime.compose.engine import build_images, connect, kernels_in
from collude.runtime.compose.images import Images, prepare_images
from collude.runtime.compose.layout import Site
from collude.runtime.compose.site import SiteOptions, write_site
from collude.runtime.federation import Federation
from collude.runtime.processes import IN_WORDS
from collude.runtime.progress import Progress
from collude.runtime.rundir import RunDirectory
from collude.runtime.timeline import Follower
from collude.runtime.versions import blas_kernels

if TYPE_CHECKING:
    from docker import DockerClient

SITE = "site"
"""Folder of the run directory with what the containers were given."""


def run_compose(federation: Federation, run: RunDirectory, progress: Progress) -> Mapping[str, int]:
    """Run every party in a container of its own; return each one's exit status.

    Raises:
        ExtraMissing: the SDK or the checkout is missing, or no engine answers.
        LocalError: the images cannot be made.
        PartyFailed: a party ended before it served.
        DeadlineExceeded: a party does not serve in time.
    """
    client = connect()
    images = prepare_images(progress)
    build_images(client, images, progress)
    _compare_kernels(kernels_in(client, images.name("party")), progress)
    return Play(client, images).run(federation, run, progress)


@dataclass(frozen=True)
class Play:
    """A way of running the parties in containers.

    Attributes:
        client: the engine.
        images: which it has.
        script: starts the parties, and may do to them what networks and machines do.
    """

    client: "DockerClient"
    images: Images
    script: Callable[[Containers], None] = Containers.start_all

    def run(
        self, federation: Federation, run: RunDirectory, progress: Progress
    ) -> Mapping[str, int]:
        """Run the parties; the site stays in the run directory, beside what came out of it.

        Raises:
            PartyFailed: a party ended before it served.
            DeadlineExceeded: a party does not serve in time.
        """
        site = Site(run.root / SITE)
        plan = write_site(federation, site.root, self.images, SiteOptions(report=False))
        progress.step("the parties start, each in a container of its own")
        try:
            with Containers(self.client, plan, site.root, self.images, run.logs) as containers:
                self.script(containers)
                return containers.wait(_telling(site, progress))
        finally:
            gather(site, run)


def _compare_kernels(inside: str, progress: Progress) -> None:
    """Say so if the bytes of a matrix product may differ between containers and this process."""
    here = {json.dumps(kernel, sort_keys=True) for kernel in blas_kernels()}
    there = {json.dumps(kernel, sort_keys=True) for kernel in json.loads(inside)}
    if not there <= here:
        progress.step(
            f"the containers compute with {' and '.join(sorted(there - here))}, this process with "
            f"{' and '.join(sorted(here))}: transcript digests may differ between runtimes"
        )


def _telling(site: Site, progress: Progress) -> Callable[[], None]:
    """Return what says the round that is being played, when it changes."""
    server = next(party for party in (ANALYST, COORDINATOR) if party in site.parties)
    log = Follower(site.state(server) / LOG)
    shown = [""]

    def tell() -> None:
        words = IN_WORDS.get(log.entered() or "", shown[-1])
        if words != shown[-1]:
            shown.append(words)
            progress.step(words)

    return tell
