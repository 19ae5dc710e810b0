"""Make the pictures of the README: the report's first gallery, of drawn faces.

    python -m tools.pictures [--docs DIR]

Faces of people are never put into this repository; these are of nobody. Needs a minute.
"""

import argparse
import io
import tempfile
from pathlib import Path

from PIL import Image

from collude.common.data import load_dataset
from collude.common.scenario import load_scenario
from collude.runtime.demo import FACES, PLAN, scenario_of
from collude.runtime.report.charts import gallery_figure
from collude.runtime.report.gallery import first_gallery
from collude.runtime.report.stored import StoredRun
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario

ROOT = Path(__file__).resolve().parents[1]
SCENARIO = ROOT / "deploy" / "scenarios" / "faces.toml"
WIDTH, GREYS = 1000, 64
"""Pixels and shades: enough to read, and small in a repository."""


def gallery_png(work: Path) -> bytes:
    """Return the demo's first gallery, with drawn faces in place of real ones.

    Raises:
        SystemExit: the runs left no pictures.
    """
    base = load_scenario(SCENARIO, ["data.source=synthetic-faces"])
    dataset = load_dataset(base)
    runs = []
    for number, planned in enumerate(plan for plan in PLAN if plan.scenario == FACES):
        out = work / str(number)
        options = Options(out, compare=False, report=False)
        run_scenario(scenario_of(base, planned), options, dataset)
        runs.append(StoredRun.read(RunDirectory(out)))
    gallery = first_gallery(runs)
    if gallery is None:
        raise SystemExit("the runs left no pictures")
    return gallery_figure(gallery)


def small(png: bytes) -> bytes:
    """Return the picture in few pixels and few greys."""
    image = Image.open(io.BytesIO(png)).convert("L")
    height = round(image.height * WIDTH / image.width)
    step, buffer = 256 // GREYS, io.BytesIO()
    made = image.resize((WIDTH, height)).point([
        min(255, round(v / step) * step) for v in range(256)
    ])
    made.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Make the pictures of the README.")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="another docs/")
    folder = parser.parse_args().docs / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        png = small(gallery_png(Path(work)))
    (folder / "faces.png").write_bytes(png)
    print(f"written: {folder / 'faces.png'} ({len(png):,} bytes)")


if __name__ == "__main__":
    main()
