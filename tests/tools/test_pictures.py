"""The README's pictures: small, described for those who cannot see them, and of nobody."""

import importlib.util
import io
import re
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).parents[2]


def loaded():
    """The command as a module; the root is not on the path, or bare names would be found."""
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "tools" / "pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_they_are_small_and_the_readme_describes_each() -> None:
    pictures = {path.name: path.stat().st_size for path in (ROOT / "docs/pictures").iterdir()}
    assert 0 < sum(pictures.values()) < 300_000
    shown = re.findall(r"!\[([^\]]+)\]\(docs/pictures/([^)]+)\)", (ROOT / "README.md").read_text())
    assert {name for _, name in shown} == set(pictures)
    assert all(len(words) > 40 for words, _ in shown)


def test_a_picture_is_made_small_without_changing_what_it_shows() -> None:
    module = loaded()
    slope = np.tile(np.linspace(0, 255, 2 * module.WIDTH), (40, 1)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(slope).save(buffer, format="PNG")
    made = Image.open(io.BytesIO(module.small(buffer.getvalue())))
    assert made.size == (module.WIDTH, 20)
    levels = np.asarray(made, dtype=float)
    assert len(np.unique(levels)) <= module.GREYS + 1
    assert np.abs(levels - np.linspace(0, 255, module.WIDTH)).max() < 4
