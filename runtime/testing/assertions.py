"""Assertions about what a coalition learns. A measured attack is a lower bound on leakage.

So each can show that something leaks; that it passes proves nothing about attacks not tried.
"""

from collections.abc import Sequence

from collude.attacker.attacks import registry
from collude.common.errors import ParameterInvalid
from collude.runtime.testing.federation import Attacked, Run

EXACT = 1e-6
"""Relative squared error under which records count as recovered."""


def assert_no_exact_recovery(
    run: Run,
    colluders: Sequence[str] | None = None,
    attacks: Sequence[str] | None = None,
    tolerance: float = EXACT,
) -> None:
    """Assert that no attack recovers any non-colluding participant's records.

    Args:
        run: a finished run.
        colluders: None are the scenario's; empty is the analyst alone.
        attacks: names; None are all registered ones that can run on the view.
        tolerance: relative squared error that counts as exact.

    Raises:
        AssertionError: one does; attack, target and error are named.
    """
    for found in _attempts(run, colluders, attacks):
        if found.relative is not None and found.relative <= tolerance:
            raise AssertionError(
                f"{found.name} recovers the records of {found.target} exactly: relative squared "
                f"error {found.relative:.3g}, which is not above {tolerance:g}"
            )


def assert_linkage_at_most(
    run: Run,
    level: float,
    colluders: Sequence[str] | None = None,
    attacks: Sequence[str] | None = None,
) -> None:
    """Assert that no attack wins more than this share of the auditor's lineups.

    Raises:
        AssertionError: one does; attack, target and share are named.
        ParameterInvalid: the data set does not know its people, so there is no linkage.
    """
    measured = [f for f in _attempts(run, colluders, attacks) if f.linkage is not None]
    if not measured:
        raise ParameterInvalid(
            "nothing was linked: no attack can run, or the data set knows no people",
            field="data.source",
            hint="Use orl-faces or synthetic-faces.",
        )
    worst = max(measured, key=lambda found: found.linkage or 0.0)
    if (worst.linkage or 0.0) > level:
        raise AssertionError(
            f"{worst.name} links {worst.linkage:.2f} of the lineups of {worst.target}, "
            f"more than {level:g}"
        )


def assert_same_transcript(first: Run, second: Run) -> None:
    """Assert that two runs exchanged the same messages.

    Raises:
        AssertionError: they did not; both digests are named.
    """
    if first.transcript_digest != second.transcript_digest:
        raise AssertionError(
            f"the transcripts differ: {first.transcript_digest} in {first.directory} and "
            f"{second.transcript_digest} in {second.directory}"
        )


def _attempts(
    run: Run, colluders: Sequence[str] | None, attacks: Sequence[str] | None
) -> list[Attacked]:
    told = run.scenario.collusion.colluders if colluders is None else colluders
    view = run.view(told)
    known = registry()
    names = [n for n in known if not known[n].missing(view)] if attacks is None else list(attacks)
    targets = [party for party in view.uploads if party not in told]
    return [run.attack(name, target, told) for target in targets for name in names]
