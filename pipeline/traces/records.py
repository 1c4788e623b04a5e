"""Typed records of what the tables need of a trace: its configuration and events (Appendix D.6, Table 7)."""

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from pipeline.traces.limits import MAX_INT64, MAX_NUMBER, MESSAGE_CHARS, MIN_INT64, NAME_CHARS

# Whole numbers: costs, counts and ids from 0; those that may be negative; and any that fit into a table's column.
Count = Annotated[int, Meta(ge=0, le=MAX_NUMBER)]
SignedCount = Annotated[int, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
Int64 = Annotated[int, Meta(ge=MIN_INT64, le=MAX_INT64)]
Name = Annotated[str, Meta(max_length=NAME_CHARS)]
Text = Annotated[str, Meta(max_length=MESSAGE_CHARS)]


SHA256 = re.compile(r"[0-9a-f]{64}")
CHANNELS = ("dm", "participant_groupchat", "all_groupchat")


class Record(msgspec.Struct, frozen=True, gc=False):
    """A frozen record; fields that the tables do not need are skipped while decoding."""


# Parameters of a language model that decide how it is called, not what it is asked: with others it is the same game.
CALLING = ("timeout", "retry_for", "retries", "backoff", "max_retry_after", "concurrency", "requests_per_minute")
REACHING = ("api_base", "api_base_env", "api_key_env", "headers_env", "needs_env", "mark_cache")
CARRIAGE = frozenset(("prices", *REACHING, *CALLING))


# What traces state for the cap on messages where there is none.
NO_CAP = 1_000_000


class AgentSpec(Record, frozen=True, gc=False):
    type: Name | None = None
    model: Name | None = None
    parameters: Any = None

    def named_model(self) -> str | None:
        """The agent's model, from the field or from its parameters; None where neither names one."""
        given = self.parameters.get("model") if isinstance(self.parameters, dict) else None
        return self.model or (given if isinstance(given, str) and len(given) <= NAME_CHARS else None)

    def asked(self) -> str | None:
        """The agent's parameters but those of how its model is reached, as JSON with sorted keys; None for none."""
        given = self.parameters if isinstance(self.parameters, dict) else {}
        kept = {name: value for name, value in given.items() if self.type != "llm" or name not in CARRIAGE}
        return msgspec.json.encode(kept, order="deterministic").decode() if kept else None


class OracleSchedule(Record, frozen=True, gc=False):
    per_agent_cost: list[Count] | None = None
    assignments: dict[str, SignedCount] = {}


class Label(Record, frozen=True, gc=False):
    """The private label of an errand or a meeting, as the trace's own record has it."""

    label: str
    tier: str | None = None
    terms: list[str] = []


class Labels(Record, frozen=True, gc=False):
    """The labels of a game: errands' by errand id, meetings' by meeting id."""

    errands: dict[str, Label] = {}
    meetings: dict[str, Label] = {}


class Scenario(Record, frozen=True, gc=False):
    """The task. `labels` is a record of Labels in our own traces, and may be anything in others. `optimal_bound`: where
    the oracle's schedule is the cheapest found and not proven to be the least, what none is below."""

    optimal: OracleSchedule = OracleSchedule()
    optimal_bound: Count | None = None
    labels: msgspec.Raw = msgspec.Raw(b"null")


class Config(Record, frozen=True, gc=False):
    """The configuration of a game. Our own traces say what was in force; public ones leave most of it out."""

    task_id: Name | None = None
    task_path: str | None = None
    experiment_name: str | None = None
    seed: Int64 | None = None
    team: Name | None = None
    simulated: bool = False
    setting: Name | None = None
    condition: Name | None = None
    difficulty: Name | None = None
    density: float | None = None
    repeat: Count = 0
    num_agents: Count | None = None
    num_slots: SignedCount | None = None
    num_meetings: Count | None = None
    num_participants: Count | None = None
    agents: list[AgentSpec] = []
    nosy_agent_ids: list[Count] | None = None
    scenario: Scenario | None = None
    max_turns_per_round: Any = None
    decision_retries: Any = None
    dm_cap: Any = None
    channels: Any = None
    communication_protocol: Any = None
    prompts: Any = None

    def open_channels(self) -> tuple[str, ...] | None:
        """The channels on which messages may be sent; None where the configuration names none."""
        return open_channels(self.channels, self.communication_protocol)

    def prompt_origin(self) -> str | None:
        """Whose prompts the models were asked with: "ours, version 1", "from file, sha256 …", or both with a semicolon
        between them; None where no agent says so."""
        records = [p for p in self.prompts if isinstance(p, dict)] if isinstance(self.prompts, list) else []
        origins = {f"ours, version {v}" for p in records if isinstance(v := p.get("base_version"), str) and len(v) < 9}
        origins |= {f"from file, sha256 {v}" for p in records if SHA256.fullmatch(str(v := p.get("file_sha256")))}
        return "; ".join(sorted(origins)) or None

    def game_rules(self) -> str:
        """Turns, retries, channels and cap of the game, the paper's where it names none: "15 turns, 3 retries, dm"."""
        channels = self.open_channels() or CHANNELS[:1]
        cap = _count(self.dm_cap, None)
        rules = (
            f"{_count(self.max_turns_per_round, 15)} turns",
            f"{_count(self.decision_retries, 3)} retries",
            *channels,
            *([] if cap is None or cap >= NO_CAP else [f"{cap} messages at most"]),
        )
        return ", ".join(rules)


def open_channels(channels: object, protocol: object) -> tuple[str, ...] | None:
    """The channels that a configuration names: ours in a list, a public one in the name of its protocol. None for
    none."""
    named = channels if isinstance(channels, list) else re.findall("|".join(CHANNELS), str(protocol or ""))
    return tuple(channel for channel in CHANNELS if channel in named) or None


def _count(value: object, default: int | None) -> int | None:
    """A value of a configuration where it is a count, else the default."""
    return value if type(value) is int and 0 <= value <= MAX_NUMBER else default


class GameStart(Record, frozen=True, gc=False):
    num_agents: Count | None = None
    num_slots: SignedCount | None = None
    optimal_cost: Count | None = None
    greedy_cost: Count | None = None
    scenario_seed: Int64 | None = None
    nosy_agent_ids: list[Count] | None = None
    team_model_label: Name | None = None


class AgentRegistered(Record, frozen=True, gc=False):
    agent_id: Count
    calendar_render: str
    agent_type: Name | None = None
    model: Name | None = None
    is_nosy_agent: bool = False


class Meeting(Record, frozen=True, gc=False):
    """A meeting. Its duration may be anything in public traces, and is not replayed: it fills one slot."""

    id: Count
    participants: Annotated[list[Count], Meta(min_length=1)]
    cost: Count = 1
    duration: Any = 1


class RoundStart(Record, frozen=True, gc=False):
    round: Count
    meeting: Meeting
    speaker_order: list[Count] = []


class CalendarShown(Record, frozen=True, gc=False):
    """What an agent was shown at the start of a turn or an answer: its calendar, and the prompt of a model."""

    round: Count
    agent_id: Count
    calendar_render: str | None = None
    calendar_snapshot_render: str | None = None
    prompt_sent: str | None = None


class IntendedStatement(Record, frozen=True, gc=False):
    """What a simulated speaker meant to say about one slot of one agent."""

    target: SignedCount
    free: bool
    slot: SignedCount | None = None
    kind: str | None = None


class IntendedLabel(Record, frozen=True, gc=False):
    """A private label that a simulated speaker meant to disclose."""

    label: str
    kind: str | None = None
    id: SignedCount | None = None
    slot: SignedCount | None = None


class Intent(Record, frozen=True, gc=False):
    """What a simulated speaker meant by a message, recorded outside its text."""

    act: str | None = None
    statements: list[IntendedStatement] = []
    labels: list[IntendedLabel] = []
    behaviours: list[str] = []
    phrases: list[str] = []
    held_out: bool = False


class TurnEnd(Record, frozen=True, gc=False):
    """An agent's turn of cheap talk; `intent` has an entry for each of its tool calls, `thinking` is private."""

    agent_id: Count | None = None
    thinking: Any = None
    usage: Any = None
    intent: list[Intent | None] | None = None


class DecideEnd(Record, frozen=True, gc=False):
    """An agent's answer in VOLUNTARY or DECISION; `text` is what its model wrote, `thinking` is private."""

    round: Count
    agent_id: Count | None = None
    phase: str | None = None
    attempt: Count = 0
    tool_calls: Any = None
    text: str | None = None
    thinking: Any = None
    usage: Any = None


class InvalidToolCall(Record, frozen=True, gc=False):
    """A tool call that the game did not carry out."""

    agent_id: Count | None = None


class Message(Record, frozen=True, gc=False):
    """One message sent: a direct message, or a group message to several agents."""

    round: Count
    from_agent: Count
    content: Text
    turn: SignedCount | None = None
    meeting_id: SignedCount | None = None
    to_agent: Count | None = None
    to_agents: list[Count] | None = None


class Schedule(Record, frozen=True, gc=False, tag_field="type", tag="schedule"):
    """An action that writes the round's meeting into a slot. Its cost is not read, as the trace may be wrong there."""

    meeting_id: SignedCount | None = None
    slot: SignedCount | None = None


class Reschedule(Record, frozen=True, gc=False, tag_field="type", tag="reschedule"):
    """An action that moves an item from one slot to another."""

    item_id: SignedCount | None = None
    from_slot: SignedCount | None = None
    to_slot: SignedCount | None = None


Action = Schedule | Reschedule


class Batch(Record, frozen=True, gc=False):
    """A batch that was applied to its agent's calendar."""

    round: Count
    agent_id: Count
    actions: list[Action]
    phase: Name | None = None


class Resolution(Record, frozen=True, gc=False):
    round: Count
    coordinated: bool
    meeting_id: SignedCount | None = None
    per_agent_slot: dict[str, SignedCount | None] = {}
    consistency_violated_meeting_ids: list[SignedCount] = []
    blocked_slot_violations: list[msgspec.Raw] = []


class BatchFailure(Record, frozen=True, gc=False):
    """A batch rejected or rolled back, or a decision that failed: the event's type says which."""

    round: Count


class GameEnd(Record, frozen=True, gc=False):
    oracle_per_agent_cost: list[Count] | None = None


EVENTS: dict[str, type[Record]] = {
    "game_start": GameStart,
    "agent_registered": AgentRegistered,
    "round_start": RoundStart,
    "turn_start": CalendarShown,
    "turn_end": TurnEnd,
    "invalid_tool_call": InvalidToolCall,
    "decide_start": CalendarShown,
    "decide_end": DecideEnd,
    "dm_sent": Message,
    "participant_groupchat_sent": Message,
    "all_groupchat_sent": Message,
    "batch_applied": Batch,
    "batch_rejected": BatchFailure,
    "batch_rolled_back": BatchFailure,
    "decision_failed": BatchFailure,
    "resolution": Resolution,
    "game_end": GameEnd,
}
