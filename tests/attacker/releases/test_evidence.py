"""The posterior against the rule of Bayes, by hand with fractions and sums over what is hidden."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collude.attacker.releases.channels import DiscreteGaussian, RandomisedResponse
from collude.attacker.releases.evidence import evidence, log_likelihood_of, posterior_of, signs
from collude.attacker.releases.knowledge import Knowledge
from collude.attacker.releases.view import NONE, Answers, ReleaseView

ODDS = (3, 2, 1.5)
"""e^epsilon of each level: 3, 2 and 3/2, so that probabilities are fractions."""
LEVELS = RandomisedResponse(tuple(math.log(odds) for odds in ODDS))


def right(level):
    odds = Fraction(ODDS[level])
    return odds / (1 + odds)


def chance(bit, value, level):
    """P(value | bit), exactly; a bit that is not known is fair."""
    if bit < 0:
        return Fraction(1, 2)
    return right(level) if bit == value else 1 - right(level)


def view_of(knowledge, asked):
    """A view in which (handle, silo, attribute, value, level) were answered, in this order."""
    columns = np.array(asked, dtype=np.int64).reshape(-1, 5).T
    handles = tuple(i.to_bytes(16, "big") for i in range(knowledge.persons))
    epochs = np.zeros(columns.shape[1], dtype=np.int64)
    return ReleaseView(knowledge, handles, Answers(*columns, epochs))


def named(silos):
    return tuple(f"participant-{i}" for i in range(silos))


@st.composite
def plain_games(draw, kind="plain"):
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    silos = draw(st.integers(1, 3)) * (2 if kind == "xor" else 1)
    columns = silos // 2 if kind == "xor" else silos
    bits = draw(st.lists(st.integers(-1, 1), min_size=n * columns * m, max_size=n * columns * m))
    known = np.array(bits, dtype=np.int8).reshape(n, columns, m)
    pairs = list(itertools.product(range(n), range(silos), range(m)))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=len(pairs)))
    answers = [
        (*where, draw(st.integers(0, 1)), draw(st.integers(0, len(ODDS) - 1))) for where in chosen
    ]
    return Knowledge(named(silos), kind, known, LEVELS), answers


@given(plain_games())
@settings(max_examples=150, deadline=None)
def test_it_is_bayes_rule(game):
    knowledge, answers = game
    posterior = posterior_of(view_of(knowledge, answers))
    for handle in range(knowledge.persons):
        weights = []
        for person in range(knowledge.persons):
            about = [a for a in answers if a[0] == handle]
            parts = [chance(knowledge.attributes[person, s, a], y, lv) for _, s, a, y, lv in about]
            weights.append(math.prod(parts, start=Fraction(1)))
        expected = [float(weight / sum(weights)) for weight in weights]
        assert posterior[handle] == pytest.approx(expected, rel=1e-12)


@given(plain_games(kind="xor"))
@settings(max_examples=150, deadline=None)
def test_of_pairs_it_is_bayes_rule_over_the_hidden_shares(game):
    """Every fair share of every pair is summed over; the querier knows the sums alone."""
    knowledge, answers = game
    posterior = posterior_of(view_of(knowledge, answers))
    for handle in range(knowledge.persons):
        told = {(s, a): (y, lv) for h, s, a, y, lv in answers if h == handle}
        weights = []
        for person in range(knowledge.persons):
            weight = Fraction(1)
            for pair, a in itertools.product(
                range(len(knowledge.silos) // 2), range(knowledge.each)
            ):
                secret = knowledge.attributes[person, pair, a]
                secrets = (0, 1) if secret < 0 else (secret,)
                total = Fraction(0)
                for z, u in itertools.product(secrets, (0, 1)):
                    shares = {2 * pair: u, 2 * pair + 1: z ^ u}
                    heard = [(x, told[s, a]) for s, x in shares.items() if (s, a) in told]
                    total += math.prod((chance(x, *t) for x, t in heard), start=Fraction(1))
                weight *= total / (2 * len(secrets))
            weights.append(weight)
        expected = [float(weight / sum(weights)) for weight in weights]
        assert posterior[handle] == pytest.approx(expected, rel=1e-12)


def test_gaussian_answers_count_by_their_densities_on_the_grid():
    sigmas, grid = (0.7, 1.5), 0.25
    known = np.array([[[0], [1]], [[1], [1]], [[1], [-1]]], dtype=np.int8)
    knowledge = Knowledge(named(2), "plain", known, DiscreteGaussian(sigmas, grid))
    answers = [(0, 0, 0, -3, 0), (0, 1, 0, 9, 1), (1, 0, 0, 2, 1), (2, 1, 0, 40, 0)]
    posterior = posterior_of(view_of(knowledge, answers))

    def mass(steps, bit, sigma):
        """Of the discrete Gaussian around the bit, its constant summed out."""
        law = [math.exp(-(((k * grid) - bit) ** 2) / (2 * sigma**2)) for k in range(-400, 401)]
        return law[steps + 400] / math.fsum(law)

    for handle in range(3):
        weights = []
        for person in range(3):
            weight = 1.0
            for _, s, a, value, level in (x for x in answers if x[0] == handle):
                bits = (0, 1) if known[person, s, a] < 0 else (known[person, s, a],)
                weight *= sum(mass(value, bit, sigmas[level]) for bit in bits) / len(bits)
            weights.append(weight)
        expected = [weight / sum(weights) for weight in weights]
        assert posterior[handle] == pytest.approx(expected, rel=1e-9)


def test_one_answer_of_a_pair_tells_nothing():
    known = np.array([[[0]], [[1]]], dtype=np.int8)
    knowledge = Knowledge(named(2), "xor", known, RandomisedResponse((3.0,)))
    alone = view_of(knowledge, [(0, 0, 0, 1, 0), (1, 1, 0, 0, 0)])
    assert np.array_equal(posterior_of(alone), np.full((2, 2), 0.5))
    both = view_of(knowledge, [(0, 0, 0, 1, 0), (0, 1, 0, 1, 0)])
    q = 1 / (1 + math.e**3)
    wrong = 2 * q * (1 - q)
    assert posterior_of(both)[0] == pytest.approx([1 - wrong, wrong], rel=1e-12)


def test_a_pair_counts_when_its_second_answer_is_there():
    known = np.zeros((3, 2, 1), dtype=np.int8)
    knowledge = Knowledge(named(4), "xor", known, LEVELS)
    answers = [(0, 0, 0, 1, 0), (0, 2, 0, 1, 0), (0, 3, 0, 1, 1), (0, 1, 0, 0, 2)]
    pieces = evidence(knowledge, view_of(knowledge, answers).answers)
    assert pieces.column.tolist() == [1, 0]
    assert pieces.last.tolist() == [2, 3]


def test_sure_answers_give_finite_likelihoods():
    known = np.array([[[0], [0]], [[1], [1]]], dtype=np.int8)
    for kind, shape in (("plain", (2, 2, 1)), ("xor", (2, 1, 1))):
        bits = known.reshape(-1)[: math.prod(shape)].reshape(shape)
        knowledge = Knowledge(named(2), kind, bits, RandomisedResponse((5000.0,)))
        view = view_of(knowledge, [(0, 0, 0, 1, 0), (0, 1, 0, 0, 0)])
        assert np.isfinite(log_likelihood_of(view)).all()
        assert posterior_of(view).sum(axis=1) == pytest.approx(1.0)


def test_without_answers_everybody_is_as_likely():
    knowledge = Knowledge(named(3), "plain", np.zeros((5, 3, 2), dtype=np.int8), LEVELS)
    handles = tuple(bytes([i]) * 16 for i in range(5))
    assert np.allclose(posterior_of(ReleaseView(knowledge, handles, NONE)), 0.2)


def test_signs_are_ones_zeros_and_nothing():
    known = np.array([[[0, 1], [-1, 1]]], dtype=np.int8)
    knowledge = Knowledge(named(2), "plain", known, LEVELS)
    assert signs(knowledge).tolist() == [[-1.0, 1.0, 0.0, 1.0]]
