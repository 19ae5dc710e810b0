import asyncio
import contextlib
import dataclasses
import datetime as dt
from mmap import mmap

import grpc
import grpc.aio
import pytest

from collude.common.errors import ProtocolViolation
from collude.common.net import pki
from collude.common.net.authorisation import UPLOAD
from collude.common.net.certificate_check import TlsFiles
from collude.common.net.channel import bind
from collude.common.net.chunks import Limits
from collude.common.net.disclosure import disclosing_service
from collude.common.net.framing import read_frame
from collude.common.net.intake import Intake
from collude.common.net.mail_client import MailClient
from collude.common.net.mail_server import mail_service
from collude.common.net.part import nothing
from collude.common.net.quota import Quota
from collude.common.net.server import PartyServer
from collude.common.net.spool import Spool
from collude.common.net.tls import channel_credentials, server_credentials
from collude.common.net.upload_server import upload_service
from collude.common.protocol.parcel import Parcel
from collude.wire.v1 import mail_pb2 as pb

PARTIES = dict.fromkeys(
    ("analyst", "attacker", "coordinator", "participant-0", "participant-1"), ()
)
NAMES = frozenset(PARTIES)
DEADLINE_S = 20.0


class Desk:
    """Keeps what is accepted, hands out what lies ready, and waits for ever for the rest."""

    def __init__(self, spool):
        self.spool = spool
        self.session = b"session"
        self.accepted: list[tuple[str, Parcel]] = []
        self.ready: dict[tuple[str, int], Parcel] = {}
        self.disclosure: bytes | None = None
        self.raises: Exception | None = None

    def expect(self, peer, head):
        if head.session != self.session:
            raise ProtocolViolation("of another session", party=peer, field="session")

    async def accept(self, peer, parcel):
        if self.raises:
            raise self.raises
        if isinstance(parcel.body, mmap):  # to be compared by content
            parcel = dataclasses.replace(parcel, body=bytes(parcel.body))
        if (peer, parcel) not in self.accepted:
            self.accepted.append((peer, parcel))

    async def next_for(self, peer, sequence):
        if self.raises:
            raise self.raises
        if (peer, sequence) not in self.ready:
            await asyncio.Event().wait()
        return self.ready[peer, sequence]

    async def disclose(self, peer):
        if self.raises:
            raise self.raises
        if self.disclosure is None:
            await asyncio.Event().wait()
        return self.disclosure


class Consortium:
    """Certificates of all parties, of this consortium and of others."""

    def __init__(self, root):
        now = dt.datetime.now(dt.UTC)
        starts = {"ours": now, "other": now, "expired": now - dt.timedelta(days=800),
                  "early": now + dt.timedelta(days=30)}  # fmt: skip
        for name, start in starts.items():
            pki.init(root / name, PARTIES, now=start)
        self.root = root

    def files(self, party, pki_name="ours") -> TlsFiles:
        folder = self.root / pki_name / party
        return TlsFiles(*((folder / f"{f}.pem").read_bytes() for f in ("ca", "cert", "key")))

    def client_files(self, party, pki_name) -> TlsFiles:
        """A certificate of that PKI, with our CA as the one trusted: only the server minds."""
        return dataclasses.replace(self.files(party, pki_name), ca=self.files(party).ca)

    def client(self, address, name="participant-0", peer="analyst", **options) -> MailClient:
        credentials = options.pop("credentials", None) or channel_credentials(self.files(name))
        deadline = options.pop("deadline_s", DEADLINE_S)
        return MailClient(name, peer, address, credentials, deadline, **options)

    @contextlib.asynccontextmanager
    async def serving(self, desk, *, files=None, listen="127.0.0.1:0", roster=NAMES, limits=None,
                      longest_call_s=60.0, quota=None, callers=None, **uploads):  # fmt: skip
        before_rename = uploads.pop("before_rename", nothing)
        intake = Intake(Spool(desk.spool, before_rename), desk, quota or Quota(), **uploads)
        server = PartyServer(
            listen,
            server_credentials(files or self.files("analyst")),
            roster,
            [
                mail_service("analyst", callers or roster, desk, limits or Limits()),
                upload_service("analyst", roster, intake, limits or Limits()),
                disclosing_service("analyst", roster, desk),
            ],
            longest_call_s=longest_call_s,
        )
        address = await server.start()
        try:
            yield address
        finally:
            await server.stop(0)


@pytest.fixture(scope="session")
def consortium(tmp_path_factory):
    return Consortium(tmp_path_factory.mktemp("consortium"))


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path / "spool")


@pytest.fixture
def serving_rogue(consortium):
    """A server whose uploads are answered by any coroutine over the frames and the context."""

    @contextlib.asynccontextmanager
    async def serving(upload):
        handler = grpc.stream_stream_rpc_method_handler(
            upload, read_frame, pb.UploadStatus.SerializeToString
        )
        service, method = UPLOAD.strip("/").split("/")
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((
            grpc.method_handlers_generic_handler(service, {method: handler}),
        ))
        address = bind(server, "127.0.0.1:0", server_credentials(consortium.files("analyst")))
        await server.start()
        try:
            yield address
        finally:
            await server.stop(0)

    return serving
