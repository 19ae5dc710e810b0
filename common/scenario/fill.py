"""What stands in a scenario that does not say it, where that depends on another section."""

from collections.abc import Mapping

from collude.common.scenario.codef_sections import RELEASE_SOURCES

RELEASE_ATTACKS = ("maximum-likelihood",)
"""What is measured where persons are asked about and the scenario names no attack."""


def filled(document: object) -> object:
    """Return a scenario's tables with what follows from others; anything else unchanged.

    The number of participants is `codef.silos` where only that is given; the attacks on answers
    are others than those on uploads.
    """
    if not isinstance(document, Mapping):
        return document
    made = dict(document)
    data, codef = _table(made, "data"), _table(made, "codef")
    if "participants" not in data and isinstance(codef.get("silos"), int):
        made["data"] = data | {"participants": codef["silos"]}
    asked = codef.get("enabled") is True and data.get("source") in RELEASE_SOURCES
    collusion = _table(made, "collusion")
    if asked and "attacks" not in collusion and isinstance(made.get("collusion", {}), Mapping):
        made["collusion"] = collusion | {"attacks": list(RELEASE_ATTACKS)}
    return made


def _table(document: Mapping[object, object], name: str) -> dict[object, object]:
    table = document.get(name)
    return dict(table) if isinstance(table, Mapping) else {}
