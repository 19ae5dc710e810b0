"""The made blocks of docs/protocol.md that are about CoDef: its rounds and its state diagrams."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from collude.codef.period.waits import IDLE, WINDOW, coordinator_wait, silo_wait
from collude.common.ids import DIGESTED_ROUNDS, Round
from collude.common.protocol.codef_messages import Adapt
from collude.common.protocol.codef_rounds import (
    AGGREGATION,
    COORDINATOR,
    COORDINATOR_SENDS,
    EPOCH,
    QUERIER,
    SETUP,
    SILO,
    SILO_SENDS,
)
from tools.docgen.markdown import table

Edge = tuple[str, str, str]

CLOSED = "stage closed"
"""What moves the coordinator: all have come, or the deadline has passed."""


def codef_blocks() -> dict[str, str]:
    """Return block name -> content."""
    return {
        "codef-rounds": _rounds(),
        "codef-states": "\n\n".join(_states()),
    }


def _rounds() -> str:
    head = ("round", "silo sends", "coordinator sends", "coordinator waits", "silo waits", "digest")
    return table(head, (_round(r) for r in (*SETUP, Round.CODEF_ADAPT, *EPOCH)))


def _round(round_: Round) -> tuple[object, ...]:
    window = round_ is Round.CODEF_RELEASE
    waits = round_ in SILO_SENDS
    return (
        f"`{round_}`",
        _name(SILO_SENDS.get(round_)),
        _name(COORDINATOR_SENDS.get(round_)),
        f"{coordinator_wait(round_):g}" if waits else "-",
        f"{IDLE:g}, in all {WINDOW:g}" if window else f"{silo_wait(round_):g}",
        "yes" if round_ in DIGESTED_ROUNDS else "no",
    )


def _name(kind: type | None) -> str:
    return f"`{kind.__name__}`" if kind else "-"


def _states() -> Iterator[str]:
    for heading, start, edges in (
        ("Silo: CoDef", Round.CODEF_JOIN, _silo()),
        ("Coordinator: CoDef", Round.CODEF_JOIN, _coordinator()),
        ("Querier: releases", Round.WINDOW, _querier()),
    ):
        yield f"### {heading}\n\n```mermaid\n{_diagram(start, edges)}\n```"


def _drawn(transitions: Mapping[tuple[Round, type], Round]) -> list[Edge]:
    return [(now, after, kind.__name__) for (now, kind), after in transitions.items()]


def _silo() -> list[Edge]:
    """The table; by itself a silo goes on from a window, and ends with the last lease."""
    last = [(now, Round.DONE, f"{Adapt.__name__}, the last") for now in AGGREGATION]
    closed = [(Round.CODEF_RELEASE, Round.CODEF_COMMIT, "window closed")]
    return [*_drawn(SILO), *closed, *last]


def _coordinator() -> list[Edge]:
    rounds = [*SETUP, *(r for r in EPOCH if r in SILO_SENDS)]
    onward = [(now, after, CLOSED) for now, after in pairwise(rounds)]
    again = [
        (rounds[-1], Round.CODEF_COMMIT, f"{CLOSED}, another epoch"),
        (rounds[-1], Round.DONE, f"{CLOSED}, the last"),
    ]
    return [*_drawn(COORDINATOR), *onward, *again]


def _querier() -> list[Edge]:
    onward = [
        (Round.WINDOW, Round.QUERY, "windows open"),
        (Round.QUERY, Round.WINDOW, "asked out"),
        (Round.WINDOW, Round.DONE, "all periods over"),
    ]
    return [*_drawn(QUERIER), *onward]


def _diagram(start: Round, edges: list[Edge]) -> str:
    order = {round_.value: place for place, round_ in enumerate(Round)}
    edges = sorted(edges, key=lambda edge: (order[edge[0]], order[edge[1]], edge[2]))
    lines = [f"[*] --> {start}", *(f"{now} --> {after}: {label}" for now, after, label in edges)]
    if any(after == Round.DONE for _, after, _ in edges):
        lines.append(f"{Round.DONE} --> [*]")
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in lines)])
