"""One trace: its text decoded to typed records, and which game it is of."""

import re
from codecs import BOM_UTF8
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Union

import msgspec

from pipeline.traces import limits
from pipeline.traces.records import EVENTS, Config, Count, GameStart, Name, Record

# None stands for traces of the public benchmark, which have no version.
KNOWN_VERSIONS = (None, 1)


class TraceError(Exception):
    """A trace that cannot be used. reason: why, in plain words. place: where in the text, a JSON path or a byte."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(f"{reason} ({place})" if place else reason)
        self.reason = reason
        self.place = place


class RawEvent(Record, frozen=True, gc=False):
    type: str
    data: msgspec.Raw


class Metrics(Record, frozen=True, gc=False):
    team_model_label: str | None = None
    oracle_per_agent_cost: list[Count] | None = None


class Version(Record, frozen=True, gc=False):
    schema_version: Any = None


class RawTrace(Record, frozen=True, gc=False):
    game_id: Name
    events: list[RawEvent]
    config: Config = Config()
    metrics: Metrics | None = None
    stopped: bool | None = None
    stop_cause: str | None = None
    stop_category: str | None = None
    schema_version: int | None = None


class Event(Record, frozen=True, gc=False):
    """One event that the tables need. index: its place in the trace, from 0. data: a record of its type (EVENTS)."""

    index: int
    type: str
    data: Any


class Trace(Record, frozen=True, gc=False):
    """The trace of one game, without what no table needs."""

    game_id: str
    config: Config
    metrics: Metrics
    events: list[Event]
    stopped: bool
    stop_cause: str | None
    stop_category: str | None
    schema_version: int | None


# Types of events that no table needs.
UNNEEDED = ("consistency_violation", "game_stopped")

_TRACE = msgspec.json.Decoder(RawTrace)
_VERSION = msgspec.json.Decoder(Version)
_EVENTS = {name: msgspec.json.Decoder(record) for name, record in EVENTS.items()}


def _event_type(name: str, data: Any) -> type[msgspec.Struct]:
    """A record of one type of event, which its field `type` tells from others."""
    return msgspec.defstruct(name, [("data", data)], tag_field="type", tag=name, frozen=True, gc=False)


_NEEDED: dict[type[Any], str] = {_event_type(name, record): name for name, record in EVENTS.items()}
_SKIPPED = [_event_type(name, msgspec.Raw) for name in UNNEEDED]


class KnownTrace(RawTrace, frozen=True, gc=False):
    """A trace whose events all have known types."""

    events: list[Union[*_NEEDED, *_SKIPPED]]  # type: ignore[valid-type]


_KNOWN = msgspec.json.Decoder(KnownTrace)
UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_PATH = re.compile(r" - at `\$?(?P<path>.*)`$")
_BYTE = re.compile(r" \(byte (?P<byte>\d+)\)$")


# What other JSON has at its top that is written where traces may lie: schemas, metadata of datasets, tasks. How it
# begins, and what of a trace it does not have there.
OTHER_KINDS = ({"$schema"}, {"@context"}, {"task_id", "calendars", "meetings"})
OTHER_BEGINNING = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"(\$schema|@context|task_id)"')
OF_TRACES = {"game_id", "events"}


def is_other_kind(path: Path) -> bool:
    """Whether a file of plain JSON is whole and of another kind than a trace, in a pack each line. What is damaged, or
    of no kind that is known, is not; nor is what cannot be read."""
    with suppress(OSError, *UNDECODABLE):
        if path.name.endswith((".json", ".jsonl")) and path.is_file() and path.stat().st_size <= limits.FILE_BYTES:
            with path.open("rb") as file:
                texts = filter(bytes.strip, file) if path.suffix == ".jsonl" else iter(file.read, b"")
                return OTHER_BEGINNING.match(file.peek()) is not None and all(map(is_otherwise, texts))
    return False


def is_otherwise(text: bytes) -> bool:
    """Whether the JSON has at its top what another kind has there, and nothing of a trace. Raises UNDECODABLE."""
    top = msgspec.json.decode(text.removeprefix(BOM_UTF8), type=dict[str, msgspec.Raw]).keys()
    return any(kind <= top for kind in OTHER_KINDS) and not top & OF_TRACES


def decode_trace(text: bytes) -> Trace:
    """The trace in a JSON text. Raises TraceError, with reason and place, for anything else."""
    text = text.removeprefix(BOM_UTF8)
    try:
        known = _KNOWN.decode(text)
    except UNDECODABLE:
        return _decode_by_event(text)
    events = [
        Event(i, name, item.data)
        for i, item in enumerate(known.events)
        if (name := _NEEDED.get(type(item))) is not None
    ]
    return _trace(known, events)


def _decode_by_event(text: bytes) -> Trace:
    """The trace, its events decoded one by one."""
    try:
        raw = _TRACE.decode(text)
    except UNDECODABLE as error:
        _check_version(_version(text))
        raise _decode_error(error, text, "") from error
    # An error in the whole is reported before one in an event.
    _trace(raw, [])
    return _trace(raw, [event for i, item in enumerate(raw.events) if (event := _event(i, item))])


def _trace(raw: RawTrace, events: list[Event]) -> Trace:
    _check_version(raw.schema_version)
    if not raw.game_id:
        raise TraceError("game_id is empty", ".game_id")
    return Trace(
        game_id=raw.game_id,
        config=raw.config,
        metrics=raw.metrics or Metrics(),
        events=events,
        stopped=bool(raw.stopped),
        stop_cause=raw.stop_cause,
        stop_category=raw.stop_category,
        schema_version=raw.schema_version,
    )


def _version(text: bytes) -> object:
    """The schema_version of a text that is not a valid trace; None where it has none."""
    try:
        return _VERSION.decode(text).schema_version
    except UNDECODABLE:
        return None


def _check_version(version: object) -> None:
    if version not in KNOWN_VERSIONS or isinstance(version, bool):
        known = " and ".join("none" if known is None else str(known) for known in KNOWN_VERSIONS)
        raise TraceError(f"schema_version is {version!r:.40}; known are {known}", ".schema_version")


def _event(index: int, raw: RawEvent) -> Event | None:
    """The event's record, or None for a type that no table needs."""
    decoder = _EVENTS.get(raw.type)
    if decoder is None:
        return None
    try:
        return Event(index, raw.type, decoder.decode(raw.data))
    except UNDECODABLE as error:
        raise _decode_error(error, bytes(raw.data), f".events[{index}].data") from error


def _decode_error(error: Exception, text: bytes, where: str) -> TraceError:
    """A decoder's error as reason and place. `where`: the JSON path of the text within the trace."""
    message = str(error)
    if isinstance(error, RecursionError):
        return TraceError("not a trace: nested too deeply", where or "top level")
    if isinstance(error, UnicodeDecodeError):
        return TraceError(f"not UTF-8: {error.reason}", f"{where} byte {_invalid_byte(text)}".strip())
    if match := _PATH.search(message):
        return TraceError(f"not a trace: {message[: match.start()]}", where + match["path"])
    if isinstance(error, msgspec.ValidationError):
        return TraceError(f"not a trace: {message}", where or "top level")
    if match := _BYTE.search(message):
        return TraceError(f"not JSON: {message[: match.start()]}", f"{where} byte {match['byte']}".strip())
    return TraceError(f"not JSON: {message}", where or f"byte {len(text)}")


def _invalid_byte(text: bytes) -> int:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


TASK = re.compile(
    r"_(?P<difficulty>easy|medium|hard)_.*?_d(?P<whole>\d)p(?P<tenths>\d+)_c(?P<level>\d+)_\d+(?P<blocked>_blocked\d*)?$"
)
SETTINGS = {"1": "uniform", "3": "varied"}
TEAMS = {"imap": "imap", "paper_dsm": "dsm-welfare", "private_dsm": "dsm-private"}


class Identity(NamedTuple):
    """The columns of `games` that tell one game from another."""

    team: str
    simulated: bool
    setting: str | None
    condition: str
    task_id: str | None
    difficulty: str | None
    density: float | None
    repeat: int


def identify(trace: Trace, start: GameStart) -> Identity:
    """The identity of a trace's game, from its configuration, else from the task's name."""
    config = trace.config
    task = TASK.search(config.task_id or "")
    ours = config.team is not None
    # The `density` of a public trace is a default that its game did not use: the task's name is right.
    named_density = float(f"{task['whole']}.{task['tenths']}") if task else None
    return Identity(
        team=config.team or _team(trace, start),
        simulated=config.simulated,
        setting=config.setting or (SETTINGS.get(task["level"]) if task else None) or _setting_in_names(trace),
        condition=config.condition or _condition(trace, start, bool(task and task["blocked"])),
        task_id=config.task_id,
        difficulty=config.difficulty or (task["difficulty"] if task else None),
        density=config.density if ours or named_density is None else named_density,
        repeat=config.repeat,
    )


def _team(trace: Trace, start: GameStart) -> str:
    types = {agent.type or "" for agent in trace.config.agents}
    kind = types.pop() if len(types) == 1 else ""
    if kind in TEAMS:
        return TEAMS[kind]
    if kind.startswith("sd"):
        return "sd"
    return trace.metrics.team_model_label or start.team_model_label or kind or "unknown"


def _setting_in_names(trace: Trace) -> str | None:
    names = f"{trace.config.experiment_name or ''} {trace.config.task_path or ''}"
    match = re.search(r"uniform|varied", names)
    return match[0] if match else None


def _condition(trace: Trace, start: GameStart, blocked: bool) -> str:
    if trace.config.nosy_agent_ids or start.nosy_agent_ids:
        return "adversarial"
    return "blocked" if blocked else "standard"
