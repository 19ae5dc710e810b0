"""Samplers proved: every sequence of fair bits is tried, and the shares compared with the formula.

A sampler runs on each bit string until it asks for more bits than there are; the strings on which
it ends before that have a probability of 2^-length each. So the probability of every value is at
least the sum over its strings, and at most that plus what has not ended: an interval, not a
statistical test. The statistical tests below are of long runs with real streams.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, kstest

from collude.codef.policy import STEPS_PER_BIT, GaussianAnswers, PolicySettings
from collude.codef.release import exact
from collude.codef.release.bits import AnswerBits, Bits, BitStream, below
from collude.codef.release.exact import (
    bernoulli,
    bernoulli_exp,
    discrete_gaussian,
    flipped,
)
from collude.codef.release.samplers import sampler_of
from collude.common.errors import ParameterInvalid
from collude.common.randomness import Entropy, party_seed

Sample = Callable[[Bits], object]


class EndedError(Exception):
    """The script has no more bits."""


class Script:
    """Bits as written, the first one the least significant of what is drawn first."""

    def __init__(self, text: tuple[int, ...]) -> None:
        self.text, self.at = text, 0

    def bits(self, count: int) -> int:
        drawn = self.text[self.at : self.at + count]
        if len(drawn) < count:
            raise EndedError
        self.at += count
        return sum(bit << place for place, bit in enumerate(drawn))


def shares(sample: Sample, depth: int) -> tuple[dict[object, Fraction], Fraction]:
    """Return the probability of each value by at most `depth` bits, and what had not ended."""
    found: dict[object, Fraction] = {}
    rest, open_ = Fraction(0), [()]
    while open_:
        text = open_.pop()
        try:
            value = sample(script := Script(text))
        except EndedError:
            if len(text) == depth:
                rest += Fraction(1, 2**depth)
            else:
                open_ += [(*text, 0), (*text, 1)]
            continue
        assert script.at == len(text)  # a shorter string would have been enough
        found[value] = found.get(value, Fraction(0)) + Fraction(1, 2 ** len(text))
    assert sum(found.values()) + rest == 1
    return found, rest


def prove(sample: Sample, depth: int, law: dict[object, float], open_at_most: float) -> None:
    """Check that every value's probability lies in the interval of the enumeration."""
    found, rest = shares(sample, depth)
    assert rest < open_at_most
    for value, share in found.items():
        assert float(share) <= law.get(value, 0.0) * (1 + 1e-12), value
    for value, mass in law.items():
        assert mass <= float(found.get(value, Fraction(0)) + rest) * (1 + 1e-12), value


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 8, 12])
def test_below_is_uniform(bound):
    found, rest = shares(lambda bits: below(bits, bound), 16)
    assert sorted(found) == list(range(bound))
    assert len(set(found.values())) == 1  # exactly equal, not nearly
    assert rest < 0.01
    if bound & (bound - 1) == 0:
        assert rest == 0


def test_bernoulli_is_its_fraction():
    assert shares(lambda bits: bernoulli(bits, 3, 8), 3) == (
        {True: Fraction(3, 8), False: Fraction(5, 8)}, 0)  # fmt: skip
    found, _ = shares(lambda bits: bernoulli(bits, 2, 7), 15)
    assert found[True] / found[False] == Fraction(2, 5)
    assert shares(lambda bits: bernoulli(bits, 4, 4), 2)[0] == {True: 1}


@pytest.mark.parametrize("x", ["0", "1/2", "1/8", "3/4", "1", "3/2", "2", "13/4"])
def test_an_exponential_coin_has_its_probability(x):
    x = Fraction(x)
    law = {True: math.exp(-x), False: -math.expm1(-x)}
    prove(lambda bits: bernoulli_exp(bits, x.numerator, x.denominator), 16, law, 0.1)


@pytest.mark.parametrize("epsilon", ["0", "1/8", "1/2", "1", "3/2", "2", "3"])
def test_a_flip_has_its_probability(epsilon):
    epsilon = Fraction(epsilon)
    q = 1 / (1 + math.exp(epsilon))
    prove(lambda bits: flipped(bits, epsilon), 16, {True: q, False: 1 - q}, 0.15)


# The two laws below take too many bits for that. Their coins are proved above; here a coin is one
# step, and all sequences of steps down to a probability of 1e-6 are tried.


class Steps:
    """Choices as written; asks for another when they are used up."""

    def __init__(self, choices: tuple[int, ...]) -> None:
        self.choices, self.at = choices, 0

    def choose(self, *weights: float) -> int:
        if self.at == len(self.choices):
            raise AskedError(weights)
        self.at += 1
        return self.choices[self.at - 1]

    def bits(self, count: int) -> int:
        return self.choose(*[2.0**-count] * 2**count)


class AskedError(Exception):
    """A choice is needed, with these weights."""


def law_of(sample: Callable[[Steps], int], least: float) -> tuple[dict[int, float], float]:
    """Return the probability of each value along sequences above `least`, and of the others."""
    found: dict[int, float] = {}
    rest, open_ = 0.0, [((), 1.0)]
    while open_:
        choices, mass = open_.pop()
        if mass < least:
            rest += mass
            continue
        try:
            value = sample(Steps(choices))
        except AskedError as asked:
            (weights,) = asked.args
            open_ += [((*choices, i), mass * w) for i, w in enumerate(weights) if w]
        else:
            found[value] = found.get(value, 0.0) + mass
    return found, rest


@pytest.fixture
def one_step_coins(monkeypatch):
    """Let `below` and `bernoulli_exp`, which are proved above, be one step each."""
    monkeypatch.setattr(exact, "below", lambda bits, n: bits.choose(*[1 / n] * n))
    monkeypatch.setattr(
        exact,
        "bernoulli_exp",
        lambda bits, a, b: bits.choose(-math.expm1(-a / b), math.exp(-a / b)),
    )


def within(found: dict[int, float], rest: float, law: dict[int, float]) -> None:
    assert rest < 0.1
    assert sum(found.values()) + rest == pytest.approx(1, abs=1e-9)
    for value, mass in law.items():
        assert found.get(value, 0.0) <= mass * (1 + 1e-9) <= found.get(value, 0.0) + rest + 1e-9


@pytest.mark.parametrize("scale", [1, 2, 3])
@pytest.mark.usefixtures("one_step_coins")
def test_a_discrete_laplace_has_its_law(scale):
    ratio = math.exp(-1 / scale)
    law = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-60, 61)}
    within(*law_of(lambda steps: exact.discrete_laplace(steps, scale), 1e-6), law)


@pytest.mark.parametrize("sigma", [1, 2])
@pytest.mark.usefixtures("one_step_coins")
def test_a_discrete_gaussian_has_its_law(sigma, monkeypatch):
    """With a Laplace in one step, too: it is proved above; both laws cut off at 9."""
    sizes = range(-9, 10)

    def laplace(steps: Steps, scale: int) -> int:
        mass = [math.exp(-abs(z) / scale) for z in sizes]
        return sizes[steps.choose(*[m / sum(mass) for m in mass])]

    monkeypatch.setattr(exact, "discrete_laplace", laplace)
    mass = {z: math.exp(-z * z / (2 * sigma**2)) for z in sizes}
    total = sum(mass.values())
    law = {z: m / total for z, m in mass.items()}
    within(*law_of(lambda steps: exact.discrete_gaussian(steps, sigma), 1e-5), law)


def test_the_proof_can_fail():
    """A flip with 1/(1 + e^eps') for another eps', 5 % away, is outside the interval."""
    law = {True: 1 / (1 + math.exp(1.05)), False: 1 / (1 + math.exp(-1.05))}
    with pytest.raises(AssertionError):
        prove(lambda bits: flipped(bits, Fraction(1)), 16, law, 0.1)


def test_a_noise_below_one_step_is_refused():
    with pytest.raises(ParameterInvalid):
        discrete_gaussian(Script(()), 0)


# --- long runs ------------------------------------------------------------------------------

ALARM = 1e-6
"""Chance that a correct sampler fails one of these; the seeds are fixed, so it is paid once."""


def stream(number: int) -> BitStream:
    return BitStream(number.to_bytes(32, "big"), bytes(16))


def chi_square(counts: np.ndarray, mass: np.ndarray) -> None:
    expected = mass * counts.sum()
    assert expected.min() > 5
    assert float(((counts - expected) ** 2 / expected).sum()) < chi2.isf(ALARM, len(mass) - 1)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
def test_flips_are_as_many_as_epsilon_says(epsilon):
    """30,000 draws at the exact fraction that the float is."""
    bits, exact = stream(1), Fraction(epsilon)
    flips = sum(flipped(bits, exact) for _ in range(30_000))
    q = 1 / (1 + math.exp(epsilon))
    chi_square(np.array([flips, 30_000 - flips]), np.array([q, 1 - q]))


@pytest.mark.parametrize("sigma", [1, 3, 10])
def test_discrete_gaussians_fit_their_law(sigma):
    """30,000 draws, tails pooled where fewer than ten are expected."""
    bits = stream(2)
    drawn = np.array([discrete_gaussian(bits, sigma) for _ in range(30_000)])
    z = np.arange(-12 * sigma, 12 * sigma + 1)
    mass = np.exp(-(z**2) / (2 * sigma**2))
    mass /= mass.sum()
    far = int(z[(mass * 30_000 > 10)].max())
    inner = np.abs(z) <= far
    seen = np.array([np.sum(drawn == value) for value in z[inner]])
    pooled = np.array([np.sum(drawn < -far), np.sum(drawn > far)])
    outer = np.array([mass[z < -far].sum(), mass[z > far].sum()])
    if outer.min() * 30_000 <= 5:
        seen, expected = np.append(seen, pooled.sum()), np.append(mass[inner], outer.sum())
    else:
        seen, expected = np.append(seen, pooled), np.append(mass[inner], outer)
    chi_square(seen, expected)


def test_a_gaussian_answer_is_a_gaussian_on_its_grid():
    """20,000 answers to either bit against the normal law (Kolmogorov and Smirnov)."""
    settings = PolicySettings("success", 500, 20, 3, mechanism="gaussian", epsilon=2.0)
    sampler, noise = sampler_of(settings, (2.0,)), GaussianAnswers(settings.delta)
    for bit in (0, 1):
        bits = stream(3 + bit)
        drawn = np.array([sampler.draw(bit, 0, bits) for _ in range(20_000)])
        assert (drawn % 64 != 0).any()  # all steps of the grid, not every 64th
        scaled = (drawn / STEPS_PER_BIT - bit) / noise.sigma(2.0)
        assert kstest(scaled, "norm").pvalue > ALARM


def test_flips_are_of_the_bit_and_of_the_level():
    settings = PolicySettings("information", 500, 20, 3)
    sampler = sampler_of(settings, (50.0, 0.01))
    bits = stream(5)
    for bit in (0, 1):
        assert {sampler.draw(bit, 0, bits) for _ in range(200)} == {bit}
        assert {sampler.draw(bit, 1, bits) for _ in range(200)} == {0, 1}


# --- streams --------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 700), max_size=20))
def test_a_stream_is_one_long_number_cut_in_pieces(widths):
    whole = stream(7).bits(sum(widths))
    pieces, shift, bits = 0, 0, stream(7)
    for width in widths:
        pieces |= bits.bits(width) << shift
        shift += width
    assert pieces == whole


def test_every_question_has_a_stream_of_its_own():
    def drawn(party: str, cohort: int, person: int, attribute: int) -> int:
        entropy = Entropy(party_seed(7, party), simulated=True)
        return AnswerBits(entropy, cohort).stream(person, attribute).bits(128)

    questions = [
        (party, cohort, person, attribute)
        for party in ("participant-0", "participant-1")
        for cohort in (0, 1)
        for person in (0, 1, 256, 2**32)
        for attribute in (0, 1, 256)
    ]
    assert len({drawn(*question) for question in questions}) == len(questions)
    assert drawn(*questions[5]) == drawn(*questions[5])


@pytest.mark.parametrize("question", [(-1, 0), (2**64, 0), (0, -1), (0, 2**32)])
def test_a_question_that_would_share_anothers_stream_is_refused(question):
    with pytest.raises(ParameterInvalid):
        AnswerBits(Entropy(bytes(32), simulated=True), 0).stream(*question)
