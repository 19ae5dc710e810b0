"""docs/errors.md, whole, from the classes."""

from collude.common.errors import ColludeError, LocalError, RemoteError, tree
from collude.common.net.faults import status_of
from tools.docgen.markdown import table

_HEAD = ("code", "class", "what is wrong", "what to do", "exit code", "gRPC status")

_INTRO = """\
# Errors

<!-- Made by `make docs` from common/errors.py. Do not edit. -->

Every error has a stable code. It names, as far as they are known, the party at fault, the field,
what was expected, what came instead, and what to do: the hint of this very case, or the advice
below. `--json` puts the same parts into one document on stdout, under `error`.

Exit codes: 0 fine, 2 bad usage or bad input, 3 a party failed or was refused, 4 a check did not
hold, 130 interrupted.

Between parties an error travels as a gRPC status with these parts in its details, and as the
message `Abort`; both become the same class again. Of an error that is a party's own fault the
others hear no more than its code and the sentence below, as `E-PARTY`: its details may hold a
path or a figure of that party's records.
"""

_SECTIONS = (
    (LocalError, "This party's own fault", "Its input, configuration or call. Nothing was sent."),
    (RemoteError, "Another party's fault", "It sent something wrong, or nothing in time."),
)


def error_page() -> str:
    """Return the content of docs/errors.md."""
    parts = [_INTRO]
    for base, title, words in _SECTIONS:
        rows = (_row(kind) for kind in sorted(tree(base), key=lambda kind: kind.code))
        parts.append(f"## {title}\n\n{words}\n\n{table(_HEAD, rows)}\n")
    return "\n".join(parts)


def _row(kind: type[ColludeError]) -> tuple[object, ...]:
    return (
        f"`{kind.code}`",
        f"`{kind.__name__}`",
        kind.sentence(),
        kind.advice,
        kind.exit_code,
        status_of(kind).name,
    )
