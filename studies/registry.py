"""All studies by name."""

from collections.abc import Mapping
from difflib import get_close_matches

from collude.common.errors import ParameterInvalid
from collude.studies import (
    adaptive,
    bound_check,
    codef_policies,
    gaussian,
    phase_transition,
    shuffle,
    synergy,
    threshold_scaling,
)
from collude.studies.study import Study

STUDIES: Mapping[str, Study] = {
    module.STUDY.name: module.STUDY
    for module in (
        phase_transition,
        threshold_scaling,
        synergy,
        bound_check,
        gaussian,
        shuffle,
        codef_policies,
        adaptive,
    )
}


def study_named(name: str) -> Study:
    """Return a study.

    Raises:
        ParameterInvalid: there is none of that name; the nearest is named.
    """
    if name in STUDIES:
        return STUDIES[name]
    near = get_close_matches(name, STUDIES, n=1, cutoff=0.4)
    raise ParameterInvalid(
        f"there is no study {name}",
        field="NAME",
        expected=", ".join(STUDIES),
        got=name,
        hint=f"did you mean {near[0]}?" if near else "`collude study --list` shows them",
    )
