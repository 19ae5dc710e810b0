"""Who may call, and whom one calls: certificates, names and roles over real connections."""

import asyncio

import grpc
import grpc.aio
import pytest

from collude.common.errors import IdentityRefused, PeerUnreachable, ProtocolViolation
from collude.common.net.authorisation import ALLOWED, authorise
from collude.common.net.channel import open_channel
from collude.common.net.identity import peer_name
from collude.common.net.server import PartyServer
from collude.common.net.tls import channel_credentials, server_credentials
from collude.common.protocol.parcel import Parcel


def parcel(sender="participant-0", receiver="analyst"):
    return Parcel(b"", "r0_join", sender, receiver, 0, b"hello")


def refused(consortium, desk, kind, *, sent=None, serving=None, **client):
    """Deliver one parcel, expect the error, and that nothing was accepted."""

    async def run():
        async with (
            consortium.serving(desk, **(serving or {})) as address,
            consortium.client(address, **client) as caller,
        ):
            with pytest.raises(kind) as caught:
                await caller.deliver(sent or parcel())
        return caught.value

    error = asyncio.run(run())
    assert desk.accepted == []
    return error


@pytest.mark.parametrize("pki_name", ["other", "expired", "early"])
def test_a_callers_bad_certificate_is_refused_by_the_server(consortium, desk, pki_name):
    credentials = channel_credentials(consortium.client_files("participant-0", pki_name))
    error = refused(consortium, desk, PeerUnreachable, credentials=credentials, deadline_s=0.3)
    assert error.party == "analyst"
    assert "certificates" in error.hint


def test_a_caller_without_a_certificate_is_refused(consortium, desk):
    credentials = grpc.ssl_channel_credentials(consortium.files("participant-0").ca)
    refused(consortium, desk, PeerUnreachable, credentials=credentials, deadline_s=0.3)


@pytest.mark.parametrize("pki_name", ["expired", "early"])
def test_out_of_time_certificates_of_our_own_authority_are_refused(consortium, desk, pki_name):
    # The whole consortium is of that time, so that nothing but the time is wrong.
    files = consortium.files("analyst", pki_name)
    credentials = channel_credentials(consortium.files("participant-0", pki_name))
    refused(consortium, desk, IdentityRefused, serving={"files": files}, credentials=credentials)


@pytest.mark.parametrize("pki_name", ["other", "expired", "early"])
def test_a_servers_bad_certificate_is_refused_at_once(consortium, desk, pki_name):
    serving = {"files": consortium.files("analyst", pki_name)}
    error = refused(consortium, desk, IdentityRefused, serving=serving)
    assert error.party == "analyst"


def test_a_server_with_another_name_is_refused_at_once(consortium, desk):
    serving = {"files": consortium.files("participant-1")}
    error = refused(consortium, desk, IdentityRefused, serving=serving)
    assert (error.party, error.expected) == ("analyst", "analyst")


def test_a_message_of_another_sender_is_refused(consortium, desk):
    error = refused(consortium, desk, IdentityRefused, sent=parcel(sender="participant-1"))
    assert (error.party, error.field) == ("participant-0", "sender")
    assert (error.expected, error.got) == ("participant-0", "'participant-1'")


def test_a_message_for_another_receiver_is_refused(consortium, desk):
    error = refused(consortium, desk, IdentityRefused, sent=parcel(receiver="participant-1"))
    assert error.field == "receiver"


def test_a_role_that_may_not_call_is_refused(consortium, desk):
    error = refused(
        consortium, desk, IdentityRefused, name="coordinator", sent=parcel(sender="coordinator")
    )
    assert (error.party, error.got) == ("coordinator", "coordinator")


def test_who_is_not_among_the_callers_of_this_server_s_mail_is_refused(consortium, desk):
    """Whoever asks about persons has mail with silos, and with nobody else."""
    callers = {"participant-0", "participant-1"}
    error = refused(
        consortium, desk, IdentityRefused, name="attacker", sent=parcel(sender="attacker"),
        serving={"callers": callers},
    )  # fmt: skip
    assert (error.party, error.reason) == ("attacker", "the party is not in the roster")


def test_a_party_removed_from_the_roster_is_refused(consortium, desk):
    roster = {"analyst", "participant-1"}
    error = refused(consortium, desk, IdentityRefused, serving={"roster": roster})
    assert (error.party, error.reason) == ("participant-0", "the party is not in the roster")


@pytest.mark.parametrize(
    "method", ["/collude.wire.v1.Mail/Destroy", "/grpc.reflection.v1.ServerReflection/Info"]
)
def test_a_method_that_is_not_in_the_table_is_denied(consortium, desk, method):
    async def run():
        async with consortium.serving(desk) as address:
            credentials = channel_credentials(consortium.files("participant-0"))
            async with open_channel(address, "analyst", credentials) as channel:
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.unary_unary(method)(b"", timeout=20)
        return caught.value.code()

    assert asyncio.run(run()) is grpc.StatusCode.PERMISSION_DENIED


def test_a_service_that_is_not_on_this_port_is_named(consortium):
    async def run():
        credentials = server_credentials(consortium.files("analyst"))
        server = PartyServer("127.0.0.1:0", credentials, {"participant-0"}, [])
        address = await server.start()
        async with consortium.client(address) as client:
            with pytest.raises(ProtocolViolation, match="does not serve"):
                await client.deliver(parcel())
        await server.stop(0)

    asyncio.run(run())


@pytest.mark.parametrize("method", [*ALLOWED, "/x/Y"])
@pytest.mark.parametrize("peer", ["analyst", "attacker", "participant-0", "coordinator"])
def test_the_table_allows_these_and_no_others(peer, method):
    mail = {("participant-0", method) for method in ("Deliver", "Collect", "Upload")}
    allowed = mail | {("attacker", method) for method in ("Deliver", "Collect", "Disclose")}
    if (peer, method.rpartition("/")[2]) in allowed:
        authorise(peer, method)
    else:
        with pytest.raises(IdentityRefused):
            authorise(peer, method)


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"x509_common_name": [b"analyst"]},
        {"x509_common_name": [b"analyst"], "x509_subject_alternative_name": [b"participant-0"]},
        {"x509_common_name": [b"analyst", b"b"], "x509_subject_alternative_name": [b"analyst"]},
        {"x509_common_name": [b"\xff"], "x509_subject_alternative_name": [b"\xff"]},
    ],
)
def test_a_certificate_that_does_not_name_one_known_party_is_refused(context):
    with pytest.raises(IdentityRefused):
        peer_name(context, {"analyst", "participant-0"})
