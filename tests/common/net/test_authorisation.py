"""Who may call what: every method, by every role, under every fault of a certificate.

Over real connections on loopback, with the real server, guard and table. Only what would have
answered is a recorder: it must hear of the calls that the table allows, and of no others.
"""

import asyncio
import contextlib
import datetime as dt
import importlib
import pkgutil
from dataclasses import dataclass

import grpc
import grpc.aio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from google.protobuf import message_factory

import collude.wire.v1
from collude.common.errors import IdentityRefused
from collude.common.ids import Role, role_of
from collude.common.net.authorisation import ALLOWED
from collude.common.net.certificate_check import TlsFiles
from collude.common.net.certificates import make_authority, make_leaf, private_pem
from collude.common.net.channel import open_channel
from collude.common.net.faults import from_status
from collude.common.net.server import PartyServer
from collude.common.net.tls import channel_credentials, server_credentials

ROLES = {role: f"{role.value}-0" if role is Role.PARTICIPANT else role.value for role in Role}
SERVER = "analyst"
NOW = dt.datetime.now(dt.UTC)
MODULES = [importlib.import_module(f"collude.wire.v1.{found.name}")
           for found in pkgutil.iter_modules(collude.wire.v1.__path__)]  # fmt: skip
SERVICES = {service.full_name: service for module in MODULES if hasattr(module, "DESCRIPTOR")
            for service in module.DESCRIPTOR.services_by_name.values()}  # fmt: skip
METHODS = {f"/{service.full_name}/{method.name}": method
           for service in SERVICES.values() for method in service.methods}  # fmt: skip


def test_the_table_has_every_method_of_the_wire_and_no_other():
    assert METHODS
    assert set(ALLOWED) == set(METHODS), "a method without an entry is refused to everybody"


WHO = {
    "Mail": {Role.PARTICIPANT, Role.ATTACKER},
    "Uploads": {Role.PARTICIPANT},
    "Disclosing": {Role.ATTACKER},
}


def test_mail_is_for_those_who_have_a_part_and_only_the_attacker_is_told():
    for method, roles in ALLOWED.items():
        assert roles == WHO[method.split("/")[1].rpartition(".")[2]]


class Recorder:
    """Answers every method of every service with its empty message, and notes that it did."""

    def __init__(self):
        self.calls = []

    def services(self):
        return [self._service(service) for service in SERVICES.values()]

    def _service(self, service):
        handlers = {m.name: self._handler(f"/{service.full_name}/{m.name}", m)
                    for m in service.methods}  # fmt: skip
        generic = grpc.method_handlers_generic_handler(service.full_name, handlers)
        return lambda server: server.add_generic_rpc_handlers((generic,))

    def _handler(self, name, method):
        takes = message_factory.GetMessageClass(method.input_type)
        gives = message_factory.GetMessageClass(method.output_type)

        async def single(request, context):
            self.calls.append(name)
            return gives()

        async def stream(request, context):
            self.calls.append(name)
            yield gives()

        shape = shape_of(method)
        make = getattr(grpc, f"{shape}_rpc_method_handler")
        answer = stream if method.server_streaming else single
        return make(answer, takes.FromString, gives.SerializeToString)


def shape_of(method):
    words = {True: "stream", False: "unary"}
    return f"{words[method.client_streaming]}_{words[method.server_streaming]}"


@dataclass(frozen=True)
class Authorities:
    """The consortium's, one that has the same name, and the server's own files."""

    ours: object
    other: object

    def files(self, leaf):
        return TlsFiles(self.ours.certificate_pem(), leaf.certificate_pem(), leaf.key_pem())

    def leaf(self, name, *, authority=None, start=NOW, days=30):
        return self.files(make_leaf(authority or self.ours, name, (), start, days))

    def split_name(self, common, alternative):
        """A certificate whose common name is not among its alternative names."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common)])
        built = (
            x509.CertificateBuilder(self.ours.certificate.subject, subject, key.public_key(),
                                    x509.random_serial_number(), NOW - dt.timedelta(hours=1),
                                    NOW + dt.timedelta(days=30))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(alternative)]), critical=False)
            .sign(self.ours.key, hashes.SHA256())
        )  # fmt: skip
        return TlsFiles(self.ours.certificate_pem(), built.public_bytes(Encoding.PEM),
                        private_pem(key))  # fmt: skip


@pytest.fixture(scope="module")
def authorities():
    return Authorities(make_authority(NOW - dt.timedelta(days=100), 400), make_authority(NOW, 30))


def another(name):
    """The name of a party that may do other things than this one."""
    return "attacker" if role_of(name) is Role.PARTICIPANT else "participant-0"


FAULTS = {
    "sound": lambda made, name: made.leaf(name),
    "no certificate": lambda made, name: None,
    "expired": lambda made, name: made.leaf(name, start=NOW - dt.timedelta(days=60), days=30),
    "not yet valid": lambda made, name: made.leaf(name, start=NOW + dt.timedelta(days=5)),
    "of another CA": lambda made, name: made.leaf(name, authority=made.other),
    "of its own CA": lambda made, name: made.leaf(name, authority=make_authority(NOW, 30)),
    "named differently inside": lambda made, name: made.split_name(name, another(name)),
    "an alternative name only": lambda made, name: made.split_name(another(name), name),
    "an unknown name": lambda made, name: made.leaf(f"{name}-x"),
    "another spelling": lambda made, name: made.leaf(name.upper()),
    "removed from the roster": lambda made, name: made.leaf(name),
}
NO_CONNECTION = {"no certificate", "expired", "not yet valid", "of another CA", "of its own CA"}


def credentials_of(authorities, files):
    if files is None:
        return grpc.ssl_channel_credentials(authorities.ours.certificate_pem())
    return channel_credentials(files)


@contextlib.asynccontextmanager
async def serving(authorities, recorder, roster):
    files = authorities.leaf(SERVER)
    server = PartyServer("127.0.0.1:0", server_credentials(files), roster, recorder.services())
    try:
        yield await server.start()
    finally:
        await server.stop(0)


async def called(channel, name, method):
    """Call a method with one empty message; return None if it answers, else the error."""
    takes = message_factory.GetMessageClass(method.input_type)
    gives = message_factory.GetMessageClass(method.output_type)
    call = getattr(channel, shape_of(method))(name, takes.SerializeToString, gives.FromString)
    given = call(iter([takes()]) if method.client_streaming else takes(), timeout=20)
    try:
        if method.server_streaming:
            assert [answer async for answer in given] == [gives()]
        else:
            assert await given == gives()
    except grpc.aio.AioRpcError as error:
        return error
    return None


async def walk(authorities, fault, recorder):
    """Return (method, role) -> how the call ended, for one fault."""
    ended = {}
    for role, name in ROLES.items():
        roster = set(ROLES.values()) - ({name} if fault == "removed from the roster" else set())
        credentials = credentials_of(authorities, FAULTS[fault](authorities, name))
        async with (
            serving(authorities, recorder, roster) as address,
            open_channel(address, SERVER, credentials) as channel,
        ):
            for path, method in METHODS.items():
                ended[path, role] = await called(channel, path, method)
    return ended


@pytest.mark.parametrize("fault", FAULTS)
def test_every_method_by_every_role_under(authorities, fault):
    recorder = Recorder()
    ended = asyncio.run(walk(authorities, fault, recorder))
    answered = {place for place, error in ended.items() if error is None}
    allowed = {(method, role) for method, roles in ALLOWED.items() for role in roles}
    assert answered == (allowed if fault == "sound" else set())
    assert sorted(recorder.calls) == sorted(method for method, _ in answered)
    for error in filter(None, ended.values()):
        assert error.code() is (grpc.StatusCode.UNAVAILABLE if fault in NO_CONNECTION
                                else grpc.StatusCode.PERMISSION_DENIED)  # fmt: skip
        if fault not in NO_CONNECTION:
            told = from_status(error, SERVER, "loopback")
            assert type(told) is IdentityRefused
            assert told.field
