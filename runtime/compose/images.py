"""The two images: what goes into them, under which name, and whether they must be made anew.

A build fetches nothing: the wheels are made and downloaded here, with this machine's pip and its
configuration, and the Dockerfile installs them.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import get_args

from collude.common.errors import ExtraMissing, LocalError
from collude.runtime.compose.services import Image
from collude.runtime.progress import Progress

TARGETS: tuple[Image, ...] = get_args(Image)
EXTRAS: Mapping[Image, str] = {"party": "", "trainer": "[demo]"}
"""Target -> what of the distribution it needs."""

PYTHON = "3.11"
"""Of the base image, and of the versions in constraints.txt."""
BASE = "python:3.11-slim"
BASE_VARIABLE, INDEX_VARIABLE = "COLLUDE_BASE_IMAGE", "TORCH_INDEX"

_MACHINES = {"AMD64": "x86_64", "arm64": "aarch64"}
_SUFFIXES = {".py", ".pyi", ".jinja", ".toml", ".typed"}
_TREE = Path(__file__).resolve().parents[2]
_PARTS = ("pyproject.toml", "README.md", "LICENSE", "src")


@dataclass(frozen=True, slots=True)
class Images:
    """Names of the images of this tree, and where they can be built from.

    Attributes:
        context: the folder with the Dockerfile and the wheels.
        tag: stands for all that goes into them.
        base: the image that they start from.
    """

    context: Path
    tag: str
    base: str

    def name(self, image: Image) -> str:
        """Return the name of one of the images."""
        return f"collude-{image}:{self.tag}"

    def wheels(self, image: Image) -> int:
        """Return the bytes of all wheels that are installed in an image."""
        parts = ("own", *TARGETS[: TARGETS.index(image) + 1])
        files = [file for part in parts for file in (self.context / "wheels" / part).iterdir()]
        return sum(file.stat().st_size for file in files)


def images_of(tree: Path = _TREE) -> Images:
    """Return the names that images of the tree have; nothing is made.

    Raises:
        ExtraMissing: collude does not run from a checkout, so there is nothing to build from.
    """
    if not (tree / "deploy" / "Dockerfile").is_file():
        raise ExtraMissing(
            "images are built from a checkout, and this is an installed package",
            field="deploy/Dockerfile",
            hint="Clone the repository, `make setup`, and call its .venv/bin/collude",
        )
    base = os.environ.get(BASE_VARIABLE, BASE)
    # The base by its name: when it is made anew under the same one, the engine does not see it.
    tag = f"{metadata.version('collude')}-{_digest(tree, base)}"
    return Images(tree / "build" / "image", tag, base)


def prepare_images(progress: Progress, tree: Path = _TREE) -> Images:
    """Return the images of the tree after making the context that they are built from.

    Raises:
        ExtraMissing: collude does not run from a checkout.
        LocalError: a wheel cannot be made or downloaded.
    """
    images = images_of(tree)
    images.context.mkdir(parents=True, exist_ok=True)
    with _alone(images.context):
        _libraries(images.context, tree, progress)
        _own(images, tree, progress)
    return images


def _digest(tree: Path, base: str) -> str:
    found = hashlib.sha256(repr((base, _index(tree), platform.machine())).encode())
    for path in (tree / "deploy" / "Dockerfile", tree / "constraints.txt", *_sources(tree)):
        found.update(f"{path.relative_to(tree)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()[:12]


def _sources(tree: Path) -> Iterator[Path]:
    """Yield every file that the wheel is made of."""
    yield tree / "pyproject.toml"
    for package in sorted((tree / "src" / "collude").iterdir()):
        for path in sorted(package.resolve().rglob("*")):
            if path.suffix in _SUFFIXES:
                yield path


def _index(tree: Path) -> list[str]:
    """Return pip's words for the index that `make setup` took torch from."""
    remembered = tree / ".venv" / "collude-torch-index"
    kept = remembered.read_text(encoding="utf-8") if remembered.is_file() else ""
    index = os.environ.get(INDEX_VARIABLE) or kept
    return ["--extra-index-url", index] if index else []


@contextmanager
def _alone(context: Path) -> Iterator[None]:
    with (context / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _libraries(context: Path, tree: Path, progress: Progress) -> None:
    """Download what the images need beside collude itself, if it is not there already."""
    pins, project = tree / "constraints.txt", tree / "pyproject.toml"
    parts = (
        pins.read_bytes(),
        project.read_bytes(),
        repr((_index(tree), platform.machine())).encode(),
    )
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()
    note, wheels = context / "libraries", context / "wheels"
    if note.is_file() and note.read_text() == key:
        return
    note.unlink(missing_ok=True)
    index = _index(tree)
    with _built(tree) as own:
        for image in TARGETS:
            progress.step(f"wheels for the image {image} are downloaded")
            _download(wheels / image, f"{own}{EXTRAS[image]}", ["--constraint", str(pins), *index])
    for wheel in (wheels / "party").iterdir():
        (wheels / "trainer" / wheel.name).unlink(missing_ok=True)
    note.write_text(key)


def _download(folder: Path, what: str, pins: Sequence[str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    machine = _MACHINES.get(platform.machine(), platform.machine())
    platforms = [f"manylinux_2_28_{machine}", f"manylinux2014_{machine}"]
    # A source distribution would be built by code of its own, for this machine and not the image.
    words = ["download", "--only-binary=:all:", "--python-version", PYTHON]
    words += [word for each in platforms for word in ("--platform", each)]
    _pip([*words, *pins, "--dest", str(folder), what])
    for own in folder.glob("collude-*.whl"):
        own.unlink()


def _own(images: Images, tree: Path, progress: Progress) -> None:
    """Put the tree's own wheel and the Dockerfile into the context."""
    note, folder = images.context / "tag", images.context / "wheels" / "own"
    if note.is_file() and note.read_text() == images.tag:
        return
    note.unlink(missing_ok=True)
    progress.step("the wheel of this tree is built")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with _built(tree) as own:
        shutil.copy(own, folder)
    shutil.copy(tree / "deploy" / "Dockerfile", images.context)
    (images.context / ".dockerignore").write_text("*\n!wheels\n")
    note.write_text(images.tag)


@contextmanager
def _built(tree: Path) -> Iterator[Path]:
    """Give the wheel of the tree, built from a copy: setuptools reuses what it finds in one."""
    with tempfile.TemporaryDirectory(prefix="collude-wheel-") as made:
        copy = Path(made) / "tree"
        copy.mkdir()
        for name in (*_PARTS, *(link.name for link in (tree / "src" / "collude").iterdir())):
            _copy(tree / name, copy / name)
        words = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", made, str(copy)]
        _pip(words)
        yield next(Path(made).glob("collude-*.whl"))


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(source, target, symlinks=True, ignore=left_out)
    elif source.exists():
        shutil.copy(source, target)


def _pip(words: Sequence[str]) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 -- our own words
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise LocalError(
            "pip could not make the wheels for the images",
            field=f"pip {words[0]}",
            got=last[0] if last else f"exit status {done.returncode}",
            hint="Does `make setup` work? The wheels come from the same places",
        )
