"""What the coordinator may say of its periods afterwards: levels and silos, never counts."""

from typing import Any

from collude.codef.coordinator.book import PeriodBook
from collude.codef.coordinator.session import CoordinatorSession
from collude.common.outcome import FAILED, FINISHED, Outcome, error_facts

WITHHELD = "withheld"


def outcome_of(session: CoordinatorSession, rounds: dict[str, float]) -> Outcome:
    """Return how the coordinator's part ended."""
    error = session.error
    return Outcome(
        state=FINISHED if error is None else FAILED,
        error={} if error is None else error_facts(error),
        rounds=rounds,
        warnings=[
            *(f"went on without {silo}: {why}" for silo, why in sorted(session.left.items())),
            *map(str, session.refused),
        ],
        result={
            "periods": [facts_of(book) for book in session.books],
            "left": {silo: str(why) for silo, why in sorted(session.left.items())},
        },
    )


def facts_of(book: PeriodBook) -> dict[str, Any]:
    """Return what one period was: its policy, and what each lease allowed."""
    terms = book.terms
    names = [*(f"{level:g}" for level in terms.policy.levels), WITHHELD]
    return {
        "policy": terms.policy.name,
        "guarantee": terms.policy.guarantee,
        "levels": list(terms.policy.levels),
        "leased": terms.policy.leased,
        "silos": list(book.silos),
        "ledger": {"entries": book.ledger.length, "head": book.ledger.head.hex()},
        "epochs": [
            {
                "epoch": facts.epoch,
                "persons_by_level": dict(zip(names, facts.persons_by_level, strict=True)),
                "counted": list(facts.counted),
                "missing": list(facts.missing),
            }
            for facts in book.facts
        ],
    }
