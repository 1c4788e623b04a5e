"""A trace as the auditor reads it: all events, the game's setup, and an index of recorded answers."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pipeline.traces import limits
from pipeline.traces.audit.batch_rules import Meeting
from pipeline.traces.audit.calendar import Calendar, parse_calendar
from pipeline.traces.records import CHANNELS, open_channels

CHEAP_TALK, VOLUNTARY, DECISION, RESOLUTION = "CHEAP_TALK", "VOLUNTARY", "DECISION", "RESOLUTION"
GAME_START, GAME_END = "GAME_START", "GAME_END"
SENT = {f"{channel}_sent": channel for channel in CHANNELS}
OUTCOMES = frozenset((*SENT, "invalid_tool_call"))
FINAL = ("batch_applied", "batch_rolled_back")
KINDS = OUTCOMES.union(
    ("game_start", "agent_registered", "round_start", "turn_start", "turn_end", "decide_start", "decide_end"),
    ("batch_rejected", "decision_failed", "resolution", "consistency_violation", "game_end", "game_stopped"),
    FINAL,
)
# The most sweeps and retries that a game may allow.
MOST_ATTEMPTS = 100_000


class Unreadable(Exception):
    """A trace cannot be replayed: the reason, and where in its JSON."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason, place)
        self.reason, self.place = reason, place


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    type: str
    data: dict[str, Any]
    timestamp: str | None = None


class Trace(msgspec.Struct, frozen=True):
    """The whole file. A trace of ours states its schema's version and a team; the public harness's does neither."""

    game_id: str
    events: list[Event]
    config: dict[str, Any] = {}
    final_state: dict[str, Any] | None = None
    metrics: dict[str, Any] | None = None
    stopped: bool | None = None
    stop_cause: Any = None
    stop_category: Any = None
    started_at: str | None = None
    ended_at: str | None = None
    schema_version: int | None = None
    record_sha256: str | None = None

    @property
    def public(self) -> bool:
        """Whether the public harness wrote it. One of ours that leaves out its version stays one of ours."""
        return self.schema_version is None and "team" not in self.config


@dataclass(frozen=True)
class Setup:
    """What the game was: initial calendars, the meetings in order, its limits, and the labels of its items.

    `hydrated` says that agents are shown calendars with labels; `announced` is how many rounds there should be.
    """

    calendars: tuple[Calendar, ...]
    meetings: tuple[Meeting, ...]
    announced: int
    max_turns: int
    retries: int
    dm_cap: int | None
    channels: tuple[str, ...]
    labels: dict[tuple[str, int], str]
    hydrated: bool


@dataclass(slots=True)
class TurnEvents:
    """Where a turn's events stand: what it was shown, what it answered, and what became of its calls."""

    start: int | None = None
    end: int | None = None
    outcomes: list[int] = field(default_factory=list)


@dataclass(slots=True)
class DecisionEvents:
    """Where an agent's decision events of one phase and round stand, each kind in order."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    final: list[int] = field(default_factory=list)


DECISION_EVENT_LISTS = {
    "decide_start": "starts",
    "decide_end": "ends",
    "batch_rejected": "rejected",
    "decision_failed": "failed",
    "batch_applied": "final",
    "batch_rolled_back": "final",
}


class Named(msgspec.Struct):
    """What is read of a trace that is no Trace."""

    game_id: str


_DECODER = msgspec.json.Decoder(Trace)
_NAME_DECODER = msgspec.json.Decoder(Named)
_PATH = re.compile(r" - at `\$?(?P<path>.*)`$")


def decode(text: bytes) -> Trace:
    """The trace. Raises Unreadable with the decoder's complaint and its place."""
    try:
        return _DECODER.decode(text.removeprefix(BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = str(error)
        place = _PATH.search(message)
        raise Unreadable(_PATH.sub("", message), place["path"] if place else "") from error


def game_id_of(text: bytes) -> str:
    """The game's id alone, whatever the types of all else are; empty where there is none."""
    try:
        return _NAME_DECODER.decode(text.removeprefix(BOM_UTF8)).game_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""


def hashable(value: Any) -> Any:
    """The value, or its repr where it can't be hashed or would equal a value of another type."""
    return value if value is None or type(value) in (int, str) else repr(value)


def event_ref(event: Event) -> tuple[Any, Any, Any, Any]:
    """(round, turn, phase, agent) as the event names them."""
    get = event.data.get
    ref = get("round"), get("turn"), get("phase"), get("agent_id")
    if type(ref[0]) is int is type(ref[1]) and type(ref[2]) is str and type(ref[3]) is int:
        return ref
    return hashable(ref[0]), hashable(ref[1]), hashable(ref[2]), hashable(ref[3])


class EventIndex:
    """The events, when and whose each is, and the events of each turn and decision by their numbers."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.refs = [event_ref(event) for event in events]
        self.turns: dict[tuple[Any, Any, Any], TurnEvents] = {}
        self.decides: dict[tuple[Any, Any, Any], DecisionEvents] = {}
        for number, event in enumerate(events):
            round_, turn, phase, agent = self.refs[number]
            if event.type in ("turn_start", "turn_end") or event.type in OUTCOMES:
                self.add_turn(number, event.type, self.turns.setdefault((round_, turn, agent), TurnEvents()))
            elif event.type in DECISION_EVENT_LISTS:
                decide = self.decides.setdefault((round_, phase, agent), DecisionEvents())
                getattr(decide, DECISION_EVENT_LISTS[event.type]).append(number)

    def add_turn(self, number: int, kind: str, turn: TurnEvents) -> None:
        """Index an event of a turn; the comparison reports a second start or end."""
        if kind == "turn_start":
            turn.start = number if turn.start is None else turn.start
        elif kind == "turn_end":
            turn.end = number if turn.end is None else turn.end
        else:
            turn.outcomes.append(number)

    def data(self, number: int) -> dict[str, Any]:
        """The event's data."""
        return self.events[number].data


def read_setup(trace: Trace) -> Setup:
    """What the game was, from its events and configuration. Raises Unreadable where its calendars are unknown."""
    calendars = tuple(initial_calendars(trace.events))
    config = trace.config
    meetings = tuple(meetings_in_order(trace, len(calendars)))
    return Setup(
        calendars=calendars,
        meetings=meetings,
        announced=limit_of(config, "num_meetings", len(meetings)),
        max_turns=attempts_of(config, "max_turns_per_round", 15),
        retries=attempts_of(config, "decision_retries", 3),
        dm_cap=config["dm_cap"] if type(config.get("dm_cap")) is int else None,
        channels=open_channels(config.get("channels"), config.get("communication_protocol")) or CHANNELS,
        labels=labels_from_config(config),
        hydrated=any(has_label(event.data) for event in trace.events),
    )


def limit_of(config: dict[str, Any], name: str, default: int) -> int:
    """A number of the configuration, or the default where it states none."""
    value = config.get(name)
    return value if type(value) is int and 0 <= value < 1_000_000 else default


def attempts_of(config: dict[str, Any], name: str, default: int) -> int:
    """The same for sweeps and retries. Raises Unreadable where they are more than a game may allow."""
    value = config.get(name)
    if type(value) is int and value > MOST_ATTEMPTS:
        raise Unreadable(f"more than {MOST_ATTEMPTS}", f".config.{name}")
    return limit_of(config, name, default)


def has_label(data: dict[str, Any]) -> bool:
    """Whether the event shows a calendar with a label in it."""
    texts = (data.get("calendar_render"), data.get("calendar_snapshot_render"))
    return any(isinstance(text, str) and " private_label=" in text for text in texts)


def initial_calendars(events: list[Event]) -> Iterator[Calendar]:
    """Each agent's initial calendar, by number."""
    shown: dict[Any, tuple[int, Any]] = {}
    for number, event in enumerate(events):
        if event.type == "agent_registered":
            shown.setdefault(hashable(event.data.get("agent_id")), (number, event.data.get("calendar_render")))
    if not shown or set(shown) != set(range(len(shown))) or len(shown) > limits.AGENTS:
        raise Unreadable(f"the agents registered are {list(shown)[:20]}, not all from 0 up", ".events")
    sizes = set()
    for agent in range(len(shown)):
        number, text = shown[agent]
        calendar = parse_calendar(text)
        place = f".events[{number}].data.calendar_render"
        if calendar is None or len(calendar) > limits.SLOTS:
            raise Unreadable(f"agent {agent}'s initial calendar is not one slot a line", place)
        if len(shown) * len(calendar) > limits.CELLS:
            raise Unreadable(f"more than {limits.CELLS} slots of calendars", place)
        sizes.add(len(calendar))
        if len(sizes) > 1:
            raise Unreadable(f"agent {agent}'s initial calendar has not as many slots as those before", place)
        yield calendar


def meetings_in_order(trace: Trace, agents: int) -> Iterator[Meeting]:
    """The meetings in order: the scenario's, or, where the configuration has none, those of the rounds."""
    scenario = trace.config.get("scenario")
    listed = scenario.get("meetings") if isinstance(scenario, dict) else None
    if isinstance(listed, list):
        for number, entry in enumerate(listed):
            yield parse_meeting(entry, None, agents, f".config.scenario.meetings[{number}]")
        return
    for number, event in enumerate(trace.events):
        if event.type == "round_start":
            order = event.data.get("speaker_order")
            yield parse_meeting(event.data.get("meeting"), order, agents, f".events[{number}].data.meeting")


def parse_meeting(entry: Any, order: Any, agents: int, place: str) -> Meeting:
    """One meeting as it is listed. Raises Unreadable where it is none."""
    if not isinstance(entry, dict):
        raise Unreadable("a meeting is not an object", place)
    order = entry.get("speaker_order") if order is None else order
    members: Any = entry.get("participants")
    number, cost = entry.get("id"), entry.get("cost", 1)
    if type(number) is not int or type(cost) is not int:
        raise Unreadable("a meeting has no number or no cost", place)
    if entry.get("duration", 1) != 1:
        raise Unreadable("a meeting's duration is not 1: longer meetings are not replayed", place)
    for listed in (members, order):
        if not isinstance(listed, list) or not all(type(a) is int and 0 <= a < agents for a in listed):
            raise Unreadable("a meeting's participants or speakers are not agents of the game", place)
    if sorted(members) != sorted(order) or len(set(members)) != len(members):
        raise Unreadable("a meeting's speakers are not its participants", place)
    return Meeting(number, tuple(members), cost, tuple(order))


def labels_from_config(config: dict[str, Any]) -> dict[tuple[str, int], str]:
    """(kind, number) → private label, where the configuration lists them."""
    scenario = config.get("scenario")
    listed = scenario.get("labels") if isinstance(scenario, dict) else None
    labels = {}
    for kind in ("errand", "meeting"):
        entries = listed.get(f"{kind}s") if isinstance(listed, dict) else None
        for number, entry in entries.items() if isinstance(entries, dict) else ():
            label = entry.get("label") if isinstance(entry, dict) else None
            if isinstance(label, str) and number.isdecimal() and len(number) < 19:
                labels[kind, int(number)] = label
    return labels
