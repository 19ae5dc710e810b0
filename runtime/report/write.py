"""`report.html` and the figures, from what a run directory holds."""

from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined

from collude.common.atomic import write_atomically
from collude.runtime.report.charts import attack_chart, gallery_figure, utility_chart
from collude.runtime.report.images import data_uri, require_matplotlib, tile
from collude.runtime.report.page import Page, build_page
from collude.runtime.report.release_charts import budget_chart, success_chart, switch_chart
from collude.runtime.report.releases import Releases
from collude.runtime.report.stored import read_runs
from collude.runtime.report.words import in_order
from collude.runtime.rundir import RunDirectory

_TEMPLATE = "report.html.jinja"


def write_report(directory: str | Path) -> Path:
    """Write `report.html` and `figures/*.png` and return the report's path.

    The page is one file that needs nothing else: no script, no address outside it.

    Args:
        directory: of a run, also one that was interrupted, or of a demo with several runs.

    Raises:
        RunDirectoryInvalid: it is no run directory, or a file in it is damaged.
        ExtraMissing: matplotlib is not installed.
    """
    require_matplotlib()
    run = RunDirectory.open(directory)
    runs = in_order(read_runs(run), lambda stored: stored.manifest.method)
    page = build_page(runs, run.root.resolve().name)
    figures = _figures(page)
    run.figures.mkdir(exist_ok=True)
    for name, png in figures.items():
        write_atomically(run.figures / f"{name}.png", png)
    # A path that the locale cannot spell comes in with its bytes escaped, and leaves as them.
    write_atomically(run.report, _render(page, figures).encode("utf-8", "surrogateescape"))
    return run.report


def _figures(page: Page) -> dict[str, bytes]:
    drawn = {}
    if page.gallery is not None:
        drawn["reconstructions"] = gallery_figure(page.gallery)
    for _, utility in page.utility[:1]:
        if utility.bars:
            drawn["utility"] = utility_chart(utility.bars, utility.metric)
    if page.attacks.dots:
        drawn["attacks"] = attack_chart(page.attacks.dots)
    for section in page.releases:
        drawn |= _release_figures(section)
    return drawn


def _release_figures(section: Releases) -> dict[str, bytes]:
    """Return the section's figures."""
    periods = section.codef.policies
    curves = [period for period in periods if period.curve]
    limited = [p for p in periods if p.overshoot and p.overshoot.share_used is not None]
    drawn = {}
    if curves:
        drawn["success"] = success_chart(curves, pairs=section.codef.pairs)
    if any(period.epochs for period in periods):
        drawn["levels"] = switch_chart(periods)
    if limited and section.simulation:
        drawn["budget"] = budget_chart(limited)
    return {f"{section.key}-{name}": png for name, png in drawn.items()}


def _render(page: Page, figures: dict[str, bytes]) -> str:
    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["tile"] = tile
    images = {name: data_uri(png) for name, png in figures.items()}
    return environment.get_template(_TEMPLATE).render(page=page, figures=images)


def _template(name: str) -> str:
    return files("collude.runtime.report").joinpath(name).read_text(encoding="utf-8")
