"""A trained model as plain arrays with a numpy forward pass."""

from collude.common.models.cnn import CnnModel
from collude.common.models.kinds import MODELS, model_from
from collude.common.models.linear import LinearModel
from collude.common.models.model import Model
from collude.common.models.repeated import RepeatedModel, members_of

__all__ = [
    "MODELS",
    "CnnModel",
    "LinearModel",
    "Model",
    "RepeatedModel",
    "members_of",
    "model_from",
]
