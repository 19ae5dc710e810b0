"""A small demo on drawn faces, in this process: real sessions, attacks and report in seconds."""

from pathlib import Path

from testkit.command import ROOT

from collude.common.data import load_dataset
from collude.common.scenario import load_scenario, with_overrides
from collude.runtime.baselines import with_method
from collude.runtime.report import write_report
from collude.runtime.rundir import RunDirectory, Status
from collude.runtime.runner import Options, run_scenario

FACES = ROOT / "deploy" / "scenarios" / "faces.toml"
SMALL = (
    "data.source=synthetic-faces",
    "data.participants=3",
    "data.people=5",
    "data.images_per_person=8",
    "features.width=60",
)
RUNS = {
    "local": ("local", None),
    "c-gdp": ("c-gdp", None),
    "aa-gdp": ("aa-gdp", None),
    "naa-gdp-s0.4": ("naa-gdp", 0.4),
    "i-gdp": ("i-gdp", None),
}


def make_demo(root: Path) -> RunDirectory:
    """Five methods on the same faces, in one demo's directory, with its report."""
    demo = RunDirectory.create(root, folders=("runs", "figures"))
    base = load_scenario(FACES, SMALL)
    dataset = load_dataset(base)
    for name, (method, level) in RUNS.items():
        changes = [] if level is None else [f"mechanism.anchor_noise_s={level}"]
        changes += ["collusion.attacks=[]"] if method == "local" else []
        scenario = with_overrides(with_method(base, method), changes)
        out = demo.root / "runs" / name
        run_scenario(scenario, Options(out, compare=False, report=False), dataset)
    demo.write_results({"runs": []})
    demo.write_status(Status("finished", "done"))
    write_report(demo.root)
    return demo
