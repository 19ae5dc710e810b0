"""Trainers by the name of the model. torch is imported only when one is called."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from collude.common.training.cnn import train_cnn
from collude.common.training.device import AUTO, CPU, resolve_device
from collude.common.training.linear import train_linear
from collude.common.training.repeat import Trainer, train_repeatedly

trainers: Mapping[str, Trainer] = MappingProxyType({"linear": train_linear, "cnn": train_cnn})
"""What `training.model` in a scenario can name."""

_ON_DEVICE: Mapping[str, Callable[..., Trainer]] = MappingProxyType({
    "cnn": lambda device: partial(train_cnn, device=device)
})
"""Those that can use another device than the processor."""


def trainer(model: str, device: str = AUTO) -> Trainer:
    """Return the trainer of a model.

    Args:
        model: a name in `trainers`.
        device: `cpu`, `cuda` or `auto`; the linear model is always fitted on the processor.
    """
    return _ON_DEVICE[model](device) if model in _ON_DEVICE else trainers[model]


def training_device(model: str, device: str) -> str:
    """Return the device on which `trainer(model, device)` trains here: `cpu` or `cuda`.

    Raises:
        ScenarioInvalid: CUDA is wanted and does not work here.
        ExtraMissing: torch is needed to find out and is not installed.
    """
    return resolve_device(device) if model in _ON_DEVICE else CPU


__all__ = [
    "Trainer",
    "resolve_device",
    "train_cnn",
    "train_linear",
    "train_repeatedly",
    "trainer",
    "trainers",
    "training_device",
]
