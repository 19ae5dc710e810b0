"""docs/examples/outside works beside the installed package, without the rest of this tree."""

import shutil
import tomllib

from testkit.command import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "outside"


def test_it_passes_its_own_tests(pytester, monkeypatch) -> None:
    """What `pip install` writes is written here by hand; `make smoke` uses pip and the wheel."""
    folder = pytester.path / "elsewhere"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    info = folder / "outside-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 0.1.0\n")
    ((group, entries),) = project["entry-points"].items()
    lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines}")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", folder / "tests")
    result.assert_outcomes(passed=4)
