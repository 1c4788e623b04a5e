"""What a trace holds that the tables need: typed records, decoded from one JSON text (Appendix D.6, Table 7)."""

import re
from typing import Any

import msgspec


class TraceError(Exception):
    """A trace that cannot be used: `reason` in plain words, `place` where in the text (JSON path or byte)."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(f"{reason} ({place})" if place else reason)
        self.reason = reason
        self.place = place


class Record(msgspec.Struct, frozen=True, gc=False):
    """A frozen record; fields that the tables do not need are skipped while decoding."""


class AgentSpec(Record, frozen=True, gc=False):
    type: str | None = None
    model: str | None = None


class Optimum(Record, frozen=True, gc=False):
    per_agent_cost: list[int] | None = None


class Scenario(Record, frozen=True, gc=False):
    optimal: Optimum = Optimum()


class Config(Record, frozen=True, gc=False):
    """The configuration of a game. Our own traces say what was in force; public ones leave most of it out."""

    task_id: str | None = None
    task_path: str | None = None
    experiment_name: str | None = None
    seed: int | None = None
    team: str | None = None
    simulated: bool = False
    setting: str | None = None
    condition: str | None = None
    difficulty: str | None = None
    density: float | None = None
    repeat: int = 0
    num_agents: int | None = None
    num_slots: int | None = None
    num_meetings: int | None = None
    num_participants: int | None = None
    agents: list[AgentSpec] = []
    nosy_agent_ids: list[int] | None = None
    scenario: Scenario | None = None


class GameStart(Record, frozen=True, gc=False):
    num_agents: int | None = None
    num_slots: int | None = None
    optimal_cost: int | None = None
    greedy_cost: int | None = None
    scenario_seed: int | None = None
    nosy_agent_ids: list[int] | None = None
    team_model_label: str | None = None


class AgentRegistered(Record, frozen=True, gc=False):
    agent_id: int
    calendar_render: str
    agent_type: str | None = None
    model: str | None = None
    is_nosy_agent: bool = False


class Meeting(Record, frozen=True, gc=False):
    id: int
    participants: list[int]
    cost: int = 1


class RoundStart(Record, frozen=True, gc=False):
    round: int
    meeting: Meeting


class Rendering(Record, frozen=True, gc=False):
    """A calendar as its owner was shown it: `turn_start` and `decide_start`."""

    round: int
    agent_id: int
    calendar_render: str | None = None
    calendar_snapshot_render: str | None = None


class Message(Record, frozen=True, gc=False):
    """One message sent: a direct message, or a group message to several agents."""

    round: int
    from_agent: int
    content: str
    turn: int | None = None
    meeting_id: int | None = None
    to_agent: int | None = None
    to_agents: list[int] | None = None


class Batch(Record, frozen=True, gc=False):
    """A batch that was applied to its agent's calendar."""

    round: int
    agent_id: int
    actions: "list[Action]"
    phase: str | None = None


class Action(Record, frozen=True, gc=False):
    """`schedule` {meeting_id, slot, cost} or `reschedule` {item_id, from_slot, to_slot}."""

    type: str
    meeting_id: int | None = None
    slot: int | None = None
    cost: int | None = None
    item_id: int | None = None
    from_slot: int | None = None
    to_slot: int | None = None


class Resolution(Record, frozen=True, gc=False):
    round: int
    coordinated: bool
    meeting_id: int | None = None
    per_agent_slot: dict[str, int | None] = {}
    consistency_violated_meeting_ids: list[int] = []
    blocked_slot_violations: list[msgspec.Raw] = []


class Setback(Record, frozen=True, gc=False):
    """Something that went wrong in a round; which is told by the event's type."""

    round: int


class GameEnd(Record, frozen=True, gc=False):
    oracle_per_agent_cost: list[int] | None = None


EVENTS: dict[str, type[Record]] = {
    "game_start": GameStart,
    "agent_registered": AgentRegistered,
    "round_start": RoundStart,
    "turn_start": Rendering,
    "decide_start": Rendering,
    "dm_sent": Message,
    "participant_groupchat_sent": Message,
    "all_groupchat_sent": Message,
    "batch_applied": Batch,
    "batch_rejected": Setback,
    "batch_rolled_back": Setback,
    "decision_failed": Setback,
    "resolution": Resolution,
    "game_end": GameEnd,
}


class RawEvent(Record, frozen=True, gc=False):
    type: str
    data: msgspec.Raw


class Metrics(Record, frozen=True, gc=False):
    team_model_label: str | None = None
    oracle_per_agent_cost: list[int] | None = None


class RawTrace(Record, frozen=True, gc=False):
    game_id: str
    events: list[RawEvent]
    config: Config = Config()
    metrics: Metrics | None = None
    stopped: bool | None = None
    stop_cause: str | None = None
    schema_version: int | None = None


class Event(Record, frozen=True, gc=False):
    """One event the tables need: its place in the trace, its type, and its data as a record."""

    index: int
    type: str
    data: Any


class Trace(Record, frozen=True, gc=False):
    """One game's trace, cut down to what the tables need."""

    game_id: str
    config: Config
    metrics: Metrics
    events: list[Event]
    stopped: bool
    stop_cause: str | None
    schema_version: int | None


_TRACE = msgspec.json.Decoder(RawTrace)
_EVENTS = {name: msgspec.json.Decoder(record) for name, record in EVENTS.items()}
_PATH = re.compile(r" - at `\$?(?P<path>.*)`$")
_BYTE = re.compile(r" \(byte (?P<byte>\d+)\)$")


def decode(text: bytes) -> Trace:
    """The trace that a JSON text holds, or TraceError saying what is wrong with it and where."""
    try:
        raw = _TRACE.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _explained(error, "") from error
    if not raw.game_id:
        raise TraceError("game_id is empty", ".game_id")
    return Trace(
        game_id=raw.game_id,
        config=raw.config,
        metrics=raw.metrics or Metrics(),
        events=[event for i, item in enumerate(raw.events) if (event := _event(i, item))],
        stopped=bool(raw.stopped),
        stop_cause=raw.stop_cause,
        schema_version=raw.schema_version,
    )


def _event(index: int, raw: RawEvent) -> Event | None:
    """The event's record, or None for a type that no table needs."""
    decoder = _EVENTS.get(raw.type)
    if decoder is None:
        return None
    try:
        return Event(index, raw.type, decoder.decode(raw.data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _explained(error, f".events[{index}].data") from error


def _explained(error: Exception, where: str) -> TraceError:
    """A decoder's complaint as reason and place."""
    message = str(error)
    if found := _PATH.search(message):
        return TraceError(f"not a trace: {message[: found.start()]}", where + found["path"])
    if isinstance(error, msgspec.ValidationError):
        return TraceError(f"not a trace: {message}", where or "top level")
    if found := _BYTE.search(message):
        return TraceError(f"not JSON: {message[: found.start()]}", f"{where} byte {found['byte']}".strip())
    return TraceError(f"not JSON: {message}", where)
