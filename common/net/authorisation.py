"""Which role may call what. What is not in the table is refused.

Mail also has a list of its own at each server: the analyst and the coordinator take it from
participants, a silo from the one who asks about persons.
"""

from collections.abc import Mapping

from collude.common.errors import IdentityRefused
from collude.common.ids import Role, role_of

DELIVER = "/collude.wire.v1.Mail/Deliver"
COLLECT = "/collude.wire.v1.Mail/Collect"
UPLOAD = "/collude.wire.v1.Uploads/Upload"
DISCLOSE = "/collude.wire.v1.Disclosing/Disclose"

HEALTH = "/grpc.health.v1.Health/Check"
"""Whether the server serves: any party of the roster may ask, its own container before all."""

ALLOWED: Mapping[str, frozenset[Role]] = {
    DELIVER: frozenset({Role.PARTICIPANT, Role.ATTACKER}),
    COLLECT: frozenset({Role.PARTICIPANT, Role.ATTACKER}),
    UPLOAD: frozenset({Role.PARTICIPANT}),
    DISCLOSE: frozenset({Role.ATTACKER}),
}
"""Full method name -> the roles that may call it."""


def authorise(peer: str, method: str) -> None:
    """Let the party `peer` call `method`, or raise.

    Raises:
        IdentityRefused: the table does not say that it may.
    """
    if method != HEALTH and role_of(peer) not in ALLOWED.get(method, frozenset()):
        raise IdentityRefused(
            "the party's role may not call this", party=peer, field=method, got=role_of(peer).value
        )
