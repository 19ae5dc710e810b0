"""gRPC credentials for mutual TLS from a party's own files."""

import datetime as dt
from pathlib import Path

import grpc

from collude.common.errors import CertificateInvalid
from collude.common.net.certificate_check import TlsFiles, problems
from collude.common.party_file import PartyFile

_RENEW = "Look at the certificates with `collude pki check`."


def load_tls(file: PartyFile, *, now: dt.datetime | None = None) -> TlsFiles:
    """Return the content of a party's certificate files after checking that it can be used.

    Args:
        file: the party's file, which names the three PEM files.
        now: the time for which the certificates are checked; None is the present.

    Raises:
        CertificateInvalid: unreadable, not PEM, of another party or CA, out of time, or a key
            that does not belong to the certificate.
    """
    paths = file.tls
    files = TlsFiles(
        *(_read(path, file.party.name) for path in (paths.ca, paths.cert, paths.key)),
    )
    for problem in problems(file.party.name, files, now or dt.datetime.now(dt.UTC)):
        raise CertificateInvalid(
            f"the certificate {problem.reason}" if problem.field == "cert" else problem.reason,
            party=file.party.name,
            field=f"tls.{problem.field}",
            expected=problem.expected,
            got=problem.got,
            hint=_RENEW,
        )
    return files


def server_credentials(files: TlsFiles) -> grpc.ServerCredentials:
    """Return credentials for a server that demands a certificate of the same CA from callers."""
    return grpc.ssl_server_credentials(
        [(files.key, files.cert)], root_certificates=files.ca, require_client_auth=True
    )


def channel_credentials(files: TlsFiles) -> grpc.ChannelCredentials:
    """Return credentials for a caller that trusts the consortium's CA and nobody else."""
    return grpc.ssl_channel_credentials(
        root_certificates=files.ca, private_key=files.key, certificate_chain=files.cert
    )


def _read(path: Path, party: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CertificateInvalid(
            "a certificate file cannot be read",
            party=party,
            field=str(path),
            got=error.strerror,
            hint=_RENEW,
        ) from error
