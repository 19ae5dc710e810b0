"""Long parcels over real connections with mutual TLS: where they lie, and how they go on."""

import asyncio
import contextlib
import mmap
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from testkit.disk import lies_in
from testkit.raw_upload import raw_upload

from collude.common.errors import ProtocolViolation, UploadRejected
from collude.common.net.channel import INLINE_BYTES
from collude.common.net.part import SYNC_BYTES
from collude.common.net.quota import Quota
from collude.common.net.upload_client import Progress
from collude.common.protocol.parcel import Parcel

MIB = 1024 * 1024
BODY = np.random.default_rng(0).bytes(12 * MIB)
SHORT = BODY[: 3 * MIB]
PROCESS = Path(__file__).with_name("upload_process.py")


def parcel(body=SHORT, sequence=0, sender="participant-0"):
    return Parcel(b"session", "r3_upload", sender, "analyst", sequence, body)


def bodies(desk):
    return [p.body for _, p in desk.accepted]


def _free_address():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


@pytest.mark.parametrize(
    ("length", "kinds"),
    [(INLINE_BYTES, []), (INLINE_BYTES + 1, [".whole"]), (len(BODY), [".whole"])],
)
def test_a_long_body_goes_by_way_of_the_disk_and_a_short_one_does_not(
    consortium, desk, length, kinds
):
    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            await client.deliver(parcel(BODY[:length]))
            await client.deliver(parcel(BODY[:length]))

    asyncio.run(run())
    assert desk.accepted == [("participant-0", parcel(BODY[:length]))]
    assert lies_in(desk.spool) == kinds


def test_the_handler_gets_a_read_only_map_of_the_file_with_its_checksum(consortium, desk):
    got = []

    async def accept(peer, parcel_):
        got.append(parcel_)

    async def run():
        desk.accept = accept
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            await client.deliver(parcel())

    asyncio.run(run())
    (taken,) = got
    assert isinstance(taken.body, mmap.mmap)
    assert taken.body[:] == SHORT
    assert taken.digest() == parcel().digest()
    assert taken.file.read_bytes() == SHORT
    with pytest.raises(TypeError):
        taken.body[0] = 0


def test_the_sender_hears_how_its_upload_goes(consortium, desk):
    heard = []

    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            await client.deliver(parcel(BODY), watch=heard.append)

    asyncio.run(run())
    stored = [p.stored for p in heard]
    assert stored[0] == 0
    assert SYNC_BYTES in stored
    assert stored == sorted(stored)
    assert {p.length for p in heard} == {len(BODY)}


def test_a_replay_after_completion_sends_nothing_and_changes_nothing(consortium, desk):
    heard = []

    async def run():
        async with consortium.serving(desk) as address:
            for _ in range(3):
                async with consortium.client(address) as client:
                    await client.deliver(parcel(), watch=heard.append)
            async with consortium.client(address) as client:
                with pytest.raises(ProtocolViolation, match="another content"):
                    await client.deliver(parcel(SHORT[1:] + b"x"))

    asyncio.run(run())
    length = len(SHORT)
    assert heard == [Progress(0, stored, length) for stored in (0, length, length, length)]
    assert bodies(desk) == [SHORT]
    assert lies_in(desk.spool) == [".whole"]


def test_a_refusal_by_the_handler_leaves_nothing_and_the_number_is_free(consortium, desk):
    desk.raises = UploadRejected("has NaN", party="participant-0")

    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            with pytest.raises(UploadRejected, match="NaN"):
                await client.deliver(parcel())
            assert lies_in(desk.spool) == []
            desk.raises = None
            await client.deliver(parcel(SHORT[::-1]))

    asyncio.run(run())
    assert bodies(desk) == [SHORT[::-1]]


@pytest.mark.parametrize("restart", [False, True], ids=["same server", "restarted server"])
def test_a_stream_that_broke_goes_on_from_the_watermark(consortium, desk, restart):
    heard = []
    just_enough = Quota(round=len(BODY), session=len(BODY), spool=len(BODY))

    async def half(address):
        files = consortium.files("participant-0")
        async with raw_upload(address, files) as raw:
            await raw.header(parcel(BODY))
            assert await raw.stored() == 0
            await raw.pieces(BODY[: SYNC_BYTES + MIB])
            assert await raw.stored() >= SYNC_BYTES

    async def run():
        async with consortium.serving(desk, quota=just_enough) as address:
            await half(address)
            if not restart:
                async with consortium.client(address) as client:
                    await client.deliver(parcel(BODY), watch=heard.append)
        if restart:
            assert lies_in(desk.spool) == [".mark", ".part"]
            async with (
                consortium.serving(desk, quota=just_enough) as address,
                consortium.client(address) as client,
            ):
                await client.deliver(parcel(BODY), watch=heard.append)

    asyncio.run(run())
    assert SYNC_BYTES <= heard[0].stored < len(BODY)
    assert bodies(desk) == [BODY]
    assert lies_in(desk.spool) == [".whole"]


def test_a_client_outlives_a_restart_of_the_server_in_mid_transfer(consortium, desk):
    address, heard = _free_address(), []
    body = BODY * 4

    async def run():
        under_way = asyncio.Event()

        def watch(progress):
            heard.append(progress.stored)
            if progress.stored:
                under_way.set()

        async with consortium.client(address) as client:
            async with consortium.serving(desk, listen=address):
                sending = asyncio.create_task(client.deliver(parcel(body), watch=watch))
                await asyncio.wait_for(under_way.wait(), 20)
            assert not sending.done()
            async with consortium.serving(desk, listen=address):
                await sending

    asyncio.run(run())
    assert heard.count(0) == 1
    assert bodies(desk) == [body]


def test_a_client_whose_connection_is_cut_again_and_again_resumes_by_itself(consortium, desk):
    sent = []

    async def run():
        async with consortium.serving(desk) as address:
            host, port = address.split(":")

            async def through(reader, writer):
                # Cuts each connection after 7 MB; the third one may have all.
                passed, limit = 0, 7 * MIB if len(sent) < 2 else 1 << 40
                sent.append(0)
                inner, outer = await asyncio.open_connection(host, int(port))
                back = asyncio.create_task(pump(inner, writer))
                while passed < limit and (data := await reader.read(64 * 1024)):
                    outer.write(data)
                    passed += len(data)
                    sent[-1] = passed
                    await outer.drain()
                back.cancel()
                outer.transport.abort()
                writer.transport.abort()

            async def pump(reader, writer):
                while data := await reader.read(64 * 1024):
                    writer.write(data)

            proxy = await asyncio.start_server(through, "127.0.0.1", 0)
            port_ = proxy.sockets[0].getsockname()[1]
            async with consortium.client(f"127.0.0.1:{port_}") as client:
                await client.deliver(parcel(BODY))
            proxy.close()
            await proxy.wait_closed()

    asyncio.run(run())
    assert bodies(desk) == [BODY]
    assert len(sent) >= 2
    # Without the watermark no connection of 7 MB brings 12 MB over; with it two do, or three.
    assert sum(sent) < 2 * len(BODY)


def test_what_others_left_is_removed_by_the_first_upload_of_a_session(consortium, desk):
    async def run():
        async with consortium.serving(desk) as address, consortium.client(address) as client:
            await client.deliver(parcel())
            desk.session = b"next session"
            next_one = Parcel(b"next session", "r3_upload", "participant-0", "analyst", 1, SHORT)
            await client.deliver(next_one)

    asyncio.run(run())
    assert lies_in(desk.spool) == [".whole"]


def test_uploads_beyond_the_places_queue_and_hear_how_many_come_first(consortium, desk):
    heard = []

    async def run():
        async with consortium.serving(desk, active=1) as address:
            files = consortium.files("participant-0")
            async with raw_upload(address, files) as first:
                await first.header(parcel())
                assert await first.stored() == 0  # it has the only place
                queued = asyncio.Event()

                def watch(progress):
                    heard.append(progress.ahead)
                    queued.set()

                async with consortium.client(address, "participant-1") as client:
                    other = parcel(sender="participant-1")
                    second = asyncio.create_task(client.deliver(other, watch=watch))
                    await asyncio.wait_for(queued.wait(), 20)
                    assert desk.accepted == []
                    await first.pieces(SHORT)
                    await first.call.done_writing()
                    await second

    asyncio.run(run())
    assert heard[0] == 1
    assert heard[-1] == 0
    assert {peer for peer, _ in desk.accepted} == {"participant-0", "participant-1"}


@pytest.fixture
def server(consortium, desk):
    """Starts a server as a process of its own: (address, what it shall do) -> the process."""
    folder = consortium.root / "ours" / "analyst"

    @contextlib.contextmanager
    def start(address, moment):
        command = [sys.executable, PROCESS, address, folder, desk.spool, moment]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield process
            finally:
                process.kill()

    return start


def _peak_bytes(process):
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


@pytest.mark.processes
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc here")
def test_the_servers_memory_does_not_grow_with_the_body(consortium, server):
    address, peaks = _free_address(), {}

    async def run():
        with server(address, "lives") as process:
            assert process.stdout.readline() == "listening\n"
            async with consortium.client(address) as client:
                for sequence, megabytes in enumerate((16, 160)):
                    body = bytes(megabytes * MIB)
                    await client.deliver(parcel(body, sequence))
                    peaks[megabytes] = _peak_bytes(process)

    asyncio.run(run())
    assert peaks[160] - peaks[16] < 64 * MIB


@pytest.mark.processes
def test_a_server_that_dies_between_flush_and_rename_has_accepted_nothing_and_loses_nothing(
    consortium, desk, server
):
    address, heard = _free_address(), []

    async def run():
        with server(address, "dies") as first:
            assert first.stdout.readline() == "listening\n"
            async with consortium.client(address) as client:
                sending = asyncio.create_task(client.deliver(parcel(BODY), watch=heard.append))
                assert await asyncio.to_thread(first.wait, 20) == 9
                assert first.stdout.read() == ""
                assert lies_in(desk.spool) == [".mark", ".part"]
                with server(address, "lives") as second:
                    await sending
                    second.terminate()
                    return second.stdout.read()

    said = asyncio.run(run())
    assert said.split("\n") == ["listening", f"accepted {parcel(BODY).digest().hex()}", ""]
    assert lies_in(desk.spool) == [".whole"]
    # Admitted, one flush on the way, and then at once all of it: nothing was sent a second time.
    assert [p.stored for p in heard] == [0, SYNC_BYTES, len(BODY), len(BODY)]
