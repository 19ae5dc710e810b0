"""What can be wrong with a party's certificate, as a list: empty means that it can be used."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """The content of a party's three PEM files. The key is not shown in a repr."""

    ca: bytes
    cert: bytes
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        code: stable identifier.
        field: which file: `ca`, `cert` or `key`.
        reason: what is wrong.
        expected: what would have been accepted, or None.
        got: what came instead, or None; never a key.
    """

    code: str
    field: str
    reason: str
    expected: str | None = None
    got: str | None = None


def problems(name: str, files: TlsFiles, now: dt.datetime) -> list[Problem]:
    """Return what is wrong with the certificate of the party `name` at time `now`."""
    try:
        authority = x509.load_pem_x509_certificate(files.ca)
        leaf = x509.load_pem_x509_certificate(files.cert)
    except ValueError:
        return [Problem("E-PKI-PEM", "ca or cert", "is no certificate in PEM")]
    return [
        *_time_problems("ca", authority, now),
        *_time_problems("cert", leaf, now),
        *_issuer_problems(leaf, authority),
        *_name_problems(name, leaf),
        *_key_problems(leaf, files.key),
    ]


def names_of(certificate: x509.Certificate) -> tuple[list[str], list[str]]:
    """Return the common names and the DNS alternative names of a certificate."""
    attributes = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        alternative = []
    else:
        alternative = extension.value.get_values_for_type(x509.DNSName)
    return [str(attribute.value) for attribute in attributes], alternative


def load_private_key(pem: bytes) -> PrivateKeyTypes | None:
    """Return the private key in an unencrypted PEM, or None if there is none to be read."""
    try:
        return load_pem_private_key(pem, password=None)
    except (ValueError, TypeError):
        return None


def _time_problems(field: str, cert: x509.Certificate, now: dt.datetime) -> Iterator[Problem]:
    start, end = cert.not_valid_before_utc, cert.not_valid_after_utc
    if now < start:
        yield Problem("E-PKI-EARLY", field, "is not yet valid", f"from {start}", str(now))
    if now > end:
        yield Problem("E-PKI-EXPIRED", field, "has expired", f"until {end}", str(now))


def _issuer_problems(leaf: x509.Certificate, authority: x509.Certificate) -> Iterator[Problem]:
    try:
        leaf.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        yield Problem("E-PKI-CA", "cert", "was not issued by the consortium's CA")


def _name_problems(name: str, leaf: x509.Certificate) -> Iterator[Problem]:
    common, alternative = names_of(leaf)
    if common != [name] or name not in alternative:
        got = f"{', '.join(common)} and {', '.join(alternative)}"
        yield Problem("E-PKI-NAME", "cert", "is another party's", name, got)


def _key_problems(leaf: x509.Certificate, pem: bytes) -> Iterator[Problem]:
    key = load_private_key(pem)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        yield Problem("E-PKI-KEY", "key", "is no elliptic-curve key in unencrypted PEM")
    elif key.public_key() != leaf.public_key():
        yield Problem("E-PKI-KEY", "key", "does not belong to the certificate")
