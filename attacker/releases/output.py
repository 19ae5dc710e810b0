"""Releases on disk: `releases.json`, `NAME.npz` for each period, `NAME-ATTACK.npz` for each attack.

A period's file holds all that an attack looks at, so that another can look at it later. An attack's
file holds what it would say of each handle, not the whole posterior.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from collude.attacker.releases.channels import (
    Channel,
    DiscreteGaussian,
    Floats,
    Integers,
    RandomisedResponse,
)
from collude.attacker.releases.knowledge import Knowledge
from collude.attacker.releases.link import split_handles
from collude.attacker.releases.scoring import TIE
from collude.attacker.releases.view import COLUMNS, Answers, ReleaseView
from collude.common.atomic import npz_bytes, write_atomically
from collude.common.data.files import read_arrays
from collude.common.errors import LocalError, RunDirectoryInvalid
from collude.common.protocol.release_messages import HANDLE_BYTES

INDEX = "releases.json"
CHANNELS: Mapping[str, Callable[..., Channel]] = {
    "rr": RandomisedResponse,
    "gaussian": DiscreteGaussian,
}


@dataclass(frozen=True, eq=False, repr=False)
class Named:
    """What an attack says of each handle.

    Attributes:
        person: (handles,) int64, the likeliest; of several the lowest number.
        probability: (handles,) of that person.
        ties: (handles,) int64, how many are as likely, itself included.
        entropy: (handles,) nats of the posterior.
    """

    person: Integers
    probability: Floats
    ties: Integers
    entropy: Floats


def named_by(posterior: Floats) -> Named:
    """Return what a posterior, (handles, n), says of each handle."""
    top = posterior.max(axis=1)
    logs = np.log(np.where(posterior > 0, posterior, 1.0))
    return Named(
        person=np.asarray(posterior.argmax(axis=1), dtype=np.int64),
        probability=np.asarray(top),
        ties=np.count_nonzero(posterior >= top[:, None] * (1 - TIE), axis=1).astype(np.int64),
        entropy=-(posterior * logs).sum(axis=1),
    )


@dataclass(frozen=True, eq=False, repr=False)
class RecordedPeriod:
    """One period as it lies on disk.

    Attributes:
        name: of the period, for instance of its policy.
        view: what was heard.
        asked: questions, whether answered or withheld.
        notes: facts of what was wrong and stopped nothing.
        named: attack -> what it says.
        impossible: attack -> what the view lacks, in words.
    """

    name: str
    view: ReleaseView
    asked: int = 0
    notes: tuple[Mapping[str, str], ...] = ()
    named: Mapping[str, Named] = field(default_factory=dict)
    impossible: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def write_releases(folder: Path, periods: Sequence[RecordedPeriod]) -> None:
    """Write the periods to `folder`, the index last.

    Raises:
        ValueError: two periods share a name, or a name cannot be a file's.
    """
    names = [period.name for period in periods]
    if len(set(names)) != len(names):
        raise ValueError(f"two periods share a name: {names}")
    folder.mkdir(parents=True, exist_ok=True)
    for period in periods:
        write_atomically(_file(folder, period.name), npz_bytes(**_arrays(period.view)))
        for attack, named in period.named.items():
            columns = {f.name: getattr(named, f.name) for f in fields(Named)}
            write_atomically(_file(folder, f"{period.name}-{attack}"), npz_bytes(**columns))
    index = {"periods": [_entry(period) for period in periods]}
    write_atomically(folder / INDEX, json.dumps(index, indent=2).encode())


def _arrays(view: ReleaseView) -> dict[str, Any]:
    handles = np.frombuffer(b"".join(view.handles), dtype=np.uint8).reshape(-1, HANDLE_BYTES)
    answers = {name: getattr(view.answers, name) for name in COLUMNS}
    return {**answers, "handles": handles, "attributes": view.knowledge.attributes}


def _entry(period: RecordedPeriod) -> dict[str, Any]:
    knowledge = period.view.knowledge
    return {
        "name": period.name,
        "kind": knowledge.kind,
        "silos": list(knowledge.silos),
        "channel": _channel_facts(knowledge.channel),
        "asked": period.asked,
        "answers": len(period.view.answers),
        "notes": [dict(note) for note in period.notes],
        "attacks": list(period.named),
        "impossible": {name: list(lacks) for name, lacks in period.impossible.items()},
    }


def _channel_facts(channel: Channel) -> dict[str, Any]:
    if isinstance(channel, RandomisedResponse):
        return {"mechanism": "rr", **asdict(channel)}
    if isinstance(channel, DiscreteGaussian):
        return {"mechanism": "gaussian", **asdict(channel)}
    raise ValueError(f"a {type(channel).__name__} cannot be written")


def read_releases(folder: Path) -> tuple[RecordedPeriod, ...] | None:
    """Return the periods in `folder`, or None if there are none.

    Raises:
        RunDirectoryInvalid: they are there and cannot be read.
    """
    if not (folder / INDEX).exists():
        return None
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        return tuple(_read(folder, entry) for entry in index["periods"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, LocalError) as error:
        raise RunDirectoryInvalid(
            "the releases cannot be read", field=str(folder), got=str(error)
        ) from error


def _read(folder: Path, entry: dict[str, Any]) -> RecordedPeriod:
    name = entry["name"]
    arrays = read_arrays(_file(folder, name), (*COLUMNS, "handles", "attributes"))
    facts = dict(entry["channel"])
    kind = CHANNELS[facts.pop("mechanism")]
    parts = {key: tuple(v) if isinstance(v, list) else v for key, v in facts.items()}
    knowledge = Knowledge(tuple(entry["silos"]), entry["kind"], arrays["attributes"], kind(**parts))
    answers = Answers(*(arrays[column] for column in COLUMNS))
    handles = split_handles(arrays["handles"].astype(np.uint8).tobytes())
    columns = tuple(f.name for f in fields(Named))
    return RecordedPeriod(
        name=name,
        view=ReleaseView(knowledge, handles, answers),
        asked=int(entry["asked"]),
        notes=tuple(entry["notes"]),
        named={
            attack: Named(**read_arrays(_file(folder, f"{name}-{attack}"), columns))
            for attack in entry["attacks"]
        },
        impossible={attack: tuple(lacks) for attack, lacks in entry["impossible"].items()},
    )


def _file(folder: Path, name: str) -> Path:
    path = folder / f"{name}.npz"
    if path.parent != folder:
        raise ValueError(f"{name!r} cannot be the name of a file here")
    return path
