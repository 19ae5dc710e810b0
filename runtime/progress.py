"""How a long piece of work says where it is."""

from typing import Protocol


class Progress(Protocol):
    """Told at each step."""

    def step(self, text: str) -> None:
        """A new step begins; `text` says in plain words what is done now."""


class RunsProgress(Progress, Protocol):
    """Told at each step of several runs."""

    def run(self, name: str) -> None:
        """The next run begins."""


class Quiet:
    """Says nothing."""

    def run(self, name: str) -> None:
        """Say nothing."""

    def step(self, text: str) -> None:
        """Say nothing."""
