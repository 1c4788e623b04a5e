"""Traces to games, rounds, agents, messages, moves and calendars: what happened, counted from the events alone.

A trace's own `metrics` and `final_state` are not believed: every figure is counted from its events.
Only the agents' shares of the oracle's schedule are taken from there, as no event shows them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from pipeline.tables.schemas.base import AGENTS, CALENDARS, GAMES, ITEMS, MESSAGES, MOVES, ROOMS, ROUNDS, require_makers
from pipeline.tables.schemas.table import Row
from pipeline.traces.calendars import calendars_digest, item_at, meeting_slots, read_rendering
from pipeline.traces.game_state import GameState
from pipeline.traces.intended import MAKERS as INTENDED_MAKERS
from pipeline.traces.records import Meeting, Resolution
from pipeline.traces.replay import replay
from pipeline.traces.trace import Trace, TraceError, identify
from pipeline.traces.typed_messages import decode_message

Rows = dict[str, list[Row]]

GameRow, RoundRow, AgentRow, MessageRow = (table.row_type() for table in (GAMES, ROUNDS, AGENTS, MESSAGES))
MoveRow, ItemRow, CalendarRow = (table.row_type() for table in (MOVES, ITEMS, CALENDARS))

TABLES = ROOMS["traces"]
# Made of every trace, whatever is wanted: what a game is known by, and what a trace is refused for.
ALWAYS = ("games", "agents", "calendars")


def no_rows(tables: Collection[str] = TABLES) -> Rows:
    """An empty list of rows for each of the tables that a trace gives."""
    require_makers("traces", {"games", *MAKERS}, "MAKERS of pipeline/traces/ingest.py or intended.py")
    return {table: [] for table in TABLES if table in tables}


def ingest(trace: Trace, trace_path: str, tables: Collection[str] = TABLES) -> Rows:
    """The rows of one trace, a list for each of the tables, each row a named tuple of its table's columns.

    Raises TraceError for a trace that decodes but tells of no game, whichever tables are asked for.
    """
    game = replay(trace)
    made = {"games": [_game(trace, trace_path, game)]}
    made |= {name: make(trace, game) for name, make in MAKERS.items() if name in tables or name in ALWAYS}
    return {name: rows for name, rows in made.items() if name in tables}


def _game(trace: Trace, trace_path: str, game: GameState) -> Row:
    start, config = game.start, trace.config
    costs = cost_by_agent(game)
    realized, optimum = sum(costs.values()), start.optimal_cost if _proven(trace) else None
    meetings = _meetings(trace, game)
    coordinated = [r for r in game.rounds.values() if r.resolution and r.resolution.coordinated]
    slots = {agent: meeting_slots(calendar) for agent, calendar in game.calendars.items()}
    dms = game.dms.total()
    return GameRow(
        game_id=trace.game_id,
        trace_path=trace_path,
        **identify(trace, start)._asdict(),
        stopped=trace.stopped,
        meetings=meetings,
        meetings_scheduled=len(coordinated),
        meetings_kept=sum(_kept(slots, r.meeting) for r in coordinated),
        coordination_rate=len(coordinated) / meetings if meetings else None,
        optimal_cost=optimum,
        greedy_cost=start.greedy_cost,
        realized_cost=realized,
        excess_cost=_difference(realized, optimum),
        dms=dms,
        fairness=fairness(list(costs.values())),
        excess_over_greedy=_difference(realized, start.greedy_cost),
        dms_per_meeting=dms / len(coordinated) if coordinated else None,
        group_messages=game.group_messages.total(),
        message_chars=sum(len(sent.message.content) for sent in game.messages),
        rounds=len(game.rounds),
        num_agents=len(game.agents),
        num_slots=game.num_slots,
        num_participants=config.num_participants,
        seed=start.scenario_seed if start.scenario_seed is not None else config.seed,
        stop_cause=trace.stop_cause,
        stop_category=trace.stop_category,
        schema_version=trace.schema_version,
        calendars_digest=calendars_digest(game.initial),
        game_rules=config.game_rules(),
        prompts=config.prompt_origin(),
    )


def fairness(costs: Sequence[int]) -> float:
    """Least cost / largest cost of a game's agents; 1 when all are 0 (section 3)."""
    return min(costs) / max(costs) if any(costs) else 1.0


def cost_by_agent(game: GameState) -> dict[int, int]:
    """What each agent paid for what it moved."""
    costs = dict.fromkeys(game.agents, 0)
    for move in game.moves:
        costs[move.batch.agent_id] += move.item.cost if move.item else 0
    return costs


def _meetings(trace: Trace, game: GameState) -> int:
    """Meetings of the game: the rounds begun, and for a game broken off those that were still to come."""
    return max(len(game.rounds), trace.config.num_meetings or 0) if trace.stopped else len(game.rounds)


def _kept(slots_of: dict[int, dict[int, int]], meeting: Meeting) -> bool:
    """Whether the meeting stands in one common slot on all its participants' calendars."""
    slots = {slots_of[agent].get(meeting.id) for agent in meeting.participants}
    return len(slots) == 1 and None not in slots


def _difference(realized: int, reference: int | None) -> int | None:
    return None if reference is None else realized - reference


def _rounds(trace: Trace, game: GameState) -> list[Row]:
    rows, broken_since = [], dict[int, int]()
    for number, this in sorted(game.rounds.items()):
        if this.resolution:
            violated = this.resolution.consistency_violated_meeting_ids
            broken_since = {meeting: broken_since.get(meeting, number) for meeting in violated}
        rows.append(_round(trace, game, number, broken_since))
    return rows


def _round(trace: Trace, game: GameState, number: int, broken_since: Mapping[int, int]) -> Row:
    """broken_since: violated meeting → the first of the rounds in which it has been so without a break."""
    this = game.rounds[number]
    meeting, resolution = this.meeting, this.resolution
    oracle_slot = _oracle_slot(trace, meeting)
    participants = sorted(meeting.participants)
    slots = [resolution.per_agent_slot.get(str(agent)) if resolution else None for agent in participants]
    coordinated = resolution.coordinated if resolution else None
    violated = resolution.consistency_violated_meeting_ids if resolution else []
    violated_since = [broken_since[meeting] for meeting in violated]
    return RoundRow(
        game_id=trace.game_id,
        round=number,
        meeting_id=meeting.id,
        participants=participants,
        coordinated=coordinated,
        slot=slots[0] if coordinated and slots and len(set(slots)) == 1 else None,
        dms=game.dms[number],
        cost=this.cost,
        group_messages=game.group_messages[number],
        participant_slots=slots,
        failure_reason=failure_reason(resolution, slots, number, violated_since),
        violated_meetings=violated,
        violated_since=violated_since,
        blocked_violations=len(resolution.blocked_slot_violations) if resolution else 0,
        batches_rejected=this.failures["batch_rejected"],
        decisions_failed=this.failures["decision_failed"],
        rolled_back="batch_rolled_back" in this.failures,
        speaker_order=this.speaker_order,
        resolution_event=this.resolution_event,
        optimal_cost=_optimal_cost(game, meeting, oracle_slot),
        oracle_slot=oracle_slot,
    )


def failure_reason(
    resolution: Resolution | None, slots: Sequence[int | None], number: int, violated_since: Sequence[int]
) -> str | None:
    """Why the round's meeting is not coordinated; None where it is.

    Of several reasons it is the first: what concerns the meeting itself comes before earlier meetings, and what broke
    in this round before what was broken already. slots: where each participant put the meeting.
    """
    if resolution is None:
        return "stopped"
    if resolution.coordinated:
        return None
    reasons = {
        "no valid batch": not any(slot is not None for slot in slots),
        "different slots": len(set(slots)) > 1,
        "blocked slot": bool(resolution.blocked_slot_violations),
        "earlier meeting broken": number in violated_since,
        "earlier meeting still broken": bool(violated_since),
    }
    return next((reason for reason, holds in reasons.items() if holds), "unexplained")


def _proven(trace: Trace) -> bool:
    """Whether the trace does not say that its optimum is only the cheapest schedule found."""
    return trace.config.scenario is None or trace.config.scenario.optimal_bound is None


def _oracle_slot(trace: Trace, meeting: Meeting) -> int | None:
    """The meeting's slot in the oracle's schedule, where the trace tells it."""
    scenario = trace.config.scenario
    return scenario.optimal.assignments.get(str(meeting.id)) if scenario and _proven(trace) else None


def _optimal_cost(game: GameState, meeting: Meeting, slot: int | None) -> int | None:
    """What the meeting costs in that slot of the oracle's schedule: what its participants first held there."""
    if slot is None:
        return None
    held = (item_at(game.initial[agent], slot) for agent in meeting.participants)
    return sum(item.cost for item in held if item)


def _agents(trace: Trace, game: GameState) -> list[Row]:
    costs = cost_by_agent(game)
    burdens, specs = oracle_burdens(trace, game), trace.config.agents
    nosy = set(game.start.nosy_agent_ids or trace.config.nosy_agent_ids or [])
    moves = Counter(move.batch.agent_id for move in game.moves if move.item)
    sent = Counter(sent.message.from_agent for sent in game.messages)
    received = Counter(agent for sent in game.messages for agent in sent.recipients)
    chars: Counter[int] = Counter()
    for message in (sent.message for sent in game.messages):
        chars[message.from_agent] += len(message.content)
    rows = []
    for agent, registered in sorted(game.agents.items()):
        burden = burdens[agent] if burdens else None
        rows.append(
            AgentRow(
                game_id=trace.game_id,
                agent=agent,
                agent_type=registered.agent_type or (specs[agent].type if agent < len(specs) else None),
                model=registered.model or (specs[agent].named_model() if agent < len(specs) else None),
                parameters=specs[agent].asked() if agent < len(specs) else None,
                nosy=registered.is_nosy_agent or agent in nosy,
                cost=costs[agent],
                oracle_cost=burden,
                excess_burden=_difference(costs[agent], burden),
                moves=moves[agent],
                messages_sent=sent[agent],
                messages_received=received[agent],
                chars_sent=chars[agent],
            )
        )
    return rows


def oracle_burdens(trace: Trace, game: GameState) -> Sequence[int]:
    """Each agent's share of the oracle's schedule, where the trace tells it."""
    scenario = trace.config.scenario
    sources = (
        (".config.scenario.optimal.per_agent_cost", scenario.optimal.per_agent_cost if scenario else None),
        ("game_end's oracle_per_agent_cost", game.end.oracle_per_agent_cost if game.end else None),
        (".metrics.oracle_per_agent_cost", trace.metrics.oracle_per_agent_cost),
    )
    for place, burdens in sources:
        if burdens and len(burdens) != len(game.agents):
            raise TraceError(f"{len(burdens)} costs for {len(game.agents)} agents", place)
        if burdens and _proven(trace):
            return burdens
    return ()


def _messages(trace: Trace, game: GameState) -> list[Row]:
    return [
        MessageRow(
            game_id=trace.game_id,
            event_index=sent.event_index,
            round=message.round,
            turn=message.turn,
            meeting_id=message.meeting_id,
            channel=sent.channel,
            from_agent=message.from_agent,
            to_agents=sent.recipients,
            content=message.content,
            typed=typed.protocol if typed else None,
            chars=len(message.content),
            said_chars=typed.chars if typed else len(message.content),
        )
        for sent in game.messages
        for message in (sent.message,)
        for typed in (decode_message(message.content),)
    ]


def _moves(trace: Trace, game: GameState) -> list[Row]:
    return [
        MoveRow(
            game_id=trace.game_id,
            event_index=move.event_index,
            round=move.batch.round,
            phase=move.batch.phase,
            agent=move.batch.agent_id,
            item_kind=item.kind if (item := move.item) else None,
            item_id=item.id if item else move.action.item_id,
            from_slot=move.action.from_slot,
            to_slot=move.action.to_slot,
            cost=item.cost if item else None,
            action_index=move.action_index,
            blocked=bool(item and item.blocked),
        )
        for move in game.moves
    ]


def _items(trace: Trace, game: GameState) -> list[Row]:
    return [
        ItemRow(
            game_id=trace.game_id,
            agent=agent,
            slot=slot,
            item_kind=item.kind,
            item_id=item.id,
            cost=item.cost,
            blocked=item.blocked,
        )
        for agent, calendar in sorted(game.initial.items())
        for slot, item in enumerate(calendar)
        if item
    ]


def _calendars(trace: Trace, game: GameState) -> list[Row]:
    rows = []
    for (number, agent), (index, text) in sorted(game.first_renderings.items()):
        try:
            calendar = read_rendering(text, game.num_slots)
        except ValueError as error:
            raise TraceError(str(error), f".events[{index}].data") from error
        rows.append(
            CalendarRow(
                game_id=trace.game_id,
                round=number,
                agent=agent,
                event_index=index,
                costs=[item.cost if item else 0 for item in calendar],
                blocked=[slot for slot, item in enumerate(calendar) if item and item.blocked],
                meeting_slots=[slot for slot, item in enumerate(calendar) if item and item.kind == "meeting"],
            )
        )
    return rows


MAKERS: dict[str, Callable[[Trace, GameState], list[Row]]] = {
    "rounds": _rounds,
    "agents": _agents,
    "messages": _messages,
    "moves": _moves,
    "items": _items,
    "calendars": _calendars,
    **INTENDED_MAKERS,
}
