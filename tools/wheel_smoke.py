"""Build the wheel, install it in an empty environment, and use it from outside the tree.

    python tools/wheel_smoke.py [--keep]

Catches what the editable installation hides: links that were not followed, package data or a
dependency that is missing. Needs `build` and `setuptools`; TORCH_INDEX is an extra index.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = shutil.ignore_patterns(
    ".*", "build", "dist", "runs", "tests", "*.egg-info", "__pycache__", "constraints.new"
)
PACKAGES = sorted(link.name for link in (ROOT / "src" / "collude").iterdir() if link.is_symlink())
DATA_SUFFIXES = {".py", ".pyi", ".jinja", ".toml", ".typed"}

PLUGIN_GROUPS = {
    f"collude.{group}"
    for group in (
        *("alignments", "attacks", "auditors", "colluders", "datasets", "deviators"),
        *("mechanisms", "policies"),
    )
}


class SmokeFailed(SystemExit):
    """A step of the smoke test did not hold."""


def run(command: list[object], folder: Path) -> str:
    """Return what `command` prints on stdout, run in `folder` without Python's variables.

    Raises:
        SmokeFailed: the command ended with another exit code than 0.
    """
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    words = [str(word) for word in command]
    done = subprocess.run(  # noqa: S603 -- our own words
        words, check=False, cwd=folder, env=outside, capture_output=True, text=True
    )
    if done.returncode:
        raise SmokeFailed(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(work: Path) -> None:
    """Build sdist and wheel, the wheel out of the sdist, from a copy of the tree."""
    copy = work / "tree"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=LEFT_OUT)
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", work / "dist"], copy)


def inspect(work: Path) -> None:
    """Compare the wheel's files with the tree's.

    Raises:
        SmokeFailed: a file of the tree is not in the wheel.
    """
    held = set(zipfile.ZipFile(wheel(work)).namelist())
    missing = sorted(expected() - held)
    if missing:
        raise SmokeFailed(f"not in the wheel: {missing}")


def expected() -> set[str]:
    """Return the name in the wheel of every file that the installed program may need."""
    files = (
        (f"collude/{name}/{file.relative_to(ROOT / 'src' / 'collude' / name).as_posix()}", file)
        for name in (*PACKAGES, "wire")
        for file in (ROOT / "src" / "collude" / name).rglob("*")
    )
    return {name for name, file in files if file.suffix in DATA_SUFFIXES}


def wheel(work: Path) -> Path:
    """Return the one wheel that was built.

    Raises:
        SmokeFailed: there is not exactly one.
    """
    wheels = list((work / "dist").glob("*.whl"))
    if len(wheels) != 1:
        raise SmokeFailed(f"expected one wheel, got {wheels}")
    return wheels[0]


def install(work: Path) -> None:
    """Install the wheel with the extra `demo`, pinned, in an empty environment."""
    venv.create(work / "venv", with_pip=True)
    pip = [work / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "install"]
    index = os.environ.get("TORCH_INDEX")
    source = ["--extra-index-url", index] if index else []
    pins = ["--constraint", ROOT / "constraints.txt"]
    # Compiling all of torch takes longer than compiling the part that the demo imports.
    run([*pip, "--quiet", "--no-compile", *source, *pins, f"{wheel(work)}[demo]"], work)


def ask_for_help(work: Path) -> None:
    """See that the command starts."""
    run([work / "venv/bin/collude", "--help"], work)


def list_plugins(work: Path) -> None:
    """See that the entry points of every group came with the wheel.

    Raises:
        SmokeFailed: a group is empty.
    """
    listed = json.loads(run([work / "venv/bin/collude", "plugins", "--json"], work))
    missing = PLUGIN_GROUPS - {plugin["group"] for plugin in listed["plugins"]}
    if missing:
        raise SmokeFailed(f"collude plugins lists nothing for {sorted(missing)}")


def demonstrate(work: Path) -> None:
    """Run the quick demo and look for what it must leave.

    Raises:
        SmokeFailed: the report or the results are missing.
    """
    out = work / "demo"
    run([work / "venv/bin/collude", "demo", "--quick", "--out", out], work)
    for name in ("report.html", "results.json"):
        if not (out / name).is_file():
            raise SmokeFailed(f"collude demo left no {name}")


def use_from_outside(work: Path) -> None:
    """Install the example of an outside project beside the wheel, and run its tests."""
    folder = work / "outside"
    shutil.copytree(ROOT / "docs" / "examples" / "outside", folder)
    pip = [work / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "install"]
    pins = ["--constraint", ROOT / "constraints.txt"]
    run([*pip, "--quiet", *pins, "setuptools", "pytest"], work)
    run([*pip, "--quiet", "--no-deps", "--no-build-isolation", folder], work)
    run([work / "venv/bin/python", "-m", "pytest", "-p", "no:cacheprovider"], folder)


STEPS: tuple[Callable[[Path], None], ...] = (
    build,
    inspect,
    install,
    ask_for_help,
    list_plugins,
    use_from_outside,
    demonstrate,
)


def main() -> None:
    """Run every step in a new folder and say how long each took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="keep the folder, to look at it")
    keep = parser.parse_args().keep
    work = Path(tempfile.mkdtemp(prefix="collude-smoke-"))
    try:
        for step in STEPS:
            start = time.monotonic()
            step(work)
            print(
                f"wheel smoke: {step.__name__.replace('_', ' ')}: {time.monotonic() - start:.1f} s"
            )
    finally:
        if keep:
            print(f"kept: {work}")
        else:
            shutil.rmtree(work)


if __name__ == "__main__":
    main()
