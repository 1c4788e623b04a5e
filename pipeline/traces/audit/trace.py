"""A trace as the auditor reads it: all of its events, and the game that they are said to be of."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from pipeline.traces import limits
from pipeline.traces.records import CHANNELS, open_channels
from sim.calendar import Calendar, Errand, Item, ScheduledMeeting
from sim.game.game import Limits
from sim.tasks.labels import Labels
from sim.tasks.scenario import Meeting

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
SENT = {f"{channel}_sent": channel for channel in CHANNELS}
CALENDAR_FIELDS = ("calendar_render", "calendar_snapshot_render", "calendar_render_after")
# The most retries of a public game, whose replies are partly made up.
MOST_RETRIES = 1_000


class Unreadable(Exception):
    """A trace cannot be replayed: the reason, and where in its JSON."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason, place)
        self.reason, self.place = reason, place


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One event: its kind, its fields, and the time where a provider took part."""

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

    @property
    def scenario(self) -> dict[str, Any]:
        """The configuration's scenario; empty where there is none."""
        return nested(self.config, "scenario")

    def first(self, kind: str) -> dict[str, Any]:
        """The fields of the first event of the kind; empty where there is none."""
        return next((event.data for event in self.events if event.type == kind), {})

    def all_of(self, kind: str) -> list[dict[str, Any]]:
        """The fields of each event of the kind."""
        return [event.data for event in self.events if event.type == kind]


@dataclass(frozen=True)
class Setup:
    """What the game was. announced: how many rounds it should have. labels: None where agents are shown none, or the
    configuration does not list them all. hydrated: whether agents are shown labels."""

    calendars: tuple[Calendar, ...]
    meetings: tuple[Meeting, ...]
    announced: int
    limits: Limits
    labels: Labels | None
    hydrated: bool

    @property
    def partial(self) -> bool:
        """Whether only the meetings of the rounds that began are known."""
        return len(self.meetings) < self.announced


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
    except UNREADABLE as error:
        message = str(error)
        place = _PATH.search(message)
        raise Unreadable(_PATH.sub("", message), place["path"] if place else "") from error


def game_id_of(text: bytes) -> str:
    """The game's id alone, whatever the types of all else are; empty where there is none."""
    try:
        return _NAME_DECODER.decode(text.removeprefix(BOM_UTF8)).game_id
    except UNREADABLE:
        return ""


def nested(holder: dict[str, Any], name: str) -> dict[str, Any]:
    """An object in an object; empty where there is none."""
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def whole(value: Any, most: int = 1_000_000) -> int | None:
    """The value where it is a whole number from 0 to `most`, else None."""
    return value if type(value) is int and 0 <= value <= most else None


def stated(config: dict[str, Any], name: str, default: int) -> int:
    """A whole number of the configuration, or the default where it states none."""
    return default if (value := whole(config.get(name))) is None else value


def read_setup(trace: Trace) -> Setup:
    """What the game was, from its events and configuration. Raises Unreadable where its calendars are unknown."""
    calendars = tuple(initial_calendars(trace.events))
    meetings = tuple(meetings_in_order(trace, len(calendars)))
    shown = (event.data.get(name) for event in trace.events for name in CALENDAR_FIELDS)
    hydrated = any(isinstance(text, str) and " private_label=" in text for text in shown)
    return Setup(
        calendars=calendars,
        meetings=meetings,
        announced=stated(trace.config, "num_meetings", len(meetings)),
        limits=read_limits(trace),
        labels=read_labels(trace, calendars, meetings) if hydrated else None,
        hydrated=hydrated,
    )


def read_limits(trace: Trace) -> Limits:
    """What the game allowed. The public harness did not always keep its cap, and a protocol's name there does not say
    all channels. So the limits of a public game are those that its events keep."""
    config = trace.config
    channels = open_channels(config.get("channels"), config.get("communication_protocol")) or CHANNELS
    cap, retries = config.get("dm_cap"), stated(config, "decision_retries", 3)
    cap = cap if type(cap) is int else None
    if trace.public:
        used = [SENT[event.type] for event in trace.events if event.type in SENT]
        cap = None if cap is not None and len(used) > cap else cap
        channels, retries = tuple({*channels, *used}), min(retries, MOST_RETRIES)
    turns = stated(config, "max_turns_per_round", 15)
    return Limits(max_turns_per_round=turns, decision_retries=retries, dm_cap=cap, channels=channels)


def read_labels(trace: Trace, calendars: tuple[Calendar, ...], meetings: tuple[Meeting, ...]) -> Labels | None:
    """The scenario's labels, where it lists those of all items."""
    try:
        labels = msgspec.convert(trace.scenario.get("labels"), Labels, strict=False)
    except msgspec.ValidationError:
        return None
    items = [item for calendar in calendars for item in calendar.slots if item]
    errands = {item.errand_id for item in items if isinstance(item, Errand)}
    booked = {item.meeting_id for item in items if isinstance(item, ScheduledMeeting)} | {m.id for m in meetings}
    return labels if errands <= labels.errands.keys() and booked <= labels.meetings.keys() else None


def initial_calendars(events: list[Event]) -> Iterator[Calendar]:
    """Each agent's initial calendar, by number."""
    shown: dict[str, tuple[int, Any]] = {}
    for number, event in enumerate(events):
        if event.type == "agent_registered":
            shown.setdefault(repr(event.data.get("agent_id")), (number, event.data.get("calendar_render")))
    if not shown or set(shown) != {str(agent) for agent in range(len(shown))} or len(shown) > limits.AGENTS:
        raise Unreadable(f"the agents registered are {list(shown)[:20]}, not all from 0 up", ".events")
    slots: int | None = None
    for agent in range(len(shown)):
        number, text = shown[str(agent)]
        calendar = parse_calendar(text) if isinstance(text, str) else None
        place = f".events[{number}].data.calendar_render"
        if calendar is None or len(calendar) > limits.SLOTS:
            raise Unreadable(f"agent {agent}'s initial calendar is not one slot a line", place)
        if len(shown) * len(calendar) > limits.CELLS:
            raise Unreadable(f"more than {limits.CELLS} slots of calendars", place)
        if slots not in (None, len(calendar)):
            raise Unreadable(f"agent {agent}'s initial calendar has not as many slots as those before", place)
        slots = len(calendar)
        yield calendar


def meetings_in_order(trace: Trace, agents: int) -> Iterator[Meeting]:
    """The meetings in order: the scenario's, or, where the configuration has none, those of the rounds."""
    listed = trace.scenario.get("meetings")
    if isinstance(listed, list):
        for number, entry in enumerate(listed):
            yield parse_meeting(entry, agents, f".config.scenario.meetings[{number}]")
        return
    for number, event in enumerate(trace.events):
        if event.type == "round_start":
            spoken = {name: event.data[name] for name in ("speaker_order",) if name in event.data}
            yield parse_meeting(nested(event.data, "meeting") | spoken, agents, f".events[{number}].data.meeting")


def parse_meeting(entry: Any, agents: int, place: str) -> Meeting:
    """One meeting as it is listed. Raises Unreadable where it is none."""
    try:
        meeting = msgspec.convert(entry, Meeting)
    except msgspec.ValidationError as error:
        raise Unreadable(f"no meeting: {error}", place) from error
    members, order = meeting.participants, meeting.speaker_order
    if meeting.duration != 1:
        raise Unreadable("a meeting's duration is not 1: longer meetings are not replayed", place)
    if len(set(members)) < len(members) or sorted(members) != sorted(order) or not set(members) <= set(range(agents)):
        raise Unreadable("a meeting's participants are not agents of the game, or not its speakers", place)
    return meeting


LABEL = re.compile(r" private_label=.*$", re.MULTILINE)
LINE = re.compile(
    r"Slot +\d{1,6}: (?:\[FREE\]|(?P<blocked>Blocked )?Errand #(?P<errand>\d{1,18}) \(cost=(?P<price>\d{1,18})\)"
    r"|Meeting M(?P<meeting>\d{1,18}) \(cost=(?P<cost>\d{1,18})\) participants=\[(?P<members>[\d, ]{0,9999})\])"
)


def parse_calendar(text: str) -> Calendar | None:
    """The calendar that a rendering shows, labels left out; None where it is not rendered so."""
    bare = LABEL.sub("", text)
    lines = bare.split("\n")
    if not all(map(LINE.fullmatch, lines)):
        return None
    calendar = Calendar([item_of(line) for line in lines])
    return calendar if calendar.render == bare else None


@lru_cache(maxsize=65536)
def item_of(line: str) -> Item | None:
    """What a rendered line shows in its slot."""
    match = LINE.fullmatch(line)
    if match and match["errand"]:
        return Errand(int(match["errand"]), int(match["price"]), bool(match["blocked"]))
    if match and match["meeting"]:
        members = tuple(int(agent) for agent in match["members"].replace(",", " ").split())
        return ScheduledMeeting(int(match["meeting"]), int(match["cost"]), members)
    return None
