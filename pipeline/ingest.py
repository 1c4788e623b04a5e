"""Traces to games, rounds, agents, messages, moves and calendars: what happened, counted from the events alone.

A trace's own `metrics` and `final_state` are not believed: every figure is counted from its events.
Only the agents' shares of the oracle's schedule are taken from there, as no event shows them.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pipeline.calendars import held, meeting_slots, read_rendering
from pipeline.reading.identity import identify
from pipeline.reading.records import Meeting
from pipeline.reading.state import Walk
from pipeline.reading.traces import Trace, TraceError
from pipeline.reading.walk import follow
from pipeline.schemas.intended import INTENDED_TABLES
from pipeline.truth.intended import intended_rows
from pipeline.typed_messages import decode, said_chars

Row = tuple[Any, ...]
Rows = dict[str, list[Row]]

TABLES = (
    *("games", "rounds", "agents", "messages", "moves", "items", "calendars", "calls"),
    *(table.name for table in INTENDED_TABLES),
)


# What the privacy tables are made of.
HEARD = ("games", "rounds", "messages", "calendars")


def no_rows() -> Rows:
    """An empty list of rows for each table that a trace gives."""
    return {table: [] for table in TABLES}


def ingest(trace: Trace, trace_path: str) -> Rows:
    """The rows of one trace, a list per table, each row's values in the order of its schema.

    Raises TraceError for a trace that decodes but tells of no game.
    """
    walk = follow(trace)
    return {
        **_heard(trace, trace_path, walk),
        "agents": _agents(trace, walk),
        "moves": _moves(trace.game_id, walk),
        "items": _items(trace.game_id, walk),
        "calls": [(trace.game_id, *call) for call in walk.calls],
        **intended_rows(trace, walk),
    }


def heard(trace: Trace, trace_path: str) -> Rows:
    """The rows of one trace for the tables of HEARD alone."""
    return no_rows() | _heard(trace, trace_path, follow(trace))


def _heard(trace: Trace, trace_path: str, walk: Walk) -> Rows:
    return {
        "games": [_game(trace, trace_path, walk)],
        "rounds": [_round(trace, walk, number) for number in sorted(walk.rounds)],
        "messages": _messages(trace.game_id, walk),
        "calendars": _calendars(trace.game_id, walk),
    }


def _game(trace: Trace, trace_path: str, walk: Walk) -> Row:
    start, config = walk.start, trace.config
    identity = identify(trace, start)
    costs = _cost_by_agent(walk)
    realized = sum(costs.values())
    meetings = _meetings(trace, walk)
    coordinated = [r for r in walk.rounds.values() if r.resolution and r.resolution.coordinated]
    places = {agent: meeting_slots(calendar) for agent, calendar in walk.calendars.items()}
    dms = walk.dms.total()
    return (
        trace.game_id,
        trace_path,
        *identity,
        trace.stopped,
        meetings,
        len(coordinated),
        sum(_kept(places, r.meeting) for r in coordinated),
        len(coordinated) / meetings if meetings else None,
        start.optimal_cost,
        start.greedy_cost,
        realized,
        _difference(realized, start.optimal_cost),
        dms,
        fairness(list(costs.values())),
        _difference(realized, start.greedy_cost),
        dms / len(coordinated) if coordinated else None,
        walk.group_messages.total(),
        sum(len(s.message.content) for s in walk.sent),
        len(walk.rounds),
        len(walk.agents),
        walk.num_slots,
        config.num_participants,
        start.scenario_seed if start.scenario_seed is not None else config.seed,
        trace.stop_cause,
        trace.schema_version,
    )


def fairness(costs: Sequence[int]) -> float:
    """Least cost / largest cost of a game's agents; 1 when all are 0 (section 3)."""
    return min(costs) / max(costs) if any(costs) else 1.0


def _cost_by_agent(walk: Walk) -> dict[int, int]:
    costs = dict.fromkeys(walk.agents, 0)
    for move in walk.moved:
        costs[move.batch.agent_id] += move.item.cost if move.item else 0
    return costs


def _meetings(trace: Trace, walk: Walk) -> int:
    """Meetings of the game: the rounds begun, and for a game broken off those that were still to come."""
    return max(len(walk.rounds), trace.config.num_meetings or 0) if trace.stopped else len(walk.rounds)


def _kept(places: dict[int, dict[int, int]], meeting: Meeting) -> bool:
    """Whether the meeting stands in one common slot on all its participants' calendars."""
    slots = {places[agent].get(meeting.id) for agent in meeting.participants}
    return len(slots) == 1 and None not in slots


def _difference(realized: int, reference: int | None) -> int | None:
    return None if reference is None else realized - reference


def _round(trace: Trace, walk: Walk, number: int) -> Row:
    told = walk.rounds[number]
    meeting, resolution = told.meeting, told.resolution
    oracle_slot = _oracle_slot(trace, meeting)
    participants = sorted(meeting.participants)
    slots = [resolution.per_agent_slot.get(str(agent)) if resolution else None for agent in participants]
    coordinated = resolution.coordinated if resolution else None
    return (
        trace.game_id,
        number,
        meeting.id,
        participants,
        coordinated,
        slots[0] if coordinated and slots and len(set(slots)) == 1 else None,
        walk.dms[number],
        told.cost,
        walk.group_messages[number],
        slots,
        resolution.consistency_violated_meeting_ids if resolution else [],
        len(resolution.blocked_slot_violations) if resolution else 0,
        told.setbacks.get("batch_rejected", 0),
        told.setbacks.get("decision_failed", 0),
        "batch_rolled_back" in told.setbacks,
        told.speaker_order,
        told.resolved_at,
        _optimal_cost(walk, meeting, oracle_slot),
        oracle_slot,
    )


def _oracle_slot(trace: Trace, meeting: Meeting) -> int | None:
    """The meeting's slot in the oracle's schedule, where the trace tells it."""
    scenario = trace.config.scenario
    return scenario.optimal.assignments.get(str(meeting.id)) if scenario else None


def _optimal_cost(walk: Walk, meeting: Meeting, slot: int | None) -> int | None:
    """What the meeting costs in that slot of the oracle's schedule: what its participants first held there."""
    if slot is None:
        return None
    return sum(item.cost for a in meeting.participants if (item := held(walk.initial.get(a, []), slot)))


def _agents(trace: Trace, walk: Walk) -> list[Row]:
    costs = _cost_by_agent(walk)
    burdens, specs = _oracle_burdens(trace, walk), trace.config.agents
    nosy = set(walk.start.nosy_agent_ids or trace.config.nosy_agent_ids or [])
    moves = Counter(m.batch.agent_id for m in walk.moved if m.item)
    sent = Counter(s.message.from_agent for s in walk.sent)
    received = Counter(agent for s in walk.sent for agent in s.recipients)
    chars: Counter[int] = Counter()
    for s in walk.sent:
        chars[s.message.from_agent] += len(s.message.content)
    rows = []
    for agent, registered in sorted(walk.agents.items()):
        burden = burdens[agent] if burdens else None
        rows.append(
            (
                trace.game_id,
                agent,
                registered.agent_type or (specs[agent].type if agent < len(specs) else None),
                registered.model or (specs[agent].named_model() if agent < len(specs) else None),
                registered.is_nosy_agent or agent in nosy,
                costs[agent],
                burden,
                _difference(costs[agent], burden),
                moves[agent],
                sent[agent],
                received[agent],
                chars[agent],
            )
        )
    return rows


def _oracle_burdens(trace: Trace, walk: Walk) -> Sequence[int]:
    """Each agent's share of the oracle's schedule, where the trace tells it."""
    scenario = trace.config.scenario
    told = (
        (".config.scenario.optimal.per_agent_cost", scenario.optimal.per_agent_cost if scenario else None),
        ("game_end's oracle_per_agent_cost", walk.end.oracle_per_agent_cost if walk.end else None),
        (".metrics.oracle_per_agent_cost", trace.metrics.oracle_per_agent_cost),
    )
    for place, burdens in told:
        if burdens and len(burdens) != len(walk.agents):
            raise TraceError(f"{len(burdens)} costs for {len(walk.agents)} agents", place)
        if burdens:
            return burdens
    return ()


def _messages(game_id: str, walk: Walk) -> list[Row]:
    return [
        (
            game_id,
            sent.event_index,
            sent.message.round,
            sent.message.turn,
            sent.message.meeting_id,
            sent.channel,
            sent.message.from_agent,
            sent.recipients,
            sent.message.content,
            typed.protocol if (typed := decode(sent.message.content)) else None,
            len(sent.message.content),
            said_chars(sent.message.content),
        )
        for sent in walk.sent
    ]


def _moves(game_id: str, walk: Walk) -> list[Row]:
    rows = []
    for move in walk.moved:
        action, item = move.action, move.item
        rows.append(
            (
                game_id,
                move.event_index,
                move.batch.round,
                move.batch.phase,
                move.batch.agent_id,
                item.kind if item else None,
                item.id if item else action.item_id,
                action.from_slot,
                action.to_slot,
                item.cost if item else None,
                move.action_index,
                bool(item and item.blocked),
            )
        )
    return rows


def _items(game_id: str, walk: Walk) -> list[Row]:
    return [
        (game_id, agent, slot, item.kind, item.id, item.cost, item.blocked)
        for agent, calendar in sorted(walk.initial.items())
        for slot, item in enumerate(calendar)
        if item
    ]


def _calendars(game_id: str, walk: Walk) -> list[Row]:
    rows = []
    for (number, agent), (index, text) in sorted(walk.first_renderings.items()):
        try:
            calendar = read_rendering(text, walk.num_slots)
        except ValueError as error:
            raise TraceError(str(error), f".events[{index}].data") from error
        costs, blocked, meetings = [0] * len(calendar), [], []
        for slot, item in enumerate(calendar):
            if item:
                kind, _, costs[slot], is_blocked = item
                if kind == "meeting":
                    meetings.append(slot)
                if is_blocked:
                    blocked.append(slot)
        rows.append((game_id, number, agent, index, costs, blocked, meetings))
    return rows
