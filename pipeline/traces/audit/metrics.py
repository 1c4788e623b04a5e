"""A replayed game's metrics, and schedules of its meetings - the optimum, the greedy rule's, what given slots cost -,
computed independently of the simulator."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pipeline.traces.audit.batch_rules import Meeting
from pipeline.traces.audit.calendar import MEETING, Calendar, Item
from pipeline.traces.audit.game import Game
from pipeline.traces.audit.trace import CHANNELS

OWN_METRICS = (
    "coordination_rate",
    "meetings_scheduled",
    "meetings_kept",
    "realized_cost",
    "optimal_cost",
    "greedy_cost",
    "excess_cost",
    "cost_vs_optimal",
    "cost_vs_greedy",
    "fairness",
    "total_dms_sent",
    "total_dm_chars",
    "total_participant_groupchat_messages_sent",
    "total_all_groupchat_messages_sent",
    "dms_per_meeting",
)

# What names a game rather than measures it.
DESCRIPTIONS = frozenset(
    ("communication_protocol", "team_model_label", "team_model_counts", "is_heterogeneous_team", "nosy_agent_count")
)

# Checked beside the optimum, or there; a metric whose fault has a code of its own.
ORACLE_METRICS = frozenset(("optimal_cost", "greedy_cost", "oracle_per_agent_cost", "oracle_cost_replayed"))
CODES_OF_METRICS = {"slot_conflict_rate": "slot_conflicts", "realized_cost": "wrong_cost"}


def recompute_metrics(game: Game, optimum: int | None, greedy: int | None, burdens: list[int] | None) -> dict[str, Any]:
    """Name → figure; None where a ratio is undefined."""
    facts = cost_metrics(game, optimum, greedy) | message_metrics(game)
    if burdens is not None:
        over = [paid - owed for paid, owed in zip(game.paid, burdens, strict=True)]
        facts |= {"per_agent_excess_burden": over, "total_excess_burden": sum(over)}
    return facts


def cost_metrics(game: Game, optimum: int | None, greedy: int | None) -> dict[str, Any]:
    """What was scheduled, and what it cost."""
    realized, scheduled = sum(game.paid), len(game.coordinated)
    rounds = len(game.setup.meetings) if not game.public else max(1, scheduled + len(game.failed))
    facts = {
        "coordination_rate": ratio(scheduled, rounds),
        "meetings_scheduled": scheduled,
        "meetings_kept": sum(map(game.holds_once, game.coordinated)),
        "slot_conflict_rate": ratio(game.disagreements, rounds),
        "realized_cost": realized,
        "fallback_displacement_cost": 0,
        "fairness": min(game.paid) / max(game.paid) if any(game.paid) else 1.0,
        "cost_vs_optimal": ratio(realized, optimum),
        "cost_vs_greedy": ratio(realized, greedy),
    }
    return facts | ({} if optimum is None else {"excess_cost": realized - optimum})


def message_metrics(game: Game) -> dict[str, Any]:
    """What was said, by channel; a group message is one message sent."""
    by_channel = {c: [chars for channel, chars in game.messages if channel == c] for c in CHANNELS}
    dms, scheduled = by_channel["dm"], len(game.coordinated)
    group = by_channel["participant_groupchat"] + by_channel["all_groupchat"]
    facts: dict[str, Any] = {
        "total_dms_sent": len(dms),
        "total_dm_chars": sum(dms),
        "avg_dm_chars": sum(dms) / len(dms) if dms else 0.0,
        "max_dm_chars": max(dms, default=0),
        "dms_per_meeting": ratio(len(dms), scheduled),
        "total_cheap_talk_messages": len(game.messages),
        "total_groupchat_messages_sent": len(group),
        "total_groupchat_chars": sum(group),
        "max_groupchat_chars": max(group, default=0),
    }
    for channel in CHANNELS[1:]:
        facts[f"total_{channel}_messages_sent"] = len(by_channel[channel])
        facts[f"total_{channel}_chars"] = sum(by_channel[channel])
        facts[f"max_{channel}_chars"] = max(by_channel[channel], default=0)
    if scheduled:
        facts |= {"efficiency": len(game.messages) / scheduled, "dm_chars_per_meeting": sum(dms) / scheduled}
    return facts


def ratio(part: int, whole: int | None) -> float | None:
    """part / whole; None where that is undefined."""
    return part / whole if whole else None


Calendars = tuple[Calendar, ...]
Meetings = tuple[Meeting, ...]

# Steps of the search over sets of meetings; beyond it the solver of the benchmark is asked.
MOST_STEPS = 2_000_000


# Slots looked at for a schedule, and places of meetings on calendars that the solver's model may have.
MOST_LOOKS = 100_000_000
MOST_PLACES = 200_000


class UnknownOptimum(Exception):
    """The least cost could not be computed."""


def places_to_look_at(calendars: Calendars, meetings: Meetings) -> int | None:
    """The places of meetings on their participants' calendars; None where to schedule them would take too long."""
    slots = len(calendars[0])
    places = slots * sum(len(m.participants) for m in meetings)
    return places if places * slots <= MOST_LOOKS else None


class Optimum(NamedTuple):
    """The least cost, and the schedule that the rule names among the cheapest: a slot for each meeting."""

    cost: int
    slots: tuple[int, ...]


@lru_cache(maxsize=512)
def optimum(calendars: Calendars, meetings: Meetings) -> Optimum | None:
    """The cheapest schedule that displaces fewest items and, of those, has the first slots; None where there is none.

    Slot after slot, over the sets of meetings placed so far: no two meetings of a slot share an agent. Where that
    is too much, by the solver of the benchmark. Raises UnknownOptimum where it is too much for both.
    """
    places, size = places_to_look_at(calendars, meetings), len(calendars[0])
    if places is None:
        raise UnknownOptimum(f"too large: {len(meetings)} meetings in {size} slots")
    groups = disjoint_groups(meetings)
    if groups is None or size * len(groups) << len(meetings) > MOST_STEPS:
        if places > MOST_PLACES:
            raise UnknownOptimum(f"too large for the solver: {len(meetings)} meetings in {size} slots")
        return solver_optimum(calendars, meetings)
    best = {0: 0}
    for slot in range(size):
        weights = [weight(calendars, meetings, number, slot) for number in range(len(meetings))]
        choices = [(mask, total) for mask, members in groups if (total := group_sum(weights, members)) is not None]
        after = dict(best)
        for placed, sum_before in best.items():
            for mask, more in choices:
                if not placed & mask and sum_before + more < after.get(placed | mask, sum_before + more + 1):
                    after[placed | mask] = sum_before + more
        best = after
    packed = best.get((1 << len(meetings)) - 1)
    return None if packed is None else unpacked(packed, len(meetings), size, len(calendars))


def weight(calendars: Calendars, meetings: Meetings, number: int, slot: int) -> int | None:
    """What the meeting adds in the slot, as one number whose digits are cost, displaced items and each meeting's slot.

    None where somebody is blocked there, or has nowhere to put what is there.
    """
    meeting, size = meetings[number], len(calendars[0])
    shares = [displacement_cost(calendars[agent], slot) for agent in meeting.participants]
    if None in shares:
        return None
    displaced = sum(calendars[agent][slot] is not None for agent in meeting.participants)
    cost = sum(share for share in shares if share)
    before = cost * (1 + len(meetings) * len(calendars)) + displaced
    return before * int(size ** len(meetings)) + slot * int(size ** (len(meetings) - 1 - number))


def unpacked(total: int, number: int, size: int, agents: int) -> Optimum:
    """The optimum whose weights add up to this: see `weight`."""
    rest, slots = divmod(total, size**number)
    return Optimum(
        rest // (1 + number * agents), tuple(slots // size ** (number - 1 - m) % size for m in range(number))
    )


def displacement_cost(calendar: Calendar, slot: int) -> int | None:
    """What one agent gives up for the slot; None where it can't."""
    if not has_room(calendar, slot):
        return None
    item = calendar[slot]
    return item.cost if item else 0


def group_sum(weights: Sequence[int | None], members: Sequence[int]) -> int | None:
    """The sum of the weights of a group's meetings; None where one of them can't be there."""
    total = 0
    for member in members:
        one = weights[member]
        if one is None:
            return None
        total += one
    return total


def disjoint_groups(meetings: Meetings) -> list[tuple[int, tuple[int, ...]]] | None:
    """(bit mask, indices) of the sets of meetings that share no agent; None where they are too many."""
    groups: list[tuple[int, tuple[int, ...], frozenset[int]]] = [(0, (), frozenset())]
    for number, meeting in enumerate(meetings):
        free = [g for g in groups if not g[2].intersection(meeting.participants)]
        groups += [(m | 1 << number, (*members, number), who.union(meeting.participants)) for m, members, who in free]
        if len(groups) > 20_000:
            return None
    return [(mask, members) for mask, members, _ in groups[1:]]


def solver_optimum(calendars: Calendars, meetings: Meetings) -> Optimum | None:
    """The same from the benchmark's own solver, for games too large to search here. Raises UnknownOptimum."""
    from sim.calendar import Calendar as Slots
    from sim.calendar import Errand, ScheduledMeeting
    from sim.tasks.oracle import NoSchedule, NotProven, solve
    from sim.tasks.scenario import Meeting as Listed

    def given(item: Item | None) -> Errand | ScheduledMeeting | None:
        if item is None or item.kind != MEETING:
            return item and Errand(item.id, item.cost, item.blocked)
        return ScheduledMeeting(item.id, item.cost, item.participants or ())

    try:
        listed = [Listed(m.id, m.participants, m.cost, speaker_order=m.order) for m in meetings]
        solution = solve([Slots([given(item) for item in c]) for c in calendars], listed, seconds=30)
        return Optimum(solution.cost, solution.slots)
    except NoSchedule:
        return None
    except (NotProven, ValueError, OverflowError) as error:
        raise UnknownOptimum(str(error)) from error


class Schedule(NamedTuple):
    """Meetings placed one after the other: their slots, and what each agent paid."""

    slots: tuple[int, ...]
    paid: tuple[int, ...]


@lru_cache(maxsize=512)
def schedule_in_order(
    calendars: Calendars, meetings: Meetings, chosen_slots: tuple[Any, ...] | None = None
) -> Schedule | None:
    """The meetings in the slots given, or each in its first possible one; what stands there goes to a first free slot.

    None where a meeting has no such slot. Raises UnknownOptimum where there are too many slots and meetings.
    """
    if places_to_look_at(calendars, meetings) is None:
        raise UnknownOptimum(f"too large: {len(meetings)} meetings in {len(calendars[0])} slots")
    new_calendars, paid, slots = [list(calendar) for calendar in calendars], [0] * len(calendars), []
    for number, meeting in enumerate(meetings):
        candidates = range(len(calendars[0])) if chosen_slots is None else chosen_slots[number : number + 1]
        slot = next((s for s in candidates if all(has_room(new_calendars[a], s) for a in meeting.participants)), None)
        if slot is None:
            return None
        slots.append(slot)
        for agent in meeting.participants:
            paid[agent] += place(new_calendars[agent], meeting, slot)
    return Schedule(tuple(slots), tuple(paid))


def place(calendar: list[Item | None], meeting: Meeting, slot: int) -> int:
    """Put the meeting there, and what stands there into the first free slot; what that costs."""
    item = calendar[slot]
    if item:
        calendar[calendar.index(None)] = item
    calendar[slot] = meeting.item
    return item.cost if item else 0


def has_room(calendar: Sequence[Item | None], slot: Any) -> bool:
    """Whether a meeting may take the slot: it is free, or can be left."""
    if type(slot) is not int or not 0 <= slot < len(calendar):
        return False
    item = calendar[slot]
    return item is None or (None in calendar and not item.blocked)


def agent_shares(calendars: Calendars, meetings: Meetings, slots: Sequence[Any]) -> list[int] | None:
    """What each agent gives up when each meeting takes its slot; None where one of them can't, or two clash."""
    owed = [0] * len(calendars)
    taken: set[tuple[int, int]] = set()
    for meeting, slot in zip(meetings, slots, strict=True):
        for agent in meeting.participants:
            if type(slot) is not int or (agent, slot) in taken:
                return None
            cost = displacement_cost(calendars[agent], slot)
            if cost is None:
                return None
            taken.add((agent, slot))
            owed[agent] += cost
    return owed
