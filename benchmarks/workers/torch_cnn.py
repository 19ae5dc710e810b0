"""torch as one would write it: modules, NCHW, a shuffling DataLoader, Adam as it comes.

    python -m benchmarks.workers.torch_cnn ROWS EPOCHS

The same network, epochs, batches and choice of the epoch as ours.
"""

import sys
from copy import deepcopy
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from benchmarks.workers.images import VALIDATION, images
from benchmarks.workers.timing import measured, say

BATCH = 256


def network() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 10, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(10, 20, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(80, 50), nn.ReLU(), nn.Linear(50, 1), nn.Flatten(0),
    )  # fmt: skip


def fit(pixels: Any, labels: Any, epochs: int) -> dict[str, Any]:
    """Return the weights after the epoch with the best balanced accuracy on 15 % of the rows."""
    rows = torch.as_tensor(pixels, dtype=torch.float32).reshape(-1, 1, 20, 20)
    targets = torch.as_tensor(labels, dtype=torch.float32)
    held_out = int(VALIDATION * len(rows))
    training = TensorDataset(rows[held_out:], targets[held_out:])
    validation = DataLoader(TensorDataset(rows[:held_out], targets[:held_out]), batch_size=1024)
    loader = DataLoader(training, batch_size=BATCH, shuffle=True)
    model, best, kept = network(), -1.0, {}
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss = nn.BCEWithLogitsLoss()
    for _ in range(epochs):
        for batch, wanted in loader:
            optimiser.zero_grad()
            loss(model(batch), wanted).backward()
            optimiser.step()
        reached = balanced_accuracy(model, validation)
        if reached > best:
            best, kept = reached, deepcopy(model.state_dict())
    return kept


def balanced_accuracy(model: nn.Module, loader: Any) -> float:
    with torch.no_grad():
        pairs = [(model(batch) >= 0, wanted > 0) for batch, wanted in loader]
    said, true = (torch.cat(column) for column in zip(*pairs, strict=True))
    return float((said[true].double().mean() + (~said[~true]).double().mean()) / 2)


def main() -> None:
    rows, epochs = map(int, sys.argv[1:])
    pixels, labels = images(rows)
    fit(pixels[:64], labels[:64], 1)
    say(measured(lambda: fit(pixels, labels, epochs))[1])


if __name__ == "__main__":
    main()
