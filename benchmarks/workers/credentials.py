"""A consortium of an analyst and some participants, for transfers with mutual TLS."""

from pathlib import Path

from collude.common.ids import participant_name
from collude.common.net import pki
from collude.common.net.certificate_check import TlsFiles

RECEIVER, SENDER = "analyst", participant_name(0)


def make(folder: Path, participants: int = 1) -> None:
    """Make the certificates below `folder`."""
    names = [RECEIVER, *map(participant_name, range(participants))]
    pki.init(folder / "pki", {name: [] for name in names})


def files(folder: Path, party: str) -> TlsFiles:
    """Return one party's certificate, key and the CA."""
    own = folder / "pki" / party
    return TlsFiles(*((own / f"{name}.pem").read_bytes() for name in ("ca", "cert", "key")))
