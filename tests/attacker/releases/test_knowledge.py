"""What a querier can know, and what is refused."""

import numpy as np
import pytest

from collude.attacker.releases.assemble import channel_of
from collude.attacker.releases.channels import DiscreteGaussian, RandomisedResponse
from collude.attacker.releases.knowledge import Knowledge, knowledge_of
from collude.attacker.releases.view import Answers, ReleaseView, joined
from collude.codef.leakage import gaussian_sigma
from collude.codef.policy import PolicySettings, policy_of
from collude.codef.release import sampler_of
from collude.common.errors import ParameterInvalid

LEVELS = RandomisedResponse((1.0, 0.5))
NAMES = ("a", "b", "c", "d")


def known(shape=(3, 4, 2)):
    return np.zeros(shape, dtype=np.int8)


@pytest.mark.parametrize(
    ("silos", "kind", "attributes"),
    [
        (("a", "a"), "plain", known((3, 2, 2))),
        ((), "plain", known((3, 0, 2))),
        (("a", "b", "c"), "xor", known((3, 1, 2))),
        (NAMES, "plain", known((3, 3, 2))),
        (NAMES, "xor", known((3, 4, 2))),
        (NAMES, "plain", known((3, 4))),
        (NAMES, "plain", known((0, 4, 2))),
        (NAMES, "plain", known() + 2),
        (NAMES, "plain", known() - 2),
    ],
)
def test_what_does_not_fit_is_refused(silos, kind, attributes):
    with pytest.raises(ParameterInvalid):
        Knowledge(silos, kind, attributes, LEVELS)


def test_it_is_kept_and_cannot_be_changed():
    bits = known()
    knowledge = Knowledge(NAMES, "plain", bits, LEVELS)
    bits[:] = 1
    assert not knowledge.attributes.any()
    with pytest.raises(ValueError, match="read-only"):
        knowledge.attributes[0] = 1
    assert repr(knowledge) == "Knowledge(plain, 3 persons, 4 silos, 2 attributes)"
    assert knowledge.shape == (3, 4, 2)


def test_who_is_not_there_is_not_known():
    present = np.ones((3, 4), dtype=bool)
    present[1, 2] = False
    made = knowledge_of("plain", known() + 1, present, NAMES, LEVELS)
    assert (made.attributes[1, 2] == -1).all()
    assert (made.attributes == -1).sum() == 2
    pairs = knowledge_of("xor", known((3, 2, 2)), present, NAMES, LEVELS)
    assert (pairs.attributes[1, 1] == -1).all()
    assert (pairs.attributes == -1).sum() == 2


@pytest.mark.parametrize("present", [np.ones((3, 3)), np.ones((2, 4)), np.ones(3)])
def test_presence_of_another_shape_is_refused(present):
    with pytest.raises(ParameterInvalid):
        knowledge_of("plain", known(), present, NAMES, LEVELS)
    with pytest.raises(ParameterInvalid):
        knowledge_of("plain", known((3, 2, 2)), np.ones((3, 4)), NAMES, LEVELS)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomisedResponse(()),
        lambda: RandomisedResponse((1.0, 0.0)),
        lambda: RandomisedResponse((float("nan"),)),
        lambda: RandomisedResponse((float("inf"),)),
        lambda: DiscreteGaussian((), 0.5),
        lambda: DiscreteGaussian((1.0,), 0.0),
        lambda: DiscreteGaussian((1.0,), 0.3),  # a true bit lies between two steps
        lambda: DiscreteGaussian((-1.0,), 0.5),
    ],
)
def test_a_channel_without_sense_is_refused(make):
    with pytest.raises(ParameterInvalid):
        make()


def test_channels_know_what_can_be_an_answer():
    values, levels = np.array([0, 1, 2, -1, 0, 1, 0]), np.array([0, 1, 0, 0, -1, -1, 2])
    assert LEVELS.allows(values, levels).tolist() == [True, True, False, False, True, False, False]
    gaussian = DiscreteGaussian((1.0,), 0.5)
    values, levels = np.array([7, -7, 0, 3, 0]), np.array([0, 0, -1, -1, 1])
    assert gaussian.allows(values, levels).tolist() == [True, True, True, False, False]


@pytest.mark.parametrize("mechanism", ["rr", "gaussian"])
def test_a_channel_is_the_one_that_silos_sample(mechanism):
    """Mean and variance of what a silo's sampler draws are those of the querier's channel."""
    settings = PolicySettings("success", 500, 4, 2, mechanism=mechanism, epsilon=2.0)
    levels = policy_of(settings).levels
    channel, sampler = channel_of(settings), sampler_of(settings, levels)
    bits = Fair(np.random.default_rng(3))
    drawn = np.array([[sampler.draw(bit, 0, bits) for _ in range(4000)] for bit in (0, 1)])
    assert channel.allows(drawn.ravel(), np.zeros(8000, dtype=np.int64)).all()
    weights = channel.half_ratios(drawn, np.zeros_like(drawn))
    # E[e^(-2w) | 1] = 1 and E[e^(2w) | 0] = 1 for a likelihood ratio e^(2w), whatever the channel.
    for row, sign in ((0, 1), (1, -1)):
        ratios = np.exp(2 * sign * weights[row])
        error = ratios.std() / np.sqrt(len(ratios))
        assert abs(ratios.mean() - 1) < 4.5 * error  # false alarm 7e-6 a row
    if mechanism == "gaussian":
        assert channel.sigmas[0] == pytest.approx(gaussian_sigma(2.0, 1e-5, calibration="analytic"))


class Fair:
    def __init__(self, rng):
        self._rng = rng

    def bits(self, count):
        return int.from_bytes(self._rng.bytes(-(-count // 8)), "little") & ((1 << count) - 1)


# --- views ------------------------------------------------------------------------------------


def answers(**changes):
    columns = {"handle": [0, 1], "silo": [0, 3], "attribute": [1, 0], "value": [1, 0]}
    columns |= {"level": [0, 1], "epoch": [0, 0]} | changes
    return Answers(**{name: np.array(column) for name, column in columns.items()})


@pytest.mark.parametrize(
    "changes",
    [
        {"handle": [0, 3]}, {"handle": [-1, 0]}, {"silo": [0, 4]}, {"attribute": [2, 0]},
        {"level": [0, 2]}, {"level": [-1, 0]}, {"value": [2, 0]},
        {"handle": [0, 0], "silo": [3, 3], "attribute": [0, 0]},
    ],
)  # fmt: skip
def test_a_view_of_what_cannot_be_answered_is_refused(changes):
    knowledge = Knowledge(NAMES, "plain", known(), LEVELS)
    handles = tuple(bytes([i]) * 16 for i in range(3))
    assert len(ReleaseView(knowledge, handles, answers()).answers) == 2
    with pytest.raises(ParameterInvalid):
        ReleaseView(knowledge, handles, answers(**changes))


def test_answers_of_other_lengths_are_refused():
    with pytest.raises(ParameterInvalid, match="value"):
        answers(value=[1])


def test_answers_are_joined_in_order_and_cannot_be_changed():
    both = joined([answers(), answers(handle=[2, 2])])
    assert both.handle.tolist() == [0, 1, 2, 2]
    assert both.taken(np.array([3, 0])).handle.tolist() == [2, 0]
    with pytest.raises(ValueError, match="read-only"):
        both.value[0] = 1
    assert len(joined([])) == 0
