"""On which device a network is trained."""

from functools import cache

from collude.common.errors import ScenarioInvalid
from collude.common.training.backend import torch_module

CPU, CUDA, AUTO = "cpu", "cuda", "auto"

_CLOSE = 1e-3
"""Largest difference of the smoke test's gradients, which are of order 1, in float32."""


def resolve_device(wanted: str = AUTO) -> str:
    """Return `cpu` or `cuda`.

    Args:
        wanted: `cpu`, `cuda`, or `auto` for CUDA where it works and the processor elsewhere.

    Raises:
        ScenarioInvalid: CUDA is wanted and does not work here.
        ExtraMissing: torch is not installed.
    """
    if wanted == CPU or (wanted == AUTO and not cuda_works()):
        return CPU
    if not cuda_works():
        raise ScenarioInvalid(
            "this machine has no CUDA device that torch can use",
            field="training.device",
            expected=f"{AUTO} or {CPU}",
            got=wanted,
            hint=f'Set training.device = "{AUTO}" to use one where there is one.',
        )
    return CUDA


@cache
def cuda_works() -> bool:
    """Return whether there is a CUDA device, and a convolution with its gradient is right on it.

    A device may be listed and yet be too new or too old for this build of torch, or full.

    Raises:
        ExtraMissing: torch is not installed.
    """
    if not torch_module().cuda.is_available():
        return False
    try:
        difference = _difference()
    except RuntimeError:  # what torch raises for anything that goes wrong on a device
        return False
    return difference < _CLOSE


def _difference() -> float:
    """Return how far the gradients of a small convolution differ between the two devices."""
    torch = torch_module()
    pattern = torch.linspace(-1, 1, 2 * 400).reshape(2, 1, 20, 20)
    gradients = []
    for device in (CPU, CUDA):
        weights = torch.linspace(-0.1, 0.1, 250, device=device).reshape(10, 1, 5, 5)
        weights.requires_grad_()
        pooled = torch.nn.functional.max_pool2d(
            torch.nn.functional.conv2d(pattern.to(device), weights), 2
        )
        pooled.square().mean().backward()
        gradients.append(weights.grad.cpu())
    return float((gradients[0] - gradients[1]).abs().max())
