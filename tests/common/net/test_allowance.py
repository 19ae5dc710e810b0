import pytest

from collude.common.errors import ProtocolViolation
from collude.common.net.allowance import Allowance

P0, P1 = "participant-0", "participant-1"


def test_short_parcels_are_counted_too():
    allowance = Allowance(parcels=3)
    for _ in range(3):
        allowance.check(P0, 0)
        allowance.spend(P0, 0)
    with pytest.raises(ProtocolViolation, match="parcels delivered") as caught:
        allowance.check(P0, 0)
    assert caught.value.party == P0
    allowance.check(P1, 0)


def test_bytes_are_counted_over_all_parcels():
    allowance = Allowance(in_all=10)
    allowance.check(P0, 10)
    allowance.spend(P0, 6)
    allowance.check(P0, 4)
    with pytest.raises(ProtocolViolation, match="bytes delivered"):
        allowance.check(P0, 5)


def test_what_was_refused_does_not_count():
    allowance = Allowance(in_all=10, parcels=1)
    for _ in range(3):
        with pytest.raises(ProtocolViolation):
            allowance.check(P0, 11)
    allowance.check(P0, 10)


def test_deliveries_at_once_are_limited_and_end():
    allowance = Allowance(at_once=1)
    with allowance.delivery(P0):
        with pytest.raises(ProtocolViolation, match="at once"), allowance.delivery(P0):
            pass
        with allowance.delivery(P1):
            pass
    with allowance.delivery(P0):
        pass
