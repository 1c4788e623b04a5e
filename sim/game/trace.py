"""The record of a game (Appendix D.6): values as JSON, events, write and read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import msgspec
import zstandard
from msgspec import Struct
from msgspec.structs import asdict

from machine.output import write_atomically
from sim.agents import Message, Reply

DEEPEST = 60
LARGEST_INTEGER = 2**63 - 1
# Lists and objects within one value: a list that holds itself twice would have 2 ** DEEPEST.
MOST_INSIDE = 100_000
LONGEST_SHOWN = 200

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def to_jsonable(value: Any) -> Any:
    """A copy of the value, with what JSON can't hold replaced by text that shows it: never an exception, whatever it
    is. What reads as JSON afterwards is equal to it, type by type."""
    return _to_jsonable(value, 0, iter(range(MOST_INSIDE)))


def _to_jsonable(value: Any, depth: int, left: Iterator[int]) -> Any:
    kind = type(value)
    if kind is str:
        return value if value.isascii() else to_text(value)
    if value is None or kind is bool:
        return value
    if issubclass(kind, int) and -LARGEST_INTEGER <= (whole := int.__int__(value)) <= LARGEST_INTEGER:
        return whole
    if issubclass(kind, float) and math.isfinite(number := float.__float__(value)):
        return number
    if depth < DEEPEST and next(left, None) is not None:
        # Their own methods may do anything: only those of list, tuple and dict are asked.
        if issubclass(kind, list):
            return [_to_jsonable(item, depth + 1, left) for item in list.__iter__(value)]
        if issubclass(kind, tuple):
            return [_to_jsonable(item, depth + 1, left) for item in tuple.__iter__(value)]
        if issubclass(kind, dict):
            return {to_text(key): _to_jsonable(item, depth + 1, left) for key, item in dict.items(value)}
        if issubclass(kind, Struct):
            return _to_jsonable(asdict(value), depth + 1, left)
    return to_text(value)


def to_text(value: Any) -> str:
    """A value as text: itself where it is text, else the start of its representation."""
    if type(value) is str and value.isascii():
        return value
    try:
        is_text = issubclass(type(value), str)
        text = str.__str__(value) if is_text else ADDRESS.sub("", str.__str__(repr(value)))[:LONGEST_SHOWN]
    except Exception:
        return f"<{type(value).__name__}>"
    return str.encode(text, "utf-8", "backslashreplace").decode("utf-8")


SCHEMA_VERSION = 1
SUFFIX = ".json.zst"
PACK_SUFFIX = ".jsonl.zst"
GAMES = UUID("6b1f3c52-5a0e-4b7e-9d53-0c8f4e6f2a11")
# Traces repeat themselves: level 3 already shrinks them some twenty times, and higher levels cost more than they save.
LEVEL = 3


class Event(Struct, frozen=True, omit_defaults=True):
    """One thing that happened. `timestamp` only where a provider took part: otherwise a game has no clock."""

    type: str
    data: dict[str, Any]
    timestamp: str | None = None


class Trace(Struct, kw_only=True):
    """A whole game. `stopped` marks a game that was cut short, by `stop_cause`, which is of the kind `stop_category`
    (see AgentFailure); one that ended has neither.

    `record_sha256` is the digest of all else (`record_digest`); it is made when the trace is encoded.
    """

    schema_version: int = SCHEMA_VERSION
    game_id: str
    config: dict[str, Any]
    events: list[Event]
    final_state: dict[str, Any]
    metrics: dict[str, Any]
    started_at: str | None = None
    ended_at: str | None = None
    stopped: bool = False
    stop_cause: str | None = None
    stop_category: str | None = None
    record_sha256: str | None = None


def game_id(identity: dict[str, Any]) -> str:
    """A UUID made from the task, the team, the configuration and the repeat: the same game, the same id."""
    return str(uuid5(GAMES, msgspec.json.encode(identity, order="deterministic").decode()))


def packed(trace: Trace) -> bytes:
    """The trace as one line of JSON, compressed: a file of its own, or one frame of a pack."""
    return zstandard.ZstdCompressor(level=LEVEL).compress(encoded(trace) + b"\n")


def encoded(trace: Trace) -> bytes:
    """The trace as JSON, with its digest; what has no JSON form, as a date in a team's file may, is kept as text that
    shows it."""
    record = asdict(trace)
    try:
        return _with_digest(record)
    except (TypeError, ValueError, OverflowError, RecursionError):
        parts = {name: to_jsonable(value) for name, value in record.items() if name != "events"}
        events = msgspec.convert([to_jsonable(event) for event in trace.events], list[Event])
        return _with_digest(parts | {"events": events})


def _with_digest(record: dict[str, Any]) -> bytes:
    return msgspec.json.encode(record | {"record_sha256": record_digest(record)})


def record_digest(record: dict[str, Any]) -> str:
    """The SHA-256 of all fields of a trace but `record_sha256`, as JSON with sorted keys: however the file is written
    down, it is the same. It is no signature: who changes a trace on purpose can make it again."""
    fields = {name: value for name, value in record.items() if name != "record_sha256"}
    return sha256(msgspec.json.encode(fields, order="sorted")).hexdigest()


def write(trace: Trace, path: Path | str) -> None:
    """Write the trace, compressed, to a path or URL; the file appears whole or not at all."""
    write_atomically(path, [packed(trace)])


def read(path: Path) -> Trace:
    """The trace in the file. Raises msgspec.DecodeError or zstandard.ZstdError where it holds none."""
    with open(path, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        return msgspec.json.decode(stream.read(), type=Trace)


def inbox_snapshot(inbox: tuple[Message, ...]) -> list[dict[str, Any]]:
    """The messages that an agent reads at the start of its turn."""
    return [
        {"from": m.sender, "to": m.recipient, "channel": m.channel, "meeting_id": m.meeting_id, "content": m.content}
        for m in inbox
    ]


def reply_record(reply: Reply) -> dict[str, Any]:
    """What the events keep of a reply."""
    record = {
        "tool_calls": reply.actions,
        "text": reply.text,
        "thinking": reply.thinking,
        "usage": reply.usage,
        "latency_ms": reply.latency_ms,
    }
    more = {"parse": reply.parse, "intent": reply.intent}
    return record | {name: value for name, value in more.items() if value is not None}
