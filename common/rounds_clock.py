"""How long a party stood in each round."""

from collections.abc import Callable


class RoundsClock:
    """Adds up seconds by round; time comes from a function that is passed in."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Stand nowhere."""
        self._now = now
        self._round: str | None = None
        self._since = 0.0
        self.seconds: dict[str, float] = {}

    @property
    def current(self) -> str | None:
        """The round it stands in, or None."""
        return self._round

    def enter(self, round_: str) -> None:
        """Stand in `round_` from now on; the same one again changes nothing."""
        if round_ != self._round:
            self.stop()
            self._round, self._since = round_, self._now()

    def stop(self) -> None:
        """Stand nowhere from now on."""
        if self._round is not None:
            spent = self._now() - self._since
            self.seconds[self._round] = self.seconds.get(self._round, 0.0) + spent
            self._round = None
