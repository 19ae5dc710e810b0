"""Ledgers: where they end, and where their text stands for an audit."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.runtime.report.codef_documents import LedgerFacts


@dataclass(frozen=True)
class Chain:
    """The ledger of one policy's period, and where its text stands."""

    policy: str
    entries: str
    head: str
    file: str


def chains(periods: Sequence[tuple[str, LedgerFacts]]) -> tuple[Chain, ...]:
    """Return the ledger of each period, of which the policy is given, in order."""
    return tuple(
        Chain(
            policy, str(ledger.entries), ledger.head, f"parties/coordinator/ledger-{number}.jsonl"
        )
        for number, (policy, ledger) in enumerate(periods)
    )
