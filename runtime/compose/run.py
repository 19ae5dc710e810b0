"""The runtime `compose`: every party in a container of its own, through the engine's API."""

import json
from collections.abc import Callable, Mapping

from collude.common.ids import ANALYST, COORDINATOR
from collude.runtime.compose.collect import gather
from collude.runtime.compose.containers import Containers
from collude.runtime.compose.engine import build_images, connect, kernels_in
from collude.runtime.compose.images import prepare_images
from collude.runtime.compose.layout import Site
from collude.runtime.compose.site import SiteOptions, write_site
from collude.runtime.federation import Federation
from collude.runtime.processes import IN_WORDS
from collude.runtime.progress import Progress
from collude.runtime.rundir import RunDirectory
from collude.runtime.timeline import entered
from collude.runtime.versions import blas_kernels

SITE = "site"
"""Folder of the run directory with what the containers were given."""


Play = Callable[[Containers], None]
"""Starts the parties, in its own order, and may do to them what networks and machines do."""


def run_compose(
    federation: Federation,
    run: RunDirectory,
    progress: Progress,
    play: Play = Containers.start_all,
) -> Mapping[str, int]:
    """Run every party in a container of its own; return each one's exit status.

    Args:
        federation: who takes part.
        run: the run directory; the site stays in it, beside what was gathered from it.
        progress: told at each step.
        play: starts the parties.

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
    site = Site(run.root / SITE)
    plan = write_site(federation, site.root, images, SiteOptions(report=False))
    progress.step("the parties start, each in a container of its own")
    try:
        with Containers(client, plan, site.root, images, run.logs) as containers:
            play(containers)
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
    shown: list[str | None] = [None]

    def tell() -> None:
        now = entered(site.state(server) / "log.jsonl")
        if now != shown[-1]:
            shown.append(now)
            progress.step(IN_WORDS.get(now or "", "the parties start"))

    return tell
