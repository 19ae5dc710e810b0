"""The same training under several seeds."""

import numpy as np

from collude.common.models import LinearModel, RepeatedModel
from collude.common.training import train_repeatedly


def constant(rows, labels, *, seed):
    """A trainer whose model says which seed it got."""
    return LinearModel(np.zeros((rows.shape[1], 1)), np.zeros(1), np.array([seed]))


def test_one_seed_gives_the_model_itself():
    model = train_repeatedly(constant, np.ones((2, 3)), np.array([0, 1]), [4])
    assert model.predict(np.ones((1, 3))).tolist() == [4]
    assert isinstance(model, LinearModel)


def test_several_seeds_give_their_models_in_order():
    model = train_repeatedly(constant, np.ones((2, 3)), np.array([0, 1]), (4, 2, 9))
    assert isinstance(model, RepeatedModel)
    assert [int(each.classes[0]) for each in model.members] == [4, 2, 9]
