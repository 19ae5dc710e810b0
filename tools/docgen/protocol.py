"""The made blocks of docs/protocol.md: from the round table, the wire's comments and the gate."""

from collections.abc import Iterator

from collude.common.ids import DIGESTED_ROUNDS, Role, Round
from collude.common.net.authorisation import ALLOWED
from collude.common.protocol.gate import PATIENCE
from collude.common.protocol.rounds import (
    PLANS,
    RESTARTABLE,
    TAKES,
    TERMINAL,
    OwnWork,
    plan_for,
    transitions,
)
from tools.docgen.markdown import table
from tools.docgen.proto import Entry, read_wire

OWN_WORK = "own work"
LEFT_OUT = "somebody is left out (sends Restart)"

_ORDER = {round_: place for place, round_ in enumerate(Round)}

Plan = tuple[Round, ...]


def protocol_blocks() -> dict[str, str]:
    """Return block name -> content."""
    wire = read_wire()
    return {
        "plans": _plans(),
        "rounds": _rounds(),
        "messages": "\n\n".join(_message(entry) for entry in wire.messages.values()),
        "methods": _methods(wire.methods),
        "states": "\n\n".join(_states()),
    }


def _methods_by_plan() -> dict[Plan, list[str]]:
    by_plan: dict[Plan, list[str]] = {}
    for method, plan in PLANS.items():
        by_plan.setdefault(plan, []).append(method)
    return by_plan


def _plans() -> str:
    rows = ((", ".join(methods), " → ".join(plan)) for plan, methods in _methods_by_plan().items())
    return table(("methods", "rounds"), rows)


def _rounds() -> str:
    head = ("round", "participant sends", "analyst sends", "deadlines", "in the digest", "restarts")
    run = {round_ for plan in PLANS.values() for round_ in plan}
    return table(head, (_round(r) for r in Round if r in run - TERMINAL))


def _round(round_: Round) -> tuple[object, ...]:
    return (
        f"`{round_}`",
        _taken(Role.ANALYST, round_),
        _taken(Role.PARTICIPANT, round_),
        f"{PATIENCE.get(round_, 1.0):g}",
        "yes" if round_ in DIGESTED_ROUNDS else "no",
        "yes" if round_ in RESTARTABLE else "no",
    )


def _taken(role: Role, round_: Round) -> str:
    kind = TAKES.get((role, round_))
    if kind is None or kind is OwnWork:
        return "-"
    return f"`{kind.__name__}`"


def _message(entry: Entry) -> str:
    rows = ((f.number, f"`{f.name}`", f.kind, f.comment) for f in entry.fields)
    lines = [f"#### {entry.name}", *([entry.comment] if entry.comment else [])]
    fields = table(("no.", "field", "type", "meaning"), rows) if entry.fields else "No fields."
    return "\n\n".join([*lines, fields])


def _methods(methods: dict[str, Entry]) -> str:
    rows = (
        (f"`{name}`", entry.name, ", ".join(sorted(ALLOWED.get(name, ()))), entry.comment)
        for name, entry in methods.items()
    )
    return table(("method", "takes and gives", "who may call", "what it does"), rows)


def _states() -> Iterator[str]:
    for plan, methods in _methods_by_plan().items():
        for role in (Role.PARTICIPANT, Role.ANALYST):
            heading = f"### {role.value.capitalize()}: {', '.join(methods)}"
            yield f"{heading}\n\n```mermaid\n{diagram(role, plan)}\n```"


def diagram(role: Role, plan: Plan) -> str:
    """Return one role's state diagram under one plan, in mermaid's language."""
    rounds = plan_for(role, plan)
    edges = [
        (current, following, OWN_WORK if kind is OwnWork else kind.__name__)
        for (owner, current, kind), following in transitions(plan).items()
        if owner is role
    ]
    if role is Role.ANALYST:
        edges += [(r, rounds[0], LEFT_OUT) for r in rounds if r in RESTARTABLE]
    edges.sort(key=lambda edge: (_ORDER[edge[0]], _ORDER[edge[1]]))
    ends = sorted({following for _, following, _ in edges} & TERMINAL)
    lines = [f"[*] --> {rounds[0]}"]
    lines += [f"{current} --> {following}: {label}" for current, following, label in edges]
    lines += [f"{end} --> [*]" for end in ends]
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in lines)])
