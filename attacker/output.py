"""A campaign on disk: `attacks.json`, `NAME.npz` for each reconstruction, `others/PARTY.npz`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from collude.attacker.attacks import Reconstruction
from collude.attacker.campaign import Campaign
from collude.common.atomic import npz_bytes, write_atomically
from collude.common.data.files import read_arrays
from collude.common.errors import LocalError, RunDirectoryInvalid

INDEX = "attacks.json"
OTHERS = "others"


def write_campaign(folder: Path, campaign: Campaign) -> None:
    """Write the campaign to `folder`, the index last."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, result in campaign.results.items():
        write_atomically(folder / f"{name}.npz", npz_bytes(**_arrays(result)))
    for party, records in campaign.others.items():
        (folder / OTHERS).mkdir(exist_ok=True)
        write_atomically(folder / OTHERS / f"{party}.npz", npz_bytes(**dict(records)))
    index = {
        "target": campaign.target,
        "colluders": list(campaign.colluders),
        "diagnostics": {n: dict(r.diagnostics) for n, r in campaign.results.items()},
        "impossible": {n: list(lacks) for n, lacks in campaign.impossible.items()},
        "others": {party: list(records) for party, records in campaign.others.items()},
    }
    write_atomically(folder / INDEX, json.dumps(index, indent=2).encode())


def _arrays(result: Reconstruction) -> dict[str, Any]:
    arrays = {
        "records": result.records,
        "rotation": result.rotation,
        "translation": result.translation,
    }
    return {name: array for name, array in arrays.items() if array is not None}


def read_campaign(folder: Path) -> Campaign | None:
    """Return the campaign in `folder`, or None if there is none.

    Raises:
        RunDirectoryInvalid: it is there and cannot be read.
    """
    if not (folder / INDEX).exists():
        return None
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        results = {n: _read(folder, n, d) for n, d in index["diagnostics"].items()}
        impossible = {n: tuple(lacks) for n, lacks in index["impossible"].items()}
        others = {
            party: read_arrays(_file(folder / OTHERS, party), tuple(names))
            for party, names in index.get("others", {}).items()
        }
        return Campaign(index["target"], tuple(index["colluders"]), results, impossible, others)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, LocalError) as error:
        raise RunDirectoryInvalid(
            "the attacks cannot be read", field=str(folder), got=str(error)
        ) from error


def _read(folder: Path, name: str, diagnostics: Mapping[str, float | str]) -> Reconstruction:
    arrays = read_arrays(_file(folder, name), ("records",), optional=("rotation", "translation"))
    return Reconstruction(
        records=arrays["records"],
        rotation=arrays.get("rotation"),
        translation=arrays.get("translation"),
        diagnostics=dict(diagnostics),
    )


def _file(folder: Path, name: str) -> Path:
    path = folder / f"{name}.npz"
    if path.parent != folder:
        raise ValueError(f"{name!r} cannot be the name of a file here")
    return path
