"""One model trained several times, each time with another seed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import ModelInvalid
from collude.common.evaluation import MOST_REPEATS
from collude.common.models.checks import Described, FloatArray, IntArray
from collude.common.models.model import Model

Build = Callable[[Mapping[str, object], Described], Model]


@dataclass(frozen=True, eq=False)
class RepeatedModel:
    """The models of several training seeds, in the order of the seeds.

    Scores and predictions are those of the first, so that they are what one model would give;
    the others are there for whoever wants to see how much the seed matters.

    Attributes:
        members: at least one.
    """

    kind: ClassVar[str] = "repeated"

    members: tuple[Model, ...]

    @property
    def width(self) -> int:
        """d, columns of the records, as the first model has it."""
        return self.members[0].width

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return the (n, k) scores of (n, d) rows by the first model."""
        return self.members[0].scores(rows)

    def predict(self, rows: FloatArray) -> IntArray:
        """Return the (n,) labels of (n, d) rows by the first model."""
        return self.members[0].predict(rows)

    def architecture(self) -> dict[str, object]:
        """Return what JSON must say beside the arrays to rebuild the models."""
        return {"kind": self.kind, "members": [model.architecture() for model in self.members]}

    def arrays(self) -> dict[str, FloatArray]:
        """Return the trained numbers; a name is `place/name`."""
        return {
            f"{place}/{name}": array
            for place, model in enumerate(self.members)
            for name, array in model.arrays().items()
        }


def members_of(model: Model) -> tuple[Model, ...]:
    """Return the models that were trained: several for a repeated one, else itself."""
    return model.members if isinstance(model, RepeatedModel) else (model,)


def repeated_from(
    architecture: Mapping[str, object], arrays: Described, build: Build
) -> RepeatedModel:
    """Return the models that `architecture()` and `arrays()` of a repeated model describe.

    Args:
        architecture: parsed JSON.
        arrays: float64, by name.
        build: makes one member of its part.

    Raises:
        ModelInvalid: no usable members, arrays of none of them, members of different widths, or
            one that cannot be built.
    """
    described = architecture.get("members")
    if not isinstance(described, list) or not 1 <= len(described) <= MOST_REPEATS:
        raise ModelInvalid(
            "the model has no usable members",
            field="members",
            expected=f"a list of 1 to {MOST_REPEATS}",
        )
    parts = _by_place(arrays, len(described))
    members = tuple(build(each, part) for each, part in zip(described, parts, strict=True))
    widths = {member.width for member in members}
    if len(widths) > 1:
        raise ModelInvalid(
            "the members are of different widths", field="members", got=sorted(widths)
        )
    return RepeatedModel(members)


def _by_place(arrays: Described, count: int) -> list[dict[str, NDArray[np.generic]]]:
    parts: list[dict[str, NDArray[np.generic]]] = [{} for _ in range(count)]
    places = {str(place): part for place, part in enumerate(parts)}
    for full, array in arrays.items():
        place, _, name = str(full).partition("/")
        if place not in places:
            raise ModelInvalid(
                "an array belongs to none of the members", field="arrays", got=str(full)[:80]
            )
        places[place][name] = array
    return parts
