"""The fields of typed messages, a record for each kind of content, and how they are read from JSON.

Fields of the wrong type count as missing; a slot is None where the message names no whole number. Pairs by slot or by
plan are in the message's order.
"""

import re
from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from msgspec import Struct

Body = dict[str, Any]
Slot = int | None

INTEGER = re.compile(r"-?[0-9]{1,9}")
LARGEST = 10**9


class Record(Struct, frozen=True):
    """The fields of a typed message."""


class NamedSlot(Record, frozen=True):
    """One slot: proposed, chosen, offered or confirmed."""

    slot: Slot


class CostRequest(Record, frozen=True):
    """The slots whose costs are asked for."""

    slots: frozenset[int]


class Costs(Record, frozen=True):
    """(slot, cost) pairs. None: busy; infinite: a number too large for a cost."""

    costs: tuple[tuple[int, float | None], ...]


class Levels(Record, frozen=True):
    """(slot, code) pairs: the cost's place in ascending `bounds`, right with probability `truth` (None: unknown)."""

    codes: tuple[tuple[int, object], ...]
    bounds: tuple[float, ...]
    truth: float | None


class Answer(Record, frozen=True):
    """Whether a slot is possible; None where the message does not say."""

    slot: Slot
    possible: bool | None


class Plan(Record, frozen=True):
    """A plan as offered to one agent: its slot, the slots that its meetings leave and move to, those others clear."""

    slot: Slot
    leaves: tuple[Slot, ...]
    lands: tuple[Slot, ...]
    cleared: tuple[Slot, ...]
    takes_part: bool


class Proposals(Record, frozen=True):
    """The offered plans by their ids."""

    plans: Mapping[str, Plan]


class Scores(Record, frozen=True):
    """(plan id, score) pairs. per_tenfold: by how much a logarithmic score falls when the cost is ten times as high."""

    scores: tuple[tuple[str, float], ...]
    per_tenfold: float | None


class Limits(Record, frozen=True):
    """(slot, limit of its cost) pairs: asked about or met (`can`), and not met (`cannot`). None: any cost."""

    can: tuple[tuple[int, float | None], ...]
    cannot: tuple[tuple[int, float | None], ...]


class Key(Record, frozen=True):
    """Secure sums: the secret orders of the slots."""

    orders: tuple[tuple[int, ...], ...]


class Masked(Record, frozen=True):
    """Secure sums: masked values, totals × slots, from total number `first` on. A malformed message has no totals."""

    parties: tuple[int, ...]
    first: object
    totals: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]


class LeastTotal(Record, frozen=True):
    """Secure sums: the least total, and the places in order number `level` of the slots that have it."""

    parties: tuple[int, ...]
    level: int | None
    total: float | None
    places: frozenset[int]


def slot(value: object) -> Slot:
    """The slot that a JSON value names; None for anything but a whole number (True is not one)."""
    return value if type(value) is int and -LARGEST < value < LARGEST else None


def number(value: object) -> float | None:
    """A JSON number; None for anything else (True is not one)."""
    if type(value) is int or type(value) is float:
        return float(value) if abs(value) < LARGEST else None
    return None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: object) -> Body:
    return value if isinstance(value, dict) else {}


def _by_slot(value: object) -> list[tuple[int, Any]]:
    return [(int(text), item) for text, item in _dict(value).items() if INTEGER.fullmatch(text)]


def _numbers(value: object) -> tuple[float, ...]:
    """The numbers of a list; empty where it holds anything else."""
    numbers = [number(item) for item in _list(value)]
    return () if None in numbers else tuple(item for item in numbers if item is not None)


def _distinct(value: object) -> tuple[int, ...]:
    """The distinct whole numbers from 0 of a list, in its order."""
    numbers = map(slot, _list(value))
    return tuple(dict.fromkeys(item for item in numbers if item is not None and item >= 0))


def _named(key: str) -> Callable[[Body], NamedSlot]:
    return lambda body: NamedSlot(slot(body.get(key)))


def _request(body: Body) -> CostRequest:
    return CostRequest(frozenset(known for item in _list(body.get("slots")) if (known := slot(item)) is not None))


def _costs(value: object) -> tuple[tuple[int, float | None], ...]:
    costs = [(named, cost) for named, cost in _by_slot(value) if cost is None or type(cost) in (int, float)]
    return tuple([(named, inf if cost is not None and abs(cost) >= LARGEST else cost) for named, cost in costs])


def _levels(body: Body) -> Levels:
    return Levels(tuple(_by_slot(body.get("levels"))), _numbers(body.get("bounds")), 1.0)


def _noisy(body: Body) -> Levels:
    truth = number(body.get("truth"))
    known = truth if truth is not None and 0 <= truth <= 1 else None
    return Levels(tuple(_by_slot(body.get("levels"))), _numbers(body.get("ladder")), known)


def _can(body: Body) -> Answer:
    can = body.get("can")
    return Answer(slot(body.get("slot")), can if isinstance(can, bool) else None)


def _reply(body: Body, key: str = "slot") -> Answer:
    status = body.get("reply_status")
    return Answer(slot(body.get(key)), status != "IMPOSSIBLE" if isinstance(status, str) else None)


def _reschedule_reply(body: Body) -> Answer:
    return _reply(body, "to_slot" if "to_slot" in body else "slot")


def _proposals(body: Body) -> Proposals:
    """The offered plans. A plan without displacements has its slot as id, and the message may list such slots alone."""
    plans = body.get("plans")
    if plans is None:
        return Proposals({str(item): _plan({"slot": item}, body) for item in _list(body.get("slots"))})
    return Proposals({str(plan.get("id")): _plan(plan, body) for plan in _list(plans) if isinstance(plan, dict)})


def _plan(plan: Body, body: Body) -> Plan:
    """A plan of an offer or a decision. An offer with an empty list of participants goes to a non-participant."""
    moves = [move for move in _list(plan.get("displacements")) if isinstance(move, dict)]
    leaves = tuple([slot(move.get("from_slot")) for move in moves]) if moves else ()
    lands = tuple([slot(move.get("to_slot")) for move in moves]) if moves else ()
    cleared = tuple(map(slot, _list(plan.get("cleared_slots"))))
    return Plan(slot(plan.get("slot")), leaves, lands, cleared, body.get("participants") != [])


def _scores(body: Body) -> Scores:
    scores = ((plan, number(score)) for plan, score in _dict(body.get("scores")).items())
    known = tuple((plan, score) for plan, score in scores if score is not None)
    return Scores(known, number(body.get("per_tenfold")))


def _limits(value: object) -> tuple[tuple[int, float | None], ...]:
    return tuple((named, number(limit)) for named, limit in _by_slot(value))


def _masked(body: Body) -> Masked:
    parties, totals, values = _distinct(body.get("parties")), _list(body.get("totals")), _list(body.get("values"))
    alike = len(totals) == len(values) and all(isinstance(row, list) and row for row in values)
    if not alike or not all(type(item) is int for row in (totals, *values) for item in row):
        return Masked(parties, None, (), ())
    return Masked(parties, body.get("first"), tuple(totals), tuple(map(tuple, values)))


def _least_total(body: Body) -> LeastTotal:
    places = frozenset(_distinct(body.get("places")))
    return LeastTotal(_distinct(body.get("parties")), slot(body.get("level")), number(body.get("total")), places)


# Where an object has the keys of several protocols, the first is its protocol: DSM, IMAP, SD, as for the public script.
DECODERS: dict[str, Callable[[Body], Record]] = {
    "dsm_proposals": _proposals,
    "dsm_scores": _scores,
    "dsm_log_scores": _scores,
    "dsm_decision": lambda body: _plan(body, body),
    "imap_cost_request": _request,
    "imap_costs": lambda body: Costs(_costs(body.get("costs"))),
    "imap_decision": _named("slot"),
    "imap_levels": _levels,
    "imap_noisy": _noisy,
    "imap_offer": _named("slot"),
    "imap_can": _can,
    "sd_propose": _named("slot"),
    "sd_reply": _reply,
    "sd_confirm": _named("slot"),
    "sd_propose_reschedule": _named("to_slot"),
    "sd_reschedule_reply": _reschedule_reply,
    "sd_confirm_reschedule": _named("to_slot"),
    "poll_ask": lambda body: Limits(_limits(body.get("limits")), ()),
    "poll_answer": lambda body: Limits(_limits(body.get("can")), _limits(body.get("cannot"))),
    "poll_decision": _named("slot"),
    "secure_key": lambda body: Key(tuple(map(_distinct, _list(body.get("orders"))))),
    "secure_masked": _masked,
    "secure_found": _least_total,
    "secure_decision": _named("slot"),
    "shares_decision": _named("slot"),
}

# The protocols, by the key that names the kind of a message: {"imap": "costs", …}.
TYPED_PROTOCOLS = tuple(dict.fromkeys(source.partition("_")[0] for source in DECODERS))
