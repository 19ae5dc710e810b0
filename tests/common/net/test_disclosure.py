import asyncio

import pytest

from collude.common.errors import DeadlineExceeded, DisclosureRefused, IdentityRefused
from collude.common.net.chunks import Limits
from collude.common.net.disclosure import DisclosureSource, fetch_disclosure
from collude.common.net.tls import channel_credentials

BODY = bytes(range(256)) * 10_000


def fetch(consortium, desk, name="attacker", deadline_s=20.0, meanwhile=None, limits=None):
    async def run():
        async with consortium.serving(desk) as address:
            source = DisclosureSource("analyst", address, limits or Limits())
            credentials = channel_credentials(consortium.files(name))
            fetching = asyncio.create_task(fetch_disclosure(name, source, credentials, deadline_s))
            if meanwhile:
                await meanwhile(fetching)
            return await fetching

    return asyncio.run(run())


@pytest.mark.parametrize("name", ["participant-0", "analyst"])
def test_only_the_attacker_is_disclosed_to(consortium, desk, name):
    desk.disclosure = BODY
    with pytest.raises(IdentityRefused) as caught:
        fetch(consortium, desk, name)
    assert caught.value.party == name


def test_a_refusal_is_told(consortium, desk):
    desk.raises = DisclosureRefused("is honest", party="analyst")
    with pytest.raises(DisclosureRefused, match="is honest"):
        fetch(consortium, desk)


def test_one_that_never_comes_is_a_deadline_that_names_the_party(consortium, desk):
    with pytest.raises(DeadlineExceeded) as caught:
        fetch(consortium, desk, deadline_s=0.2)
    assert caught.value.party == "analyst"


def test_too_long_a_disclosure_is_refused(consortium, desk):
    desk.disclosure = BODY
    with pytest.raises(Exception, match="too long"):
        fetch(consortium, desk, limits=Limits(body=len(BODY) - 1))


def test_the_disclosure_arrives(consortium, desk):
    desk.disclosure = BODY
    assert fetch(consortium, desk) == BODY


def test_it_is_waited_for(consortium, desk):
    asked, ready = asyncio.Event(), asyncio.Event()

    async def disclose(peer):
        asked.set()
        await ready.wait()
        return BODY

    async def meanwhile(fetching):
        await asked.wait()
        assert not fetching.done()
        ready.set()

    desk.disclose = disclose
    assert fetch(consortium, desk, meanwhile=meanwhile) == BODY
