"""DECISION of a simulated speaker: the agreed slot, or another one, and what has to make way for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from random import Random

from sim.agents import Action, Request
from sim.agents.english import StyleParameters
from sim.agents.english.belief_state import BeliefState
from sim.agents.scripted import reschedule, schedule
from sim.calendar import Calendar, ScheduledMeeting, item_id


def decide(
    request: Request,
    beliefs: BeliefState,
    parameters: StyleParameters,
    promised: Sequence[Action],
    draws: Random,
    bold: bool,
) -> list[Action]:
    """The batch for this attempt: the agreed slot first, then the agent's cheapest ones."""
    slots = [*first_choice(beliefs, parameters, draws, request.attempt), *beliefs.own_best(len(request.calendar))]
    batches = (placed(request, beliefs, slot, promised, bold) for slot in dict.fromkeys(slots))
    usable = (batch for batch in batches if batch)
    return next(islice(usable, request.attempt, None), [])


def first_choice(beliefs: BeliefState, parameters: StyleParameters, draws: Random, attempt: int) -> list[int]:
    """The slot that the agent commits to: the agreed one, or, where it is careless, one that was talked of."""
    agreed = beliefs.agreement()
    if attempt == 0 and draws.random() >= parameters.reliability:
        other = [s for s in beliefs.own_best(4) if s != agreed]
        return [draws.choice(other)] if other else []
    return [] if agreed is None else [agreed]


def placed(request: Request, beliefs: BeliefState, slot: int, promised: Sequence[Action], bold: bool) -> list[Action]:
    """The moves that were promised, what makes way for the meeting, and the meeting; empty where it can't be."""
    calendar, taken = request.calendar, {a["to_slot"] for a in promised}
    leaving = {a["from_slot"] for a in promised}
    if not 0 <= slot < len(calendar) or slot in taken:
        return []
    if calendar[slot] is None or slot in leaving:
        return [*promised, schedule(request.meeting, slot)]
    item, landing = calendar[slot], landing_slot(calendar, beliefs, {slot, *taken})
    moves = calendar.movable(slot) or (bold and isinstance(item, ScheduledMeeting))
    if item is None or landing is None or not moves:
        return []
    return [*promised, reschedule(item_id(item), slot, landing), schedule(request.meeting, slot)]


def landing_slot(calendar: Calendar, beliefs: BeliefState, taken: Iterable[int]) -> int | None:
    """The free slot for an item that makes way: the one that suits the others least, and so is missed least."""
    skipped = set(taken)
    free = [s for s in calendar.free if s not in skipped]
    return max(free, key=lambda s: (beliefs.total(s, beliefs.scale.unknown), s), default=None)
