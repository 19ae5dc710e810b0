"""The quickstart in this process, without report and baselines: a fifth of a second."""

from testkit.command import QUICKSTART

from collude.common.scenario import load_scenario
from collude.runtime.runner import Options, run_scenario


def quickstart(*overrides, seed=7):
    return load_scenario(QUICKSTART, overrides, seed)


def run_quickly(out, *overrides, seed=7, **options):
    """Run it and return the results."""
    quiet = {"compare": False, "report": False} | options
    return run_scenario(quickstart(*overrides, seed=seed), Options(out, **quiet))
