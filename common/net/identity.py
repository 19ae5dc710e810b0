"""Who a caller is: the name in the certificate that the TLS handshake has verified."""

from collections.abc import Collection, Iterable, Mapping

from collude.common.errors import IdentityRefused


def peer_name(auth_context: Mapping[str, Iterable[bytes]], roster: Collection[str]) -> str:
    """Return the caller's name.

    Args:
        auth_context: gRPC's, after a handshake that demanded a certificate.
        roster: the names that may call.

    Raises:
        IdentityRefused: there is no certificate, its common name is not also an alternative
            name, or it is not in the roster (any more).
    """
    common = _texts(auth_context, "x509_common_name")
    alternative = _texts(auth_context, "x509_subject_alternative_name")
    if len(common) != 1 or common[0] not in alternative:
        raise IdentityRefused(
            "the certificate does not name one party",
            field="certificate",
            expected="a common name that is also an alternative name",
            got=", ".join(common) or "no name",
        )
    if common[0] not in roster:
        raise IdentityRefused(
            "the party is not in the roster", party=common[0], field="certificate"
        )
    return common[0]


def _texts(auth_context: Mapping[str, Iterable[bytes]], key: str) -> list[str]:
    return [value.decode("utf-8", "replace") for value in auth_context.get(key) or ()]
