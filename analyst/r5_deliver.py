"""Round 5, analyst's side: the model for everybody, and to each its own alignment map."""

import json

from collude.analyst.learning import Learned
from collude.analyst.state import Letters
from collude.common.protocol.messages import AlignmentMap, Delivery, NamedArray


def deliveries(learned: Learned) -> Letters:
    """Return one delivery for each participant."""
    architecture = json.dumps(learned.model.architecture(), sort_keys=True)
    named = sorted(learned.model.arrays().items())
    arrays = tuple(NamedArray(name, array) for name, array in named)
    return {
        name: _delivery(learned, index, architecture, arrays)
        for index, name in enumerate(learned.aligned.names)
    }


def _delivery(
    learned: Learned, index: int, architecture: str, arrays: tuple[NamedArray, ...]
) -> Delivery:
    alignment = learned.aligned.alignment
    if alignment is None:
        return Delivery(architecture, arrays, None)
    own = AlignmentMap(alignment.rotations[index], alignment.means[index], alignment.offset)
    return Delivery(architecture, arrays, own)
