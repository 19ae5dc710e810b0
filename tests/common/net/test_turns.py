"""Places for a few: how many hold one, who comes next, and that none is lost."""

import asyncio

import pytest

from collude.common.net.turns import Turns


async def _told_nothing(_ahead):
    pass


@pytest.mark.parametrize("places", [1, 16])
def test_never_more_hold_a_place_than_there_are_and_all_come_in_order(places):
    holding, most, order = set(), [0], []

    async def one(turns, number):
        async with turns.turn(_told_nothing):
            holding.add(number)
            order.append(number)
            most[0] = max(most[0], len(holding))
            await asyncio.sleep(0)
            holding.discard(number)

    async def run():
        turns = Turns(places)
        await asyncio.gather(*(one(turns, n) for n in range(1000)))
        return turns.waiting

    assert asyncio.run(run()) == 0
    assert most == [places]
    assert order == list(range(1000))


def test_those_who_wait_are_told_how_many_come_first():
    told = []

    async def tell(ahead):
        told.append(ahead)

    async def run():
        turns = Turns(1, tell_every_s=0.01)
        leave = asyncio.Event()

        async def hold():
            async with turns.turn(_told_nothing):
                await leave.wait()

        async def wait():
            async with turns.turn(tell):
                pass

        holders = [asyncio.create_task(hold()) for _ in range(2)]
        await asyncio.sleep(0)
        waiter = asyncio.create_task(wait())
        while len(told) < 3:
            await asyncio.sleep(0)
        leave.set()
        await asyncio.gather(waiter, *holders)

    asyncio.run(run())
    assert set(told) == {2}


@pytest.mark.parametrize("given", [False, True], ids=["while queueing", "as its turn comes"])
def test_whoever_leaves_the_queue_takes_no_place_along(given):
    async def run():
        turns = Turns(1)
        leave = asyncio.Event()

        async def hold():
            async with turns.turn(_told_nothing):
                await leave.wait()
            leaver.cancel()  # its place was given to it in this very step

        async def pass_through():
            async with turns.turn(_told_nothing):
                pass

        holder = asyncio.create_task(hold())
        await asyncio.sleep(0)
        leaver = asyncio.create_task(pass_through())
        last = asyncio.create_task(pass_through())
        await asyncio.sleep(0)
        if not given:
            leaver.cancel()
        leave.set()
        await holder
        await asyncio.wait_for(last, 10)
        with pytest.raises(asyncio.CancelledError):
            await leaver
        await asyncio.wait_for(pass_through(), 10)

    asyncio.run(run())


def test_a_place_whose_holder_fails_is_free_again():
    async def run():
        turns = Turns(1)
        with pytest.raises(RuntimeError):
            async with turns.turn(_told_nothing):
                raise RuntimeError
        async with turns.turn(_told_nothing):
            return turns.waiting

    assert asyncio.run(run()) == 0


def test_whoever_cannot_be_told_leaves_the_queue():
    async def broken(_ahead):
        raise ConnectionError

    async def run():
        turns = Turns(1)
        async with turns.turn(_told_nothing):
            with pytest.raises(ConnectionError):
                async with turns.turn(broken):
                    pass
            return turns.waiting

    assert asyncio.run(run()) == 0
