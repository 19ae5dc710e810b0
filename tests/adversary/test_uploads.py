"""Uploads that the analyst's real session awaits, over real connections, with a thief among them.

The participants are the real sessions; between them and the analyst's post office is gRPC with
mutual TLS. Each test is an attempt to have something accepted that its owner did not send, to
harm what was accepted, or to leave something behind.
"""

import asyncio
import contextlib
import dataclasses
import hashlib
import time

import grpc
import numpy as np
import pytest
from testkit.disk import lies_in
from testkit.federation import P0, P1, Parties, parties, scenario
from testkit.network import talk
from testkit.raw_upload import raw_upload

from collude.analyst.service import UploadCounter
from collude.common.data import Dataset
from collude.common.ids import ANALYST, Round
from collude.common.logs import SilentLog
from collude.common.net import pki
from collude.common.net.certificate_check import TlsFiles
from collude.common.net.channel import INLINE_BYTES
from collude.common.net.chunks import Limits
from collude.common.net.intake import Intake
from collude.common.net.mail_client import MailClient
from collude.common.net.mail_server import mail_service
from collude.common.net.post_office import PostOffice
from collude.common.net.quota import LONGEST_UPLOAD, Quota
from collude.common.net.server import PartyServer
from collude.common.net.spool import Spool
from collude.common.net.tls import channel_credentials, server_credentials
from collude.common.net.upload_server import upload_service
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.mailbox import Outbox
from collude.common.transcript import (  # fmt: skip
    FileTranscript,
    read_parcels,
    read_transcript,
)
from collude.runtime.federation import prepare

ROWS, D = 24_000, 8  # of each participant: about 1.5 MB, so that it is uploaded
DENIED, REFUSED, INVALID = (
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
)


@pytest.fixture(scope="module")
def fed():
    rng = np.random.default_rng(0)
    labels = np.arange(2 * ROWS, dtype=np.int64) % 2
    records = rng.standard_normal((len(labels), D)) + 4.0 * labels[:, None]
    data = Dataset("digits", records, labels, credit="made up", synthetic=True)
    return prepare(scenario("i-gdp", p=2), data)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    root = tmp_path_factory.mktemp("pki") / "pki"
    pki.init(root, {ANALYST: [], P0: [], P1: []})
    return {
        name: TlsFiles(*((root / name / f"{f}.pem").read_bytes() for f in ("ca", "cert", "key")))
        for name in (ANALYST, P0, P1)
    }


class Office:
    """The analyst's side of one session, on a port, with its spool and its transcript."""

    def __init__(self, certificates, folder, sessions: Parties, quota=None):
        self.certificates, self.sessions = certificates, sessions
        self.spool, self.transcripts = folder / "spool", folder / "transcripts"
        names = tuple(sessions.participants)
        transcript = FileTranscript(self.transcripts, ANALYST, time.time)
        self.post = PostOffice(sessions.analyst, transcript, names, SilentLog(), lambda: None)
        counter = UploadCounter(sessions.analyst, self.post)
        intake = Intake(Spool(self.spool), counter, quota or Quota())
        limits = Limits(INLINE_BYTES, {Round.UPLOAD: LONGEST_UPLOAD})
        self.server = PartyServer(
            "127.0.0.1:0",
            server_credentials(certificates[ANALYST]),
            names,
            [
                mail_service(ANALYST, names, self.post, limits),
                upload_service(ANALYST, names, intake, limits),
            ],
        )

    @contextlib.asynccontextmanager
    async def open(self):
        self.address = await self.server.start()
        running = asyncio.create_task(self.post.run())
        try:
            yield self
            await asyncio.wait_for(running, 30)
        finally:
            running.cancel()
            await self.server.stop(0)

    def stream(self, name):
        return raw_upload(self.address, self.certificates[name])

    def kept(self):
        """Who uploaded what, by the transcript: sender -> SHA-256 of the body."""
        return _uploads(read_transcript(self.transcripts, ANALYST))


def _uploads(entries):
    return {e.sender: e.sha256 for e in entries if e.round == Round.UPLOAD}


async def take_part(office, name, before_upload=None):
    """A participant's driver in a few lines; `before_upload` sees its upload before it is sent."""
    session, number = office.sessions.participants[name], 0
    outbox = Outbox(name, ANALYST, resend_after=30.0)
    credentials = channel_credentials(office.certificates[name])
    async with MailClient(name, ANALYST, office.address, credentials, 30.0) as client:

        async def send(messages):
            for message in messages:
                parcel = outbox.put(message)
                if before_upload is not None and message.round == Round.UPLOAD:
                    await before_upload(parcel)
                await client.deliver(parcel)

        await send(session.start(time.monotonic()))
        while not session.finished:
            parcel = await client.collect(number)
            number += 1
            await send(session.receive(parcel, time.monotonic()))


def play(office, thief=None):
    """Run the session to its end; `thief` acts just before participant 0 uploads."""

    async def run():
        async with office.open():
            await asyncio.gather(take_part(office, P0, thief), take_part(office, P1))

    asyncio.run(run())


@pytest.fixture(scope="module")
def honest(fed):
    """What each participant uploads when nobody is in between: sender -> SHA-256."""
    return _uploads(talk(parties(fed)).transcripts[ANALYST].entries)


@pytest.fixture
def office(fed, certificates, tmp_path):
    return Office(certificates, tmp_path, parties(fed))


def assert_unharmed(office, honest):
    errors = {s.name: s.error for s in office.sessions.sessions}
    assert errors == {ANALYST: None, P0: None, P1: None}
    assert office.kept() == honest
    uploads = office.sessions.analyst.collected.uploads
    digests = {n: hashlib.sha256(encode_message(u)).hexdigest() for n, u in uploads.items()}
    assert digests == honest
    assert lies_in(office.spool) == [".whole", ".whole"]


def test_without_a_thief_the_uploads_are_those_of_the_memory_link(office, honest):
    play(office)
    assert_unharmed(office, honest)
    for parcel in read_parcels(office.transcripts, ANALYST):
        assert isinstance(decode_message(parcel.body), m.Message)


def test_the_transcript_has_the_uploaded_file_itself(office):
    play(office)
    stored = {path.stat().st_ino for path in office.spool.rglob("*.whole")}
    blobs = {path.stat().st_ino for path in office.transcripts.rglob(f"*-{Round.UPLOAD}.bin")}
    assert blobs == stored


# name -> (certificate, what the header of participant 0's own upload becomes, gRPC's word)
FORGED = {
    "the message of another under the own certificate": (P1, {}, DENIED),
    "an oversized declared length": (P0, {"length": LONGEST_UPLOAD + 1}, REFUSED),
    "a length that overflows": (P0, {"length": 2**64 - 1}, REFUSED),
    "another session": (P0, {"session": bytes(32)}, REFUSED),
    "no session": (P0, {"session": b""}, REFUSED),
    "another round": (P0, {"round": Round.EVALUATE.value}, REFUSED),
    "a round that is a path": (P0, {"round": "r3_upload/../../../x"}, INVALID),
    "a session without end": (P0, {"session": bytes(1_000_000)}, INVALID),
}


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_header_is_refused_before_a_byte_is_sent(office, honest, case):
    certificate, changes, word = FORGED[case]
    seen = []

    async def thief(parcel):
        async with office.stream(certificate) as stream:
            await stream.header(parcel, **changes)
            seen.append((await stream.refusal(), list(office.spool.rglob(f"{P0}.*"))))

    play(office, thief)
    assert seen == [(word, [])]
    assert_unharmed(office, honest)


def test_two_uploads_cannot_be_spliced(office, honest):
    """Half of one body, half of another under the same number: neither is accepted."""
    codes = []

    async def thief(parcel):
        other = dataclasses.replace(parcel, body=parcel.body[::-1])
        half = len(parcel.body) // 2
        async with office.stream(P0) as first, office.stream(P0) as second:
            await first.header(parcel)
            await first.stored()
            await first.pieces(parcel.body[:half])
            await second.header(other)
            start = await second.stored()
            assert start == 0
            await second.pieces(parcel.body[:half] + other.body[half:])
            await second.call.done_writing()
            codes.extend([await second.refusal(), await first.refusal()])

    play(office, thief)
    assert codes == [INVALID, REFUSED]
    assert_unharmed(office, honest)


def test_an_upload_of_an_earlier_session_is_not_taken_again(fed, certificates, tmp_path, honest):
    earlier = Office(certificates, tmp_path / "earlier", parties(fed))
    play(earlier)
    received = read_parcels(earlier.transcripts, ANALYST)
    (old,) = (p for p in received if (p.sender, p.round) == (P0, Round.UPLOAD))
    later = Office(certificates, tmp_path / "later", parties(fed, occasion=1))
    codes = []

    async def thief(parcel):
        for changes in ({}, {"sequence": parcel.sequence}):
            async with later.stream(P0) as stream:
                await stream.header(old, **changes)
                codes.append(await stream.refusal())

    play(later, thief)
    assert codes == [REFUSED, REFUSED]
    expected = _uploads(talk(parties(fed, occasion=1)).transcripts[ANALYST].entries)
    assert expected != honest
    assert_unharmed(later, expected)


def test_an_accepted_upload_cannot_be_replaced(office, honest):
    """Participant 0 sends its upload, and then another under the same number and under the next."""
    codes = []

    async def thief(parcel):
        credentials = channel_credentials(office.certificates[P0])
        async with MailClient(P0, ANALYST, office.address, credentials, 30.0) as client:
            await client.deliver(parcel)
        other = dataclasses.replace(parcel, body=parcel.body[::-1])
        async with office.stream(P0) as stream:
            await stream.header(other)
            codes.append(await stream.refusal())

    play(office, thief)
    assert codes == [REFUSED]
    assert_unharmed(office, honest)


def test_what_one_party_leaves_half_sent_does_not_stop_the_others(office, honest):
    async def thief(parcel):
        for sequence in (7, 8, parcel.sequence):
            async with office.stream(P0) as stream:
                await stream.header(parcel, sequence=sequence)
                await stream.stored()
                await stream.pieces(parcel.body[: len(parcel.body) // 2])

    play(office, thief)
    assert_unharmed(office, honest)  # and its unfinished parts are gone: two files are whole
