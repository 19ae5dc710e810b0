"""`collude compose`, `collude images`, `collude collect`: a federation in containers."""

import ipaddress
from pathlib import Path
from typing import Annotated

import typer

from collude.runtime.cli.console import Steps, err, out, show_json, use_json
from collude.runtime.cli.options import Force, Json

CHECK_FAILED = 4


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (compose, collect, images):
        app.command(command.__name__)(command)


def compose(  # noqa: PLR0913 -- one argument for each option of the command
    scenario: Annotated[
        Path, typer.Argument(help="Scenario file (TOML); with --check, a site that was made.")
    ],
    target: Annotated[Path, typer.Option("--out", help="Directory to make.")] = Path("site"),
    seed: Annotated[
        int | None, typer.Option(help="Replaces scenario.seed.", show_default=False)
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Replaces one value; may be repeated."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="UID:GID of the containers; default yours, so that the files are too."),
    ] = None,
    subnets: Annotated[
        str | None,
        typer.Option(help="Range for the networks, such as 10.213.0.0/16; default the engine's."),
    ] = None,
    force: Force = False,
    check: Annotated[
        bool, typer.Option("--check", help="Look over a site instead; exit code 4 for findings.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a folder in which `docker compose up` runs a scenario, each party in a container.

    In it are the compose file, and for each party its certificates, keys, records and party file,
    all from one topology. When all parties have ended, run/report.html is there.

    Example: collude compose deploy/scenarios/quickstart.toml --out site
    """
    use_json(wanted=json)
    if check:
        _check(scenario, json=json)
        return
    from collude.common.scenario import load_scenario
    from collude.runtime.compose.images import prepare_images
    from collude.runtime.compose.site import SiteOptions, write_site
    from collude.runtime.compose.validate import require_sound
    from collude.runtime.federation import prepare, prepare_releases

    options = SiteOptions(force=force, user=_user(user), subnets=_range(subnets))
    loaded = load_scenario(scenario, set_ or (), seed)
    federation = prepare_releases(loaded) if loaded.releases else prepare(loaded)
    with Steps() as steps:
        built = prepare_images(steps)
    plan = write_site(federation, target, built, options)
    require_sound(target)
    _say_what_is_next(target, services := [service.name for service in plan.services])
    if json:
        show_json({"site": str(target), "services": services, "networks": list(plan.networks)})


def _say_what_is_next(target: Path, services: list[str]) -> None:
    from collude.runtime.compose.services import REPORT

    err.print(f"made {target}: {', '.join(services)}", soft_wrap=True, markup=False)
    err.print(f"next: cd {target} && docker compose up", soft_wrap=True, markup=False)
    if REPORT not in services:
        err.print(f"then: collude collect {target}", soft_wrap=True, markup=False)


def collect(
    site: Annotated[Path, typer.Argument(help="A site, as `collude compose` makes it.")],
    wait: Annotated[bool, typer.Option("--wait", help="Until the parties have ended.")] = False,
    json: Json = False,
) -> None:
    """Gather what the parties of a site left into its run directory, score it, and report.

    `docker compose up` does this itself, in a container of its own. Exit code 3 if a party failed;
    the report then names it.

    Example: collude collect site
    """
    use_json(wanted=json)
    from collude.common.scenario import load_scenario
    from collude.runtime.cli.run import show_run
    from collude.runtime.compose.collect import gathering
    from collude.runtime.compose.layout import Site
    from collude.runtime.runner import Options, run_scenario

    opened = Site.open(site)
    loaded = load_scenario(opened.scenario)
    with Steps() as steps:
        runs = gathering(opened, wait=wait)
        options = Options(opened.run, runtime="compose", force=True, progress=steps, runs=runs)
        results = run_scenario(loaded, options)
    show_run(results, loaded, opened.run, json=json)


def images(json: Json = False) -> None:
    """Build the two images of this checkout, and say how large they and their wheels are.

    Example: collude images
    """
    use_json(wanted=json)
    from collude.runtime.compose.engine import build_images, connect, image_bytes
    from collude.runtime.compose.images import TARGETS, prepare_images

    client = connect()
    with Steps() as steps:
        made = prepare_images(steps)
        build_images(client, made, steps)
    base = image_bytes(client, made.base)
    sizes = {
        made.name(target): {"bytes": image_bytes(client, made.name(target)), "base_bytes": base,
                            "wheel_bytes": made.wheels(target)}
        for target in TARGETS
    }  # fmt: skip
    if json:
        show_json({"images": sizes})
        return
    for name, size in sizes.items():
        own, wheels = size["bytes"] - base, size["wheel_bytes"]
        out.print(
            f"{name}: {_mb(size['bytes'])}, of which {made.base} {_mb(base)} and {_mb(own)} "
            f"ours: {own / wheels:.1f} times the {_mb(wheels)} of its wheels",
            soft_wrap=True,
            markup=False,
        )


def _check(site: Path, *, json: bool) -> None:
    from dataclasses import asdict

    from collude.runtime.compose.validate import findings

    found = findings(site)
    if json:
        show_json({"findings": [asdict(finding) for finding in found]})
    else:
        for finding in found:
            out.print(str(finding), markup=False, soft_wrap=True)
    err.print(f"findings: {len(found)}" if found else "all is well")
    if found:
        raise typer.Exit(CHECK_FAILED)


def _user(text: str | None) -> str | None:
    if text is not None and not all(part.isdecimal() for part in text.split(":")):
        raise typer.BadParameter("UID or UID:GID, in digits", param_hint="--user")
    return text


def _range(text: str | None) -> ipaddress.IPv4Network | None:
    try:
        return None if text is None else ipaddress.IPv4Network(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--subnets") from error


def _mb(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
