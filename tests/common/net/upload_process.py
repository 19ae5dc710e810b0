"""A server of uploads as a process of its own: ADDRESS CERTIFICATES SPOOL dies|lives."""

import asyncio
import os
import sys
from pathlib import Path

from collude.common.net.certificate_check import TlsFiles
from collude.common.net.chunks import Limits
from collude.common.net.intake import Intake
from collude.common.net.quota import Quota
from collude.common.net.server import PartyServer
from collude.common.net.spool import Spool
from collude.common.net.tls import server_credentials
from collude.common.net.upload_server import upload_service

EXIT = 9
ROSTER = ("participant-0", "participant-1")


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Handler:
    """Takes everything, and says so."""

    def expect(self, peer, head):
        pass

    async def accept(self, peer, parcel):
        say(f"accepted {parcel.digest().hex()}")


async def main(address, certificates, spool, moment):
    hook = {"dies": lambda: os._exit(EXIT), "lives": lambda: None}[moment]
    files = TlsFiles(
        *((Path(certificates) / f"{f}.pem").read_bytes() for f in ("ca", "cert", "key"))
    )
    intake = Intake(Spool(Path(spool), hook), Handler(), Quota())
    service = upload_service("analyst", ROSTER, intake, Limits())
    server = PartyServer(address, server_credentials(files), ROSTER, [service])
    await server.start()
    say("listening")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
