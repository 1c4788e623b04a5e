"""Traces to games, rounds, agents, messages, moves and calendars: what happened, counted from the events alone.

A trace's own `metrics` and `final_state` are not believed: every figure is counted from its events.
Only the agents' shares of the oracle's schedule are taken from there, as no event shows them.
"""

from typing import Any

from pipeline.calendars import read_rendering, slot_of_meeting
from pipeline.identity import identify
from pipeline.payloads import read_payload
from pipeline.traces import Trace
from pipeline.walk import Round, Walk, follow

Row = tuple[Any, ...]
Rows = dict[str, list[Row]]

TABLES = ("games", "rounds", "agents", "messages", "moves", "calendars")


def no_rows() -> Rows:
    """An empty list of rows for each table that a trace gives."""
    return {table: [] for table in TABLES}


def ingest(trace: Trace, trace_path: str) -> Rows:
    """The rows of one trace, a list per table, each row's values in the order of its schema.

    Raises TraceError for a trace that decodes but tells of no game.
    """
    walk = follow(trace)
    return {
        "games": [_game(trace, trace_path, walk)],
        "rounds": [_round(trace.game_id, number, walk.rounds[number]) for number in sorted(walk.rounds)],
        "agents": _agents(trace, walk),
        "messages": _messages(trace.game_id, walk),
        "moves": _moves(trace.game_id, walk),
        "calendars": _calendars(trace.game_id, walk),
    }


def _game(trace: Trace, trace_path: str, walk: Walk) -> Row:
    start, config = walk.start, trace.config
    identity = identify(trace, start)
    costs = _cost_by_agent(walk)
    realized = sum(costs.values())
    meetings = _meetings(trace, walk)
    coordinated = [r for r in walk.rounds.values() if r.meeting and r.resolution and r.resolution.coordinated]
    dms = sum(r.dms for r in walk.rounds.values())
    return (
        trace.game_id,
        trace_path,
        *identity,
        trace.stopped,
        meetings,
        len(coordinated),
        sum(_kept(walk, r) for r in coordinated),
        len(coordinated) / meetings if meetings else None,
        start.optimal_cost,
        start.greedy_cost,
        realized,
        _difference(realized, start.optimal_cost),
        dms,
        fairness(list(costs.values())),
        _difference(realized, start.greedy_cost),
        dms / len(coordinated) if coordinated else None,
        sum(r.group_messages for r in walk.rounds.values()),
        sum(len(s.message.content) for s in walk.sent),
        sum(r.meeting is not None for r in walk.rounds.values()),
        len(walk.agents),
        walk.num_slots,
        config.num_participants,
        start.scenario_seed if start.scenario_seed is not None else config.seed,
        trace.stop_cause,
        trace.schema_version,
    )


def fairness(costs: list[int]) -> float:
    """Least cost / largest cost of a game's agents; 1 when all are 0 (section 3)."""
    return min(costs) / max(costs) if any(costs) else 1.0


def _cost_by_agent(walk: Walk) -> dict[int, int]:
    costs = dict.fromkeys(walk.agents, 0)
    for move in walk.moved:
        costs[move.batch.agent_id] += move.item.cost if move.item else 0
    return costs


def _meetings(trace: Trace, walk: Walk) -> int:
    """Meetings of the game: the rounds begun, and for a game broken off those that were still to come."""
    begun = sum(r.meeting is not None for r in walk.rounds.values())
    return max(begun, trace.config.num_meetings or 0) if trace.stopped else begun


def _kept(walk: Walk, number: Round) -> bool:
    """Whether the round's meeting stands in one common slot on all its participants' calendars."""
    meeting = number.meeting
    if meeting is None or not meeting.participants:
        return False
    slots = {slot_of_meeting(walk.calendars.get(agent, []), meeting.id) for agent in meeting.participants}
    return len(slots) == 1 and None not in slots


def _difference(realized: int, reference: int | None) -> int | None:
    return None if reference is None else realized - reference


def _round(game_id: str, number: int, told: Round) -> Row:
    meeting, resolution = told.meeting, told.resolution
    participants = sorted(meeting.participants) if meeting else []
    slots = [resolution.per_agent_slot.get(str(agent)) if resolution else None for agent in participants]
    coordinated = resolution.coordinated if resolution else None
    return (
        game_id,
        number,
        meeting.id if meeting else resolution.meeting_id if resolution else None,
        participants,
        coordinated,
        slots[0] if coordinated and slots and len(set(slots)) == 1 else None,
        told.dms,
        told.cost,
        told.group_messages,
        slots,
        resolution.consistency_violated_meeting_ids if resolution else [],
        len(resolution.blocked_slot_violations) if resolution else 0,
        told.setbacks.get("batch_rejected", 0),
        told.setbacks.get("decision_failed", 0),
        "batch_rolled_back" in told.setbacks,
    )


def _agents(trace: Trace, walk: Walk) -> list[Row]:
    costs = _cost_by_agent(walk)
    burdens, specs = _oracle_burdens(trace, walk), trace.config.agents
    nosy = set(walk.start.nosy_agent_ids or trace.config.nosy_agent_ids or [])
    rows = []
    for agent, registered in sorted(walk.agents.items()):
        burden = burdens[agent] if 0 <= agent < len(burdens) else None
        sent = [s for s in walk.sent if s.message.from_agent == agent]
        rows.append(
            (
                trace.game_id,
                agent,
                registered.agent_type or (specs[agent].type if 0 <= agent < len(specs) else None),
                registered.model or (specs[agent].model if 0 <= agent < len(specs) else None),
                registered.is_nosy_agent or agent in nosy,
                costs[agent],
                burden,
                _difference(costs[agent], burden),
                sum(m.batch.agent_id == agent and m.item is not None for m in walk.moved),
                len(sent),
                sum(agent in s.recipients for s in walk.sent),
                sum(len(s.message.content) for s in sent),
            )
        )
    return rows


def _oracle_burdens(trace: Trace, walk: Walk) -> list[int]:
    """Each agent's share of the oracle's schedule, where the trace tells it."""
    scenario = trace.config.scenario
    told = (
        scenario.optimal.per_agent_cost if scenario else None,
        walk.end.oracle_per_agent_cost if walk.end else None,
        trace.metrics.oracle_per_agent_cost,
    )
    return next((burdens for burdens in told if burdens), [])


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
            payload.protocol if (payload := read_payload(sent.message.content)) else None,
            len(sent.message.content),
        )
        for sent in walk.sent
    ]


def _moves(game_id: str, walk: Walk) -> list[Row]:
    rows = []
    for move in walk.moved:
        action, item = move.batch.actions[move.action_index], move.item
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


def _calendars(game_id: str, walk: Walk) -> list[Row]:
    rows = []
    for (number, agent), (index, text) in sorted(walk.first_renderings.items()):
        calendar = read_rendering(text, walk.num_slots)
        costs = [item.cost if item else 0 for item in calendar]
        blocked = [slot for slot, item in enumerate(calendar) if item and item.blocked]
        rows.append((game_id, number, agent, index, costs, blocked))
    return rows
