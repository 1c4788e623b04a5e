"""A replayed game's metrics, and schedules of its meetings by the benchmark's own solver and rules: the optimum, the
greedy one, and what given slots cost."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pipeline.traces.audit.batch_rules import Meeting
from pipeline.traces.audit.calendar import MEETING, Calendar, Item
from pipeline.traces.audit.game import Game
from pipeline.traces.records import CHANNELS
from sim.calendar import Calendar as Slots
from sim.calendar import Errand, ScheduledMeeting
from sim.tasks.oracle import NoSchedule, NotProven, solve
from sim.tasks.scenario import Meeting as Listed
from sim.tasks.schedules import Replay, greedy, replay

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
CODES_OF_METRICS = {"realized_cost": "wrong_cost"}


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
        "realized_cost": realized,
        "fallback_displacement_cost": 0,
        "fairness": min(game.paid) / max(game.paid) if any(game.paid) else 1.0,
        "cost_vs_optimal": ratio(realized, optimum),
        "cost_vs_greedy": ratio(realized, greedy),
    }
    return facts | ({} if optimum is None else {"excess_cost": realized - optimum})


def message_metrics(game: Game) -> dict[str, Any]:
    """What was said, by channel; a group message is one message sent. Of public games with group chats, of whose
    counting nothing is known, only what was said one to one."""
    by_channel = {c: [chars for channel, chars in game.messages if channel == c] for c in CHANNELS}
    dms, scheduled = by_channel["dm"], len(game.coordinated)
    group = by_channel["participant_groupchat"] + by_channel["all_groupchat"]
    facts: dict[str, Any] = {
        "total_dms_sent": len(dms),
        "total_dm_chars": sum(dms),
        "avg_dm_chars": sum(dms) / len(dms) if dms else 0.0,
        "max_dm_chars": max(dms, default=0),
        "dms_per_meeting": ratio(len(dms), scheduled),
    }
    if scheduled:
        facts["dm_chars_per_meeting"] = sum(dms) / scheduled
    if game.public and group:
        return facts
    facts |= {
        "total_cheap_talk_messages": len(game.messages),
        "total_groupchat_messages_sent": len(group),
        "total_groupchat_chars": sum(group),
        "max_groupchat_chars": max(group, default=0),
    }
    for channel in CHANNELS[1:]:
        facts[f"total_{channel}_messages_sent"] = len(by_channel[channel])
        facts[f"total_{channel}_chars"] = sum(by_channel[channel])
        facts[f"max_{channel}_chars"] = max(by_channel[channel], default=0)
    return facts | ({"efficiency": len(game.messages) / scheduled} if scheduled else {})


def ratio(part: int, whole: int | None) -> float | None:
    """part / whole; None where that is undefined."""
    return part / whole if whole else None


Calendars = tuple[Calendar, ...]
Meetings = tuple[Meeting, ...]

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
    """The cheapest schedule that displaces fewest items and, of those, has the first slots, by the benchmark's solver;
    None where there is none. Raises UnknownOptimum where it would take too long."""
    places = places_to_look_at(calendars, meetings)
    if places is None or places > MOST_PLACES:
        raise UnknownOptimum(f"too large for the solver: {len(meetings)} meetings in {len(calendars[0])} slots")
    try:
        solution = solve(*of_benchmark(calendars, meetings), effort=30)
        return Optimum(solution.cost, solution.slots)
    except NoSchedule:
        return None
    except (NotProven, ValueError, OverflowError) as error:
        raise UnknownOptimum(str(error)) from error


def of_benchmark(calendars: Calendars, meetings: Iterable[Meeting]) -> tuple[list[Slots], list[Listed]]:
    """The calendars and meetings as the benchmark has them."""

    def given(item: Item | None) -> Errand | ScheduledMeeting | None:
        if item is None or item.kind != MEETING:
            return item and Errand(item.id, item.cost, item.blocked)
        return ScheduledMeeting(item.id, item.cost, item.participants or ())

    listed = [Listed(m.id, m.participants, m.cost, speaker_order=m.order) for m in meetings]
    return [Slots([given(item) for item in calendar]) for calendar in calendars], listed


def displacement_cost(calendar: Calendar, slot: int) -> int | None:
    """What one agent gives up for the slot; None where it can't."""
    if not 0 <= slot < len(calendar):
        return None
    item = calendar[slot]
    if item is None:
        return 0
    return None if item.blocked or None not in calendar else item.cost


@lru_cache(maxsize=512)
def schedule_in_order(
    calendars: Calendars, meetings: Meetings, chosen_slots: tuple[Any, ...] | None = None
) -> Replay | None:
    """The meetings in the slots given, or each in its first possible one; what stands there goes to a first free slot.

    None where a meeting has no such slot. Raises UnknownOptimum where there are too many slots and meetings.
    """
    size = len(calendars[0])
    if places_to_look_at(calendars, meetings) is None:
        raise UnknownOptimum(f"too large: {len(meetings)} meetings in {size} slots")
    if any(type(slot) is not int or not 0 <= slot < size for slot in chosen_slots or ()):
        return None
    given = of_benchmark(calendars, meetings)
    try:
        return greedy(*given) if chosen_slots is None else replay(*given, chosen_slots)
    except NoSchedule:
        return None


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
