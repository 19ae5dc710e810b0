"""The `collude` command: one subcommand a file, each loads what it needs when it is called."""

import signal
import sys

import typer

from collude.common.errors import ColludeError
from collude.runtime.cli import (
    attack,
    compose,
    demo,
    new,
    party,
    pki,
    plugins,
    report,
    risk,
    run,
    study,
)
from collude.runtime.cli.console import err, show_bare_error, show_error

INTERRUPTED = 130

WITHOUT_WORDS = {
    2: ("E-USAGE", "the command was called wrongly; stderr says how"),
    INTERRUPTED: ("E-INTERRUPTED", "interrupted"),
}
"""Exit code -> code and reason, where typer ends the program before we can say anything."""

app = typer.Typer(
    name="collude",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help=(
        "Prototype a multi-party privacy protocol, run it over a real network, let some parties "
        "collude, and see exactly what they learn.\n\n"
        "Start with `collude demo`. Exit codes: 0 fine, 2 bad usage or bad input, 3 a party "
        "failed or was refused, 4 a check did not hold, 130 interrupted."
    ),
)

for module in (demo, run, attack, report, risk, study, party, compose, plugins, new):
    module.register(app)
app.add_typer(pki.app, name="pki")


def main() -> None:
    """Run the command line; errors become a message and an exit code."""
    # A command that is told to end does so in order, as after Ctrl-C: no orphan, a last status.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app(standalone_mode=True)
    except ColludeError as error:
        show_error(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit as ending:
        if _was_interrupted(ending):
            err.print("interrupted")
        if "--json" in sys.argv and ending.code in WITHOUT_WORDS:
            show_bare_error(*WITHOUT_WORDS[ending.code])
        raise


def _was_interrupted(ending: SystemExit) -> bool:
    """Return whether typer ended the program for Ctrl-C; a party says so itself."""
    exited = ending.__context__
    return exited is not None and isinstance(exited.__cause__, KeyboardInterrupt)
