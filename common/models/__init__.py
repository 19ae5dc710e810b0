"""A trained model as plain arrays with a numpy forward pass."""

from collude.common.models.linear import LinearModel
from collude.common.models.model import MODELS, Model, model_from

__all__ = ["MODELS", "LinearModel", "Model", "model_from"]
