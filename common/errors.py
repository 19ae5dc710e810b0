"""One tree of errors: whose fault it is, what was wrong, and what to do next.

The first line of a class docstring is the sentence a user reads. Every instance can name the
party, the field, what was expected, what came, and a hint. `LocalError` means that this
party's own input or call is at fault; `RemoteError` means that another party's is.

`docs/errors.md` is made of these classes by `make docs`. A code is public: it stays with its
meaning for ever.
"""

# Written twice, so that who imports them from here is not told that they are borrowed.
from collude.common.error_base import ColludeError as ColludeError  # noqa: PLC0414
from collude.common.error_base import LocalError as LocalError  # noqa: PLC0414
from collude.common.error_base import RemoteError as RemoteError  # noqa: PLC0414
from collude.common.error_base import by_code as by_code  # noqa: PLC0414
from collude.common.error_base import tree as tree  # noqa: PLC0414


class ScenarioInvalid(LocalError):
    """The scenario or party file cannot be used as it stands."""

    code = "E-SCENARIO"
    advice = "The comments in deploy/scenarios/quickstart.toml explain the keys."

    @property
    def next_step(self) -> str:
        """What to do next: the hint, or what helps with the field that is named."""
        return self.hint or next(
            (words for start, words in _WHERE if (self.field or "").startswith(start)), self.advice
        )


_WHERE = (
    ("--", "The command's --help lists its options."),
    (
        "codef",
        "docs/codef.md explains the keys of [codef], deploy/scenarios/releases.toml uses them.",
    ),
    ("faults", "docs/codef.md says what can go wrong on purpose, and how a scenario says it."),
)
"""Start of a field -> where to read about it, if not in the quickstart."""


class ParameterInvalid(LocalError, ValueError):
    """A number or option is outside the range it may have."""

    code = "E-PARAMETER"


class RunDirectoryExists(LocalError):
    """The output directory exists; nothing was overwritten."""

    code = "E-OUT-EXISTS"
    advice = "Choose another --out, or replace it with --force."


class RunDirectoryInvalid(LocalError):
    """The directory is not a readable run directory."""

    code = "E-RUN-DIR"
    advice = "Name a directory that `collude run` or `collude demo` has made."


class DataUnavailable(LocalError):
    """The data set is not installed or not where it was looked for."""

    code = "E-DATA"
    advice = "Install the data set's extra, or correct the path."


class DataInvalid(LocalError):
    """The party's own records or labels cannot be used."""

    code = "E-DATA-INVALID"
    advice = "Correct the party's records; nothing was sent."


class ExtraMissing(LocalError):
    """An optional dependency is not installed."""

    code = "E-EXTRA"
    advice = "Install the extra that is named."


class NoUpload(LocalError):
    """The method uploads nothing, so there is nothing to make."""

    code = "E-NO-UPLOAD"
    advice = "Choose another mechanism.method if something is to be uploaded."


class AnchorInvalid(LocalError):
    """The shared anchor fails the checks that every participant makes."""

    code = "E-ANCHOR"
    advice = "All participants must run the same version; then start again with fresh randomness."


class ListenFailed(LocalError):
    """The address cannot be listened on."""

    code = "E-LISTEN"
    advice = "Choose another port, or port 0 for any free one."


class CertificateInvalid(LocalError):
    """A certificate or key of this party cannot be used."""

    code = "E-TLS-LOCAL"
    advice = "Look at the certificates with `collude pki check`."


class PluginUnknown(LocalError):
    """No plug-in of that name is registered."""

    code = "E-PLUGIN-UNKNOWN"
    advice = "`collude plugins` lists what is registered."


class PluginInvalid(LocalError):
    """A plug-in cannot be imported, does not do what its group asks, or shares its name."""

    code = "E-PLUGIN"
    advice = "Correct the plug-in, or uninstall the package that brings it."


class AttackImpossible(LocalError):
    """The view does not hold what the attack needs."""

    code = "E-ATTACK"
    advice = "Choose another attack, or let the colluders disclose what it lacks."


class AuditorUnusable(LocalError):
    """The auditor that judges linkage cannot be made or cannot be used."""

    code = "E-AUDITOR"
    advice = "Choose another auditor.name, or give it what it needs."


class SessionUsed(LocalError):
    """This silo took part in this session before, and was restarted since."""

    code = "E-SESSION-USED"
    advice = "It counts as dropped until the next period: its old keys must not mask other counts."


class UploadRejected(RemoteError):
    """An upload was refused; nothing of it was kept. `party` sent it."""

    code = "E-UPLOAD"
    advice = "The named party must correct its records or its software, and upload again."


class UploadNotNumbers(UploadRejected):
    """An uploaded array is not a matrix of real numbers; nothing of the upload was kept."""

    code = "E-UPLOAD-TYPE"


class UploadNotFinite(UploadRejected):
    """An upload holds NaN or infinity; nothing of it was kept."""

    code = "E-UPLOAD-NONFINITE"
    advice = "The named party must clean its records: no missing values, no overflow."


class UploadOutOfRange(UploadRejected):
    """An upload holds numbers too large or too small to square; nothing of it was kept."""

    code = "E-UPLOAD-RANGE"
    advice = "The named party must scale its records to ordinary magnitudes."


class UploadEmpty(UploadRejected):
    """An upload has no rows; nothing of it was kept."""

    code = "E-UPLOAD-EMPTY"
    advice = "The named party needs at least one training record, or must leave the roster."


class UploadMisshapen(UploadRejected):
    """An uploaded array has another shape than was agreed; nothing of the upload was kept."""

    code = "E-UPLOAD-SHAPE"
    advice = "All parties must use the same scenario, and the same features of their records."


class UploadRankDeficient(UploadRejected):
    """An uploaded anchor does not determine an alignment; nothing of the upload was kept."""

    code = "E-UPLOAD-RANK"
    advice = "A missing direction leaves an arbitrary rotation: the named party must upload again."


class UploadAnchorWrong(UploadRejected):
    """An anchor is missing, or came although the method has none; nothing was kept."""

    code = "E-UPLOAD-ANCHOR"
    advice = "All parties must run the same method; compare the scenarios."


class UploadLabelsWrong(UploadRejected):
    """An upload has another number of labels than of records; nothing of it was kept."""

    code = "E-UPLOAD-LABELS"
    advice = "The named party must send one label for each record."


class UploadOverQuota(UploadRejected):
    """An upload is more than its sender may upload, or than can be taken; nothing was kept."""

    code = "E-UPLOAD-QUOTA"
    advice = "Upload fewer records, or ask whoever runs the receiver to raise its quota."


class UploadNotStored(UploadRejected):
    """The receiver could not write an upload to its disk; nothing of it was kept."""

    code = "E-UPLOAD-STORE"
    advice = "Whoever runs the receiver must make room on its disk, or let it write there."


class ProtocolViolation(RemoteError):
    """A message does not belong where it arrived; the state did not change."""

    code = "E-PROTOCOL"
    advice = (
        "All parties must run the same version; if they do, somebody does not keep to the protocol."
    )


class WireInvalid(RemoteError):
    """The bytes of a message cannot be decoded, or are not canonical."""

    code = "E-WIRE"
    advice = (
        "All parties must run the same version; if they do, somebody does not keep to the protocol."
    )


class IdentityRefused(RemoteError):
    """A peer's certificate, signature or name is not the one it must be."""

    code = "E-IDENTITY"
    advice = "Look at the certificates with `collude pki check`, and compare the rosters."


class RosterMismatch(RemoteError):
    """A party runs with another roster or another scenario; both digests are named."""

    code = "E-ROSTER"
    advice = "All parties must use the same scenario and the same roster."


class AnchorAborted(RemoteError):
    """The participants could not agree on a joint seed."""

    code = "E-ANCHOR-ABORT"
    advice = "Start again with fresh randomness; if it happens again, leave the named party out."


class AggregationAborted(RemoteError):
    """Secure aggregation ended without a sum; nothing but masked counts was seen.

    Attributes:
        stage: the stage in which it ended; `field` starts with it.
    """

    code = "E-AGGREGATION"
    advice = "Start a new session with fresh keys; leave the named party out if it fails again."

    @property
    def stage(self) -> str:
        """The stage: `advertise_keys`, `share_keys`, `masked_input`, `consistency`, `unmask`."""
        return (self.field or "").split("/")[0]


class LedgerRejected(RemoteError):
    """An entry or head does not belong on the ledger; it was not added."""

    code = "E-LEDGER"
    advice = "Compare the ledgers line by line: a short script recomputes every hash and signature."


class LedgerForked(LedgerRejected):
    """Two signed heads of one length differ: somebody was shown another ledger."""

    code = "E-LEDGER-FORK"
    advice = "Keep both signed heads: together they are the proof. Stop answering."


class PeriodAborted(RemoteError):
    """A budget period ended before its last epoch; from then on nothing is answered."""

    code = "E-CODEF"
    advice = "Start a new period with fresh keys; leave the named party out if it fails again."


class ReleaseRefused(RemoteError):
    """A query, an answer or a receipt was refused."""

    code = "E-RELEASE"
    advice = "Nothing was answered and nothing was charged; correct what is named and ask again."


class DeadlineExceeded(RemoteError):
    """A party did not do its part before the deadline."""

    code = "E-DEADLINE"
    advice = "See the named party's log, or raise network.deadline_s."


class PeerUnreachable(RemoteError):
    """A party cannot be reached, or the connection was refused."""

    code = "E-UNREACHABLE"
    advice = "Is the named party running, and is its address right?"


class ModelInvalid(RemoteError):
    """A delivered model cannot be used."""

    code = "E-MODEL"
    advice = "All parties must run the same version; otherwise ask whoever runs the analyst."


class SessionAborted(RemoteError):
    """Another party ended the session and said why."""

    code = "E-ABORTED"
    advice = "The reason is the other party's; its log says more."


class PartyFailed(RemoteError):
    """A party's process ended with an error."""

    code = "E-PARTY"
    advice = "See the named party's log."


class DisclosureRefused(RemoteError):
    """The party discloses nothing to the one who asked."""

    code = "E-DISCLOSURE"
    advice = "Name the party in collusion.colluders, and what it discloses in collusion.disclose."
