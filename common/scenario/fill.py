"""What stands in a scenario that does not say it, where that depends on another section."""

from collections.abc import Mapping
from types import MappingProxyType

RELEASE_ATTACKS: Mapping[object, tuple[str, ...]] = MappingProxyType({
    "persons": ("maximum-likelihood", "one-to-one"),
    "xor-persons": ("xor-pair",),
})
"""What is measured where persons of a source are asked about and the scenario names no attack."""


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
    source = data.get("source") if codef.get("enabled") is True else None
    collusion = _table(made, "collusion")
    unsaid = "attacks" not in collusion and isinstance(made.get("collusion", {}), Mapping)
    if unsaid and isinstance(source, str) and source in RELEASE_ATTACKS:
        made["collusion"] = collusion | {"attacks": list(RELEASE_ATTACKS[source])}
    return made


def _table(document: Mapping[object, object], name: str) -> dict[object, object]:
    table = document.get(name)
    return dict(table) if isinstance(table, Mapping) else {}
