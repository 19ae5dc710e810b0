"""What every error of Collude is made of; the errors themselves are in `errors`."""

from collections.abc import Iterator
from typing import ClassVar, TypeVar

LONGEST = 10_000
"""Characters of `expected` and `got`: another party may have sent megabytes, and this is kept."""


class ColludeError(Exception):
    """Something went wrong in Collude.

    Attributes:
        code: stable identifier, for scripts and for `docs/errors.md`.
        party: the party at fault or concerned, or None.
        field: the field, file or option concerned, or None.
        expected: what would have been accepted, or None.
        got: what came instead, or None; never a secret.
        hint: what to do next in this very case, or None.
        advice: what to do next in general.
    """

    code: ClassVar[str] = "E-COLLUDE"
    exit_code: ClassVar[int] = 3
    advice: ClassVar[str] = "See the logs in the run directory."

    def __init__(
        self,
        reason: str,
        *,
        party: str | None = None,
        field: str | None = None,
        expected: object = None,
        got: object = None,
        hint: str | None = None,
    ) -> None:
        """Keep the parts, and a one-line text made of them."""
        super().__init__(reason)
        self.reason = reason
        self.party = party
        self.field = field
        self.expected = None if expected is None else _short(str(expected))
        self.got = None if got is None else _short(str(got))
        self.hint = hint

    def __str__(self) -> str:
        """Return the parts that are known, on one line."""
        head = f"{self.party}: {self.reason}" if self.party else self.reason
        known = {name: getattr(self, name) for name in ("field", "expected", "got")}
        details = [f"{name} {value}" for name, value in known.items() if value is not None]
        tail = f" ({', '.join(details)})" if details else ""
        return f"[{self.code}] {head}{tail}. {self.next_step}"

    @property
    def next_step(self) -> str:
        """What to do next: the hint, or the advice for all errors of this class."""
        return self.hint or self.advice

    @classmethod
    def sentence(cls) -> str:
        """Return the first line of the docstring: what is wrong, in general."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild from the parts: joblib and process pools copy errors."""
        return (_rebuild, (type(self), self.reason, dict(self.__dict__)))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"


def _rebuild(kind: type[ColludeError], reason: str, parts: dict[str, object]) -> ColludeError:
    error = kind(reason)
    error.__dict__.update(parts)
    return error


E = TypeVar("E", bound=ColludeError)


def tree(base: type[E]) -> Iterator[type[E]]:
    """Yield a class and all classes below it, parents first."""
    yield base
    for below in base.__subclasses__():
        yield from tree(below)


def by_code(base: type[E]) -> dict[str, type[E]]:
    """Return code -> class for a class and all below it."""
    return {kind.code: kind for kind in tree(base)}


class LocalError(ColludeError):
    """This party's own input, configuration or call is at fault."""

    code = "E-LOCAL"
    exit_code = 2
    advice = "Correct what is named and start again."


class RemoteError(ColludeError):
    """Another party sent something wrong, or did not send it in time."""

    code = "E-REMOTE"
    advice = "Ask whoever runs the named party; its log says more."
