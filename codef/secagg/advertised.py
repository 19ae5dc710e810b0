"""What both sides check of advertised keys."""

from collections.abc import Mapping
from functools import lru_cache

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import abort, check_signed
from collude.codef.secagg.keys import (
    ADVERTISE_TAG,
    advertised_hash,
    advertised_items,
    check_public,
)
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

STAGE = Stage.ADVERTISE_KEYS
_KEPT = 4


def check_keys(terms: Terms, name: str, keys: m.AdvertiseKeys) -> None:
    """Return if one silo's keys are signed by it, for these terms, and usable.

    Raises:
        AggregationAborted: they are not; names the silo.
    """
    for what, mine, theirs in (
        ("roster", terms.roster.hash, keys.roster),
        ("parameters", terms.hash, keys.parameters),
    ):
        if mine != theirs:
            reason = f"runs with another {what} hash"
            abort(STAGE, reason, party=name, what=what, expected=mine.hex(), got=theirs.hex())
    items = advertised_items(terms.session, name, keys)
    check_signed(STAGE, terms.roster.keys[name], keys.signature, ADVERTISE_TAG, items, name)
    try:
        check_public(keys.envelope_key)
        check_public(keys.mask_key)
    except ValueError as error:
        abort(STAGE, "a key is of low order or not reduced", party=name, what="key", got=error)


def check_distinct(silos: Mapping[str, m.AdvertiseKeys]) -> None:
    """Return if no key or hash occurs twice.

    Raises:
        AggregationAborted: one does; names the silo that shows it second.
    """
    seen: dict[bytes, str] = {}
    for name, keys in silos.items():
        for value in (keys.envelope_key, keys.mask_key, keys.self_mask_hash):
            if value in seen:
                reason = f"shows a key that {seen[value]} shows too"
                abort(STAGE, reason, party=name, what="key", got=value.hex())
            seen[value] = name


@lru_cache(maxsize=_KEPT)
def checked_hash(terms: Terms, silos: tuple[m.NamedKeys, ...]) -> bytes:
    """Return the hash of all that was advertised, 32 bytes, after checking every silo's keys.

    What K silos in one process are shown is one list, and is checked once and not K times: the
    answer depends on nothing else, and a list that fails is not remembered.

    Raises:
        AggregationAborted: some keys are not in order; names their silo.
    """
    for named in silos:
        check_keys(terms, named.name, named.keys)
    check_distinct({named.name: named.keys for named in silos})
    return advertised_hash(terms.session, silos)
