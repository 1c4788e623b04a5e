"""What a message says of several agents' slots at once: sums of costs, in the clear or as tests of masked ones.

Each handler returns [(target, slot, likelihood), …]. The likelihood of one agent's state is the probability of what was
said of the sum, over the states of the others, which are drawn from the stated prior, slot by slot and agent by agent.
Who is told is taken as one that makes no use of its own costs.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from pipeline.likelihood.states import States, Vector
from pipeline.likelihood.worlds import world_of
from pipeline.typed import INTEGER, Letter, as_number, as_slot

SaidOf = tuple[int, int, Vector]
JointHandler = Callable[[Letter, States], list[SaidOf]]
Sums = Mapping[float | None, float]

MODULUS = 2**53 - 111  # of the masked values: secure-sum IMAP's prime
KEY, COLUMNS, COUNTS = "secure key", "secure columns", "secure counts"


@cache
def sums(states: States, agents: int) -> Sums:
    """P(sum) of so many agents' costs in one slot; None: at least one of them is busy."""
    found: dict[float | None, float] = {0: 1.0}
    for _ in range(agents):
        longer: defaultdict[float | None, float] = defaultdict(float)
        for total, p in found.items():
            for cost, q in zip(states.names, world_of(states).prior.tolist(), strict=True):
                longer[None if total is None or cost is None else total + cost] += p * q
        found = dict(longer)
    return found


def coming_to(total: float | None, agents: int, states: States) -> Vector:
    """P(the agents' costs add up to the total | state of one of them); None: at least one is busy."""
    rest = sums(states, agents - 1)
    if total is None:
        return states.likelihood(lambda cost: 1.0 if cost is None else rest.get(None, 0.0))
    return states.likelihood(lambda cost: 0.0 if cost is None else rest.get(total - cost, 0.0))


def util(letter: Letter, states: States) -> list[SaidOf]:
    """DPOP: of each agent below, what their sum says; that it is feasible, where no states come to that sum."""
    below, given = _ints(letter.body.get("below")), letter.body.get("costs")
    said: list[SaidOf] = []
    for text, total in given.items() if isinstance(given, dict) else ():
        number = as_number(total)
        if not INTEGER.fullmatch(text) or not (total is None or number is not None):
            continue
        likelihood = coming_to(number, len(below), states) if below else states.likelihood(lambda _: 1.0)
        known = likelihood if likelihood.any() else states.feasible()
        said += [(agent, int(text), known) for agent in below]
    return said


def key(letter: Letter, states: States) -> list[SaidOf]:
    """The secret orders of the slots are kept for those who know them; of calendars they say nothing."""
    for agent in (letter.sender, *letter.recipients):
        letter.heard.notes[KEY, agent] = {"orders": letter.body.get("orders")}
    return []


def masked(letter: Letter, states: States) -> list[SaidOf]:
    """Secure sums, to the outsider: nothing, until the last vector is there; then how many slots have each total.

    Of which slots it is, the order says nothing: each is one of them with the same probability.
    """
    parties, body = _ints(letter.body.get("parties")), letter.body
    said: list[SaidOf] = []
    for observer in letter.recipients:
        columns = letter.heard.notes.setdefault((COLUMNS, observer), {})
        columns[str(letter.sender)] = body
        if set(columns) != set(map(str, parties)) or not _alike(list(columns.values())):
            continue
        letter.heard.notes[COLUMNS, observer] = {}
        counts = letter.heard.notes.setdefault((COUNTS, observer), {})
        before = counted(counts, len(parties), states)
        counts.update(_zeros(list(columns.values())))
        counts["slots"] = len(body["values"][0])
        news = counted(counts, len(parties), states) / before
        said += [(agent, slot, news) for agent in parties for slot in range(counts["slots"])]
    return said


def counted(counts: Mapping[Any, int], agents: int, states: States) -> Vector:
    """P(so many slots have each total that was asked | state of an agent in any one slot), up to a factor.

    By exchangeability a slot has a total with the share of the slots that have it, and none of those asked with the
    rest: Σ share · P(total | state) / P(total).
    """
    slots = counts.get("slots", 0)
    asked = {total: k for total, k in counts.items() if total != "slots"}
    everyone = states.likelihood(lambda _: 1.0)
    if not slots:
        return everyone
    of_state = {total: coming_to(total, agents, states) for total in asked}
    of_all = {total: sums(states, agents).get(total, 0.0) for total in asked}
    found = 0.0 * everyone
    for total, k in asked.items():
        found = found + k / slots * (of_state[total] / of_all[total] if of_all[total] else 2 * states.feasible())
    left = (slots - sum(asked.values())) / slots
    rest = everyone - sum(of_state.values(), 0.0 * everyone)
    outside = 1 - sum(of_all.values())
    return np.asarray(found + left * rest / outside if left else found)


def found(letter: Letter, states: States) -> list[SaidOf]:
    """Secure sums, to the initiator: its slots at these places have the least total; all others have more, or none."""
    parties, body = _ints(letter.body.get("parties")), letter.body
    number, total = as_slot(body.get("level")), as_number(body.get("total"))
    said: list[SaidOf] = []
    for observer in letter.recipients:
        orders = letter.heard.notes.get((KEY, observer), {}).get("orders")
        if number is None or total is None or not isinstance(orders, list) or not 0 <= number < len(orders):
            continue
        order = _ints(orders[number])
        places = {p for p in _ints(body.get("places")) if p < len(order)}
        least, more = coming_to(total, len(parties), states), above(total, len(parties), states)
        known = least if least.any() else states.feasible()
        of_slots = [(slot, known if place in places else more) for place, slot in enumerate(order)]
        said += [(agent, slot, vector) for agent in parties if agent != observer for slot, vector in of_slots]
    return said


def above(total: float, agents: int, states: States) -> Vector:
    """P(the agents' costs add up to more than the total, or one is busy | state of one of them)."""
    least = [t for t in sums(states, agents) if t is not None and t <= total]
    return np.asarray(1 - sum((coming_to(t, agents, states) for t in least), 0.0 * states.feasible()))


def _zeros(columns: Sequence[Any]) -> dict[Any, int]:
    """How often each total that was asked occurs."""
    counts = {}
    for row, total in enumerate(columns[0]["totals"]):
        places = zip(*(column["values"][row] for column in columns), strict=True)
        counts[total] = sum(sum(values) % MODULUS == 0 for values in places)
    return counts


def _alike(columns: Sequence[Any]) -> bool:
    """Whether the vectors are whole numbers for the same totals, and of one length."""
    shapes = {_shape(column) for column in columns}
    return len(shapes) == 1 and None not in shapes


def _shape(column: Any) -> tuple[object, ...] | None:
    totals, values = column.get("totals"), column.get("values")
    if not isinstance(totals, list) or not isinstance(values, list) or not totals or len(totals) != len(values):
        return None
    rows = [row for row in values if isinstance(row, list) and row and all(type(value) is int for value in row)]
    if len(rows) != len(values) or any(type(total) is not int for total in totals):
        return None
    return (column.get("first"), tuple(totals), tuple(map(len, rows)))


def _ints(value: object) -> list[int]:
    """The distinct whole numbers from 0 of a list, in its order."""
    found = [as_slot(each) for each in value] if isinstance(value, list) else []
    return list(dict.fromkeys(each for each in found if each is not None and each >= 0))


JOINT: dict[tuple[str, str], JointHandler] = {
    ("dpop", "util"): util,
    ("secure", "key"): key,
    ("secure", "masked"): masked,
    ("secure", "found"): found,
}
