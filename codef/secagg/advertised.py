"""What both sides check of advertised keys."""

from collections.abc import Mapping

from collude.codef.secagg import messages as m
from collude.codef.secagg.aborts import abort, check_signed
from collude.codef.secagg.keys import ADVERTISE_TAG, advertised_items, check_public
from collude.codef.secagg.stages import Stage
from collude.codef.secagg.terms import Terms

STAGE = Stage.ADVERTISE_KEYS


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
