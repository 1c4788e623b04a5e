"""What a trace says of its task - optimum, greedy rule, witness, shares - against the benchmark's solver and rules."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from pipeline.traces.audit.divergences import Findings, same_figure
from pipeline.traces.audit.trace import Setup, Trace, nested, whole
from sim.calendar import Calendar
from sim.tasks.oracle import NoSchedule, NotProven, Optimum, placement, solve
from sim.tasks.scenario import Meeting
from sim.tasks.schedules import Replay, greedy, replay

SHARES = "oracle_per_agent_cost"
Calendars = tuple[Calendar, ...]
Meetings = tuple[Meeting, ...]
# Slots looked at for a schedule, and places of meetings on calendars that the solver's model may have.
MOST_LOOKS = 100_000_000
MOST_PLACES = 200_000


class UnknownOptimum(Exception):
    """The least cost could not be computed."""


class Cost(NamedTuple):
    """A schedule's cost, and what each agent pays of it, as the game's metrics ask for them."""

    cost: int
    per_agent_cost: Sequence[int] = ()


class Yardsticks(NamedTuple):
    """What the game is measured by."""

    optimal: Cost
    greedy: Cost


def is_large(calendars: Calendars, meetings: Meetings, most_places: int) -> bool:
    """Whether to schedule the meetings would take too long."""
    places = len(calendars[0]) * sum(len(m.participants) for m in meetings)
    return places * len(calendars[0]) > MOST_LOOKS or places > most_places


@lru_cache(maxsize=512)
def optimum(calendars: Calendars, meetings: Meetings) -> Optimum | None:
    """The schedule that the rule names among the cheapest; None where there is none. Raises UnknownOptimum where it
    would take too long."""
    if is_large(calendars, meetings, MOST_PLACES):
        raise UnknownOptimum(f"too large for the solver: {len(meetings)} meetings in {len(calendars[0])} slots")
    try:
        return solve(calendars, meetings, effort=30)
    except NoSchedule:
        return None
    except (NotProven, ValueError, OverflowError) as error:
        raise UnknownOptimum(str(error)) from error


@lru_cache(maxsize=512)
def scheduled(calendars: Calendars, meetings: Meetings, slots: tuple[Any, ...] | None = None) -> Replay | None:
    """The meetings in the slots given, or each in its first possible one; None where one has no such slot. Raises
    UnknownOptimum where there are too many slots and meetings."""
    if is_large(calendars, meetings, MOST_LOOKS):
        raise UnknownOptimum(f"too large: {len(meetings)} meetings in {len(calendars[0])} slots")
    if any(whole(slot, most=len(calendars[0]) - 1) is None for slot in slots or ()):
        return None
    try:
        return greedy(calendars, meetings) if slots is None else replay(calendars, meetings, slots)
    except NoSchedule:
        return None


def shares(calendars: Calendars, meetings: Meetings, slots: Sequence[Any]) -> list[int] | None:
    """What each agent gives up when each meeting takes its slot; None where one of them can't, or two clash."""
    owed, taken = [0] * len(calendars), set[tuple[int, int]]()
    for meeting, slot in zip(meetings, slots, strict=True):
        if whole(slot, most=len(calendars[0]) - 1) is None or placement(calendars, meeting, slot) is None:
            return None
        for agent in meeting.participants:
            item = calendars[agent][slot]
            owed[agent] += item.cost if item else 0
        pairs = {(agent, slot) for agent in meeting.participants}
        if pairs & taken:
            return None
        taken |= pairs
    return owed


def stated_slots(trace: Trace, meetings: Meetings, schedule: str) -> tuple[Any, ...] | None:
    """Each meeting's slot in a schedule of the scenario, such as its witness, where the trace tells it."""
    slots = nested(trace.scenario, schedule).get("assignments")
    return tuple(slots.get(str(m.id)) for m in meetings) if isinstance(slots, dict) and slots else None


def check_yardsticks(trace: Trace, setup: Setup, findings: Findings) -> Yardsticks:
    """Check all that the trace says of its task. Returns the optimum with the agents' stated shares, and the greedy
    cost; what cannot be known is taken as it is stated."""
    least, cost = check_optimum(trace, setup, findings), check_greedy(trace, setup, findings)
    owed = check_burdens(trace, setup, least, findings)
    stated = trace.metrics or {}
    optimal = least if least is not None else whole(stated.get("optimal_cost"), most=2**60) or 0
    return Yardsticks(Cost(optimal, owed), Cost(cost or whole(stated.get("greedy_cost"), most=2**60) or 0))


def check_cost(trace: Trace, name: str, cost: int | None, findings: Findings) -> None:
    """A cost, wherever the trace states it: name is optimal or greedy."""
    holders = {"game_start": trace.first("game_start"), "metrics": trace.metrics or {}}
    found = [(f"{place}.{name}_cost", h[f"{name}_cost"]) for place, h in holders.items() if f"{name}_cost" in h]
    schedule = nested(trace.scenario, name)
    found += [(f"scenario.{name}.cost", schedule["cost"])] if "cost" in schedule else []
    for place, value in found:
        if not same_figure(value, cost):
            findings.add(f"wrong_{'optimum' if name == 'optimal' else name}", cost, value, place)


def check_optimum(trace: Trace, setup: Setup, findings: Findings) -> int | None:
    """The least cost; where the trace says that it is not proven, the least found; None where it is not known."""
    bound, cheapest = trace.scenario.get("optimal_bound"), nested(trace.scenario, "optimal").get("cost")
    if bound is not None:
        findings.add("unproven_optimum", "", [bound, cheapest], "scenario.optimal_bound")
    try:
        best = optimum(setup.calendars, setup.meetings)
    except UnknownOptimum as reason:
        findings.add("unchecked_optimum", "", "", str(reason))
        return None
    if setup.partial:
        return None
    least = best.cost if best else None
    if bound is not None:
        costs = [cost for cost in (bound, least, cheapest) if type(cost) is int]
        if len(costs) < 3 or costs != sorted(costs):
            findings.add("wrong_optimum", least, [bound, cheapest], "scenario.optimal_bound")
        least = cheapest if type(cheapest) is int else None
    check_cost(trace, "optimal", least, findings)
    slots = stated_slots(trace, setup.meetings, "optimal")
    if best and bound is None and slots not in (None, best.slots):
        findings.add("odd_optimum", list(best.slots), slots, "scenario.optimal.assignments")
    return least


def check_greedy(trace: Trace, setup: Setup, findings: Findings) -> int | None:
    """The greedy rule's cost and schedule, and the witness's."""
    if setup.partial:
        return None
    try:
        schedule = scheduled(setup.calendars, setup.meetings)
        slots = stated_slots(trace, setup.meetings, "witness")
        witness = slots and scheduled(setup.calendars, setup.meetings, slots)
    except UnknownOptimum:  # which is told where the optimum is checked
        return None
    cost = schedule.cost if schedule else None
    check_cost(trace, "greedy", cost, findings)
    check_schedule(trace, "greedy", setup.meetings, schedule, findings)
    check_schedule(trace, "witness", setup.meetings, witness or None, findings)
    return cost


def check_schedule(trace: Trace, name: str, meetings: Meetings, schedule: Replay | None, findings: Findings) -> None:
    """The scenario's record of a schedule: its slots, each agent's share, and its cost."""
    record = nested(trace.scenario, name)
    facts: dict[str, Any] = {"cost": None, "assignments": None, "per_agent_cost": None}
    if schedule:
        slots = {str(m.id): s for m, s in zip(meetings, schedule.slots, strict=True)}
        facts = {"cost": schedule.cost, "assignments": slots, "per_agent_cost": list(schedule.per_agent_cost)}
    for field, fact in facts.items() if record else ():
        if record.get(field) != fact:
            findings.add(f"wrong_{name}", fact, record.get(field), f"scenario.{name}.{field}")


def check_burdens(trace: Trace, setup: Setup, least: int | None, findings: Findings) -> list[int]:
    """The agents' shares of the optimum: they add up to it, and are those of the oracle's slots where it has any.

    Returns what each agent is said to owe, nothing where that is not said.
    """
    holders = {"final_state": trace.final_state or {}, "metrics": trace.metrics or {}}
    holders["game_end"] = trace.first("game_end")
    by_place = {place: holder[SHARES] for place, holder in holders.items() if SHARES in holder}
    stated: Any = next(iter(by_place.values()), None)
    for place, other in by_place.items():
        if other != stated:
            findings.add("end_differs", stated, other, f"{place}.{SHARES}")
    optimal, slots, owed = nested(trace.scenario, "optimal"), stated_slots(trace, setup.meetings, "optimal"), stated
    if slots and not is_large(setup.calendars, setup.meetings, MOST_LOOKS):
        owed = shares(setup.calendars, setup.meetings, slots)
        if owed is None or (least is not None and sum(owed) != least):
            findings.add("wrong_optimum", least, slots, "scenario.optimal.assignments")
        if stated != owed:
            findings.add("oracle_burden", owed, stated, "final_state")
    told = optimal.get("per_agent_cost")
    if told is not None and told != owed and owed is not None:
        findings.add("wrong_optimum", owed, told, "scenario.optimal.per_agent_cost")
    elif told is not None and least is not None and whole_sum(told) != least:
        findings.add("wrong_optimum", least, told, "the sum of scenario.optimal.per_agent_cost")
    total, replayed = whole_sum(stated), (trace.metrics or {}).get("oracle_cost_replayed")
    if total is None:
        return []
    if least is not None and total != least:
        findings.add("oracle_burden", least, total, f"the sum of {stated}")
    if least is not None and replayed not in (None, least):
        findings.add("oracle_replay", least, replayed, "metrics.oracle_cost_replayed")
    return msgspec.convert(stated, list[int]) if len(stated) == len(setup.calendars) else []


def whole_sum(costs: Any) -> int | None:
    """What the costs add up to; None where they are no list of whole numbers."""
    return sum(costs) if isinstance(costs, list) and all(type(cost) is int for cost in costs) else None
