"""What a typed protocol message says about its sender's slots: Table 10, a function per kind of message.

Each handler returns (slot, evidence) in the order in which the payload lists them. The slot is None where the
payload names none that can be known (an unknown plan id, a boolean, a text): that is no observation, but recorded.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pipeline.rules import RuleSet

Said = tuple[int | None, float]
Body = dict[str, Any]

INTEGER = re.compile(r"-?[0-9]{1,9}")
LARGEST = 10**9


@dataclass(slots=True)
class Heard:
    """What each agent was asked in a round: the slot of every plan proposed to it, the slots it was to cost.

    `notes` holds by kind and agent what else a reply rests on. `setting` is the game's: it says what costs there are.
    """

    plans: dict[int, dict[str, int | None]] = field(default_factory=dict)
    requested: dict[int, set[int]] = field(default_factory=dict)
    notes: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    setting: str | None = None


class Letter(NamedTuple):
    """A typed message as its handler sees it."""

    body: Body
    sender: int
    recipients: Sequence[int]
    heard: Heard


def as_slot(value: object) -> int | None:
    """The slot that a JSON value names; None for what is no whole number (True is none)."""
    return value if type(value) is int and -LARGEST < value < LARGEST else None


def as_number(value: object) -> float | None:
    """A JSON number; None for anything else (True is none)."""
    if type(value) is int or type(value) is float:
        return float(value) if abs(value) < LARGEST else None
    return None


def proposals(letter: Letter, rules: RuleSet) -> list[Said]:
    """Each distinct slot of the plans, once; and the plans' slots are kept for the recipients' scores."""
    slots = _plan_slots(letter.body)
    for recipient in letter.recipients:
        letter.heard.plans.setdefault(recipient, {}).update(slots)
    return [(slot, 1.0) for slot in dict.fromkeys(slots.values())]


def _plan_slots(body: Body) -> dict[str, int | None]:
    """Plan id → slot. A plan without displacements has its slot for an id, so a payload without plans is read so."""
    plans = body.get("plans")
    if plans is None:
        return {str(slot): as_slot(slot) for slot in _list(body.get("slots"))}
    return {str(plan.get("id")): as_slot(plan.get("slot")) for plan in _list(plans) if isinstance(plan, dict)}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def scores(letter: Letter, rules: RuleSet) -> list[Said]:
    """Each scored plan's slot: score / 11, or 0 for a score of 0 (the paper's D − 1 = 11)."""
    plans = letter.heard.plans.get(letter.sender, {})
    given = letter.body.get("scores")
    if not isinstance(given, dict):
        return []
    top = rules.score_levels - 1
    said: list[Said] = []
    for plan, score in given.items():
        number = as_number(score)
        if number is not None:
            said.append((plans.get(plan), min(1.0, number / top) if number > 0 else 0.0))
    return said


def chosen(letter: Letter, rules: RuleSet) -> list[Said]:
    """The chosen slot: feasible."""
    return [(as_slot(letter.body.get("slot")), 1.0)]


def cost_request(letter: Letter, rules: RuleSet) -> list[Said]:
    """Nothing is said; the slots are kept as a bound on the recipients' replies."""
    slots = {slot for value in _list(letter.body.get("slots")) if (slot := as_slot(value)) is not None}
    for recipient in letter.recipients:
        letter.heard.requested.setdefault(recipient, set()).update(slots)
    return []


def costs(letter: Letter, rules: RuleSet) -> list[Said]:
    """Each requested slot: infeasible where its cost is null, feasible where it is a number."""
    requested = letter.heard.requested.get(letter.sender, set())
    given = letter.body.get("costs")
    if not isinstance(given, dict):
        return []
    said: list[Said] = []
    for text, cost in given.items():
        slot = int(text) if INTEGER.fullmatch(text) else None
        if slot in requested and (cost is None or type(cost) in (int, float)):
            said.append((slot, 0.0 if cost is None else 1.0))
    return said


def propose(letter: Letter, rules: RuleSet) -> list[Said]:
    """The proposed slot: probably feasible for who proposes it."""
    return [(as_slot(letter.body.get("slot")), rules.proposed)]


def propose_reschedule(letter: Letter, rules: RuleSet) -> list[Said]:
    """The slot that a meeting would move to: probably feasible."""
    return [(as_slot(letter.body.get("to_slot")), rules.proposed)]


def reply(letter: Letter, rules: RuleSet) -> list[Said]:
    """The proposed slot, by the answer."""
    return _answer(letter.body, "slot")


def reschedule_reply(letter: Letter, rules: RuleSet) -> list[Said]:
    """The slot that a meeting would move to, by the answer."""
    return _answer(letter.body, "to_slot" if "to_slot" in letter.body else "slot")


def _answer(body: Body, key: str) -> list[Said]:
    status = body.get("reply_status")
    if not isinstance(status, str):
        return []
    return [(as_slot(body.get(key)), 0.0 if status == "IMPOSSIBLE" else 1.0)]


HANDLERS: dict[tuple[str, str], Callable[[Letter, RuleSet], list[Said]]] = {
    ("dsm", "proposals"): proposals,
    ("dsm", "scores"): scores,
    ("dsm", "decision"): chosen,
    ("imap", "cost_request"): cost_request,
    ("imap", "costs"): costs,
    ("imap", "decision"): chosen,
    ("sd", "propose"): propose,
    ("sd", "reply"): reply,
    ("sd", "propose_reschedule"): propose_reschedule,
    ("sd", "reschedule_reply"): reschedule_reply,
}
