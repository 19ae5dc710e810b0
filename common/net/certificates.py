"""Making X.509 certificates: one consortium CA and a leaf for each party, all ECDSA P-256.

gRPC's handshake refuses Ed25519 leaves, so TLS keys are P-256 and signing keys are apart.
"""

import datetime as dt
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from collude.common.net.address import is_ip

AUTHORITY = "ca"
"""Name of the CA's folder; no party is called so."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""Hosts that every certificate is good for."""

CLOCK_SKEW = dt.timedelta(hours=1)
"""Certificates hold from a little earlier, so that a slow clock accepts them too."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A certificate and its private key. The key is not shown in a repr."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey = field(repr=False)

    def certificate_pem(self) -> bytes:
        """Return the certificate as PEM."""
        return self.certificate.public_bytes(Encoding.PEM)

    def key_pem(self) -> bytes:
        """Return the private key as unencrypted PKCS#8 PEM."""
        return private_pem(self.key)


def private_pem(key: PrivateKeyTypes) -> bytes:
    """Return a private key as unencrypted PKCS#8 PEM."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def make_authority(now: dt.datetime, days: int) -> Issued:
    """Return a new self-signed CA, valid from `now` for `days`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _named("Collude consortium CA")
    builder = (
        _builder(name, name, key.public_key(), now, days)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(sign_certificates=True), critical=True)
    )
    return Issued(builder.sign(key, hashes.SHA256()), key)


def make_leaf(
    authority: Issued, name: str, hosts: Iterable[str], now: dt.datetime, days: int
) -> Issued:
    """Return a new certificate for a party, for both ends of a connection.

    Args:
        authority: who signs it.
        name: common name, and the first of the subject alternative names.
        hosts: DNS names and IP addresses, further alternative names beside loopback.
        now: valid from here, timezone-aware.
        days: for so long.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = authority.certificate.subject
    names = dict.fromkeys((name, *hosts, *LOOPBACK))
    authority_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    both_ends = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    builder = (
        _builder(_named(name), issuer, key.public_key(), now, days)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(sign_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(both_ends), critical=False)
        .add_extension(x509.SubjectAlternativeName(map(_general, names)), critical=False)
        .add_extension(authority_id, critical=False)
    )
    return Issued(builder.sign(authority.key, hashes.SHA256()), key)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    public_key: ec.EllipticCurvePublicKey,
    now: dt.datetime,
    days: int,
) -> x509.CertificateBuilder:
    return (
        x509
        .CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SKEW)
        .not_valid_after(now + dt.timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    )


def _named(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _general(host: str) -> x509.GeneralName:
    return x509.IPAddress(ipaddress.ip_address(host)) if is_ip(host) else x509.DNSName(host)


def _usage(*, sign_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not sign_certificates,
        key_cert_sign=sign_certificates,
        crl_sign=sign_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
