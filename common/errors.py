"""One tree of errors: whose fault it is, what was wrong, and what to do next.

The first line of a class docstring is the sentence a user reads. Every instance can name the
party, the field, what was expected, what came, and a hint. `LocalError` means that this
party's own input or call is at fault; `RemoteError` means that another party's is.
"""

from typing import ClassVar


class ColludeError(Exception):
    """Something went wrong in Collude.

    Attributes:
        code: stable identifier, for scripts and for `docs/errors.md`.
        party: the party at fault or concerned, or None.
        field: the field, file or option concerned, or None.
        expected: what would have been accepted, or None.
        got: what came instead, or None; never a secret.
        hint: what to do next, or None.
    """

    code: ClassVar[str] = "E-COLLUDE"
    exit_code: ClassVar[int] = 3

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
        self.expected = None if expected is None else str(expected)
        self.got = None if got is None else str(got)
        self.hint = hint

    def __str__(self) -> str:
        """Return the parts that are known, on one line."""
        head = f"{self.party}: {self.reason}" if self.party else self.reason
        details = [
            f"{name} {value}"
            for name, value in (
                ("field", self.field),
                ("expected", self.expected),
                ("got", self.got),
            )
            if value is not None
        ]
        tail = f" ({', '.join(details)})" if details else ""
        advice = f". {self.hint}" if self.hint else ""
        return f"[{self.code}] {head}{tail}{advice}"

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild from the parts: joblib and process pools copy errors."""
        return (_rebuild, (type(self), self.reason, dict(self.__dict__)))


def _rebuild(kind: type[ColludeError], reason: str, parts: dict[str, object]) -> ColludeError:
    error = kind(reason)
    error.__dict__.update(parts)
    return error


class LocalError(ColludeError):
    """This party's own input, configuration or call is at fault."""

    code = "E-LOCAL"
    exit_code = 2


class RemoteError(ColludeError):
    """Another party sent something wrong, or did not send it in time."""

    code = "E-REMOTE"


class ScenarioInvalid(LocalError):
    """The scenario or party file cannot be used as it stands."""

    code = "E-SCENARIO"


class RunDirectoryExists(LocalError):
    """The output directory exists; nothing was overwritten."""

    code = "E-OUT-EXISTS"


class RunDirectoryInvalid(LocalError):
    """The directory is not a readable run directory."""

    code = "E-RUN-DIR"


class DataUnavailable(LocalError):
    """The data set is not installed or not where it was looked for."""

    code = "E-DATA"


class DataInvalid(LocalError):
    """The party's own records or labels cannot be used."""

    code = "E-DATA-INVALID"


class ExtraMissing(LocalError):
    """An optional dependency is not installed."""

    code = "E-EXTRA"


class NoUpload(LocalError):
    """The method uploads nothing, so there is nothing to make."""

    code = "E-NO-UPLOAD"


class AnchorInvalid(LocalError):
    """The shared anchor fails the checks that every participant makes."""

    code = "E-ANCHOR"


class ListenFailed(LocalError):
    """The address cannot be listened on."""

    code = "E-LISTEN"


class CertificateInvalid(LocalError):
    """A certificate or key of this party cannot be used."""

    code = "E-TLS-LOCAL"


class PluginUnknown(LocalError):
    """No plug-in of that name is registered."""

    code = "E-PLUGIN-UNKNOWN"


class PluginInvalid(LocalError):
    """A plug-in cannot be imported, does not do what its group asks, or shares its name."""

    code = "E-PLUGIN"


class AttackImpossible(LocalError):
    """The view does not hold what the attack needs."""

    code = "E-ATTACK"


class UploadRejected(RemoteError):
    """An upload was refused; nothing of it was kept.

    Attributes:
        party: who sent it.
        reason: what is wrong with it.
    """

    code = "E-UPLOAD"


class ProtocolViolation(RemoteError):
    """A message does not belong where it arrived; the state did not change."""

    code = "E-PROTOCOL"


class WireInvalid(RemoteError):
    """The bytes of a message cannot be decoded, or are not canonical."""

    code = "E-WIRE"


class IdentityRefused(RemoteError):
    """A peer's certificate, signature or name is not the one it must be."""

    code = "E-IDENTITY"


class RosterMismatch(RemoteError):
    """A party runs with another roster or another scenario; both digests are named."""

    code = "E-ROSTER"


class AnchorAborted(RemoteError):
    """The participants could not agree on a joint seed."""

    code = "E-ANCHOR-ABORT"


class DeadlineExceeded(RemoteError):
    """A party did not do its part before the deadline."""

    code = "E-DEADLINE"


class PeerUnreachable(RemoteError):
    """A party cannot be reached, or the connection was refused."""

    code = "E-UNREACHABLE"


class ModelInvalid(RemoteError):
    """A delivered model cannot be used."""

    code = "E-MODEL"


class SessionAborted(RemoteError):
    """Another party ended the session and said why."""

    code = "E-ABORTED"


class PartyFailed(RemoteError):
    """A party's process ended with an error."""

    code = "E-PARTY"


class DisclosureRefused(RemoteError):
    """The party discloses nothing to the one who asked."""

    code = "E-DISCLOSURE"
