"""Single changes of traces: each place of a trace changed by itself, and which that alter a table are noticed."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

from audit_bases import Raw, sealed

from pipeline.derive.parallel import Recipe, derive_frames
from pipeline.traces.audit.auditor import audit_trace
from pipeline.traces.audit.divergences import NOTE
from pipeline.traces.audit.identity import configured_id
from pipeline.traces.audit.suites import Suites
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import TraceError, decode_trace

LOST = object()
Path = tuple[str | int, ...]


class Tried(NamedTuple):
    """A change that altered a table: where, what became of the value, and whether the auditor noticed."""

    place: str
    change: str
    noticed: bool


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every value in a trace but the trace itself."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def shape(raw: Raw, path: Path) -> str:
    """The path with the kinds of events for their numbers, and * for the numbers of other things."""
    if path[0] == "events" and len(path) > 1:
        kind = raw["events"][path[1]]["type"]
        return ".".join((f"events.{kind}", *(star(part) for part in path[2:])))
    return ".".join(map(star, path))


def star(part: str | int) -> str:
    return "*" if isinstance(part, int) or part.isdecimal() else part


def others(value: Any) -> list[Any]:
    """What a value is changed to."""
    if isinstance(value, bool):
        return [not value, LOST]
    if isinstance(value, int):
        return [value + 1, max(0, value - 1), LOST]
    if isinstance(value, float):
        return [value + 0.25, LOST]
    if isinstance(value, str):
        return ["other", value + " ", LOST]
    if value is None:
        return [0, "other"]
    return [type(value)(), LOST]


def changed(raw: Raw, path: Path, value: Any, forged: bool) -> bytes:
    """The trace with another value at the path, or without it. forged: with the id and the digest made again."""
    copy = deepcopy(raw)
    holder: Any = copy
    for part in path[:-1]:
        holder = holder[part]
    if value is LOST:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    if forged and path[0] != "game_id" and isinstance(copy.get("config"), dict):
        copy["game_id"] = configured_id(copy["config"])
    return sealed(copy) if forged else json.dumps(copy).encode()


def tables(text: bytes) -> dict[str, Any] | None:
    """The trace's tables; None where it is rejected."""
    try:
        return derive_frames(ingest(decode_trace(text), "t.json"), Recipe())[0]
    except TraceError:
        return None


def alters(before: dict[str, Any], after: dict[str, Any] | None) -> bool:
    """Whether any table has other rows, the game's id aside."""
    return after is not None and any(
        not before[name].drop("game_id", strict=False).equals(after[name].drop("game_id", strict=False))
        for name in before
    )


def notices(text: bytes, suites: Suites) -> bool:
    """Whether the auditor says more of the trace than notes."""
    return any(d.severity != NOTE for d in audit_trace(text, "t.json", suites).divergences)


def campaign(raw: Raw, suites: Suites, of_each: int, draws: Random, forged: bool) -> Iterator[Tried]:
    """Changes at so many places of each shape, those that alter a table. forged: with id and digest made again."""
    before = tables(json.dumps(raw).encode())
    assert before is not None
    by_shape: dict[str, list[Path]] = defaultdict(list)
    for path in places(raw):
        by_shape[shape(raw, path)].append(path)
    for place, paths in by_shape.items():
        for path in draws.sample(paths, min(of_each, len(paths))):
            value = raw
            for part in path:
                value = value[part]
            for other in others(value):
                text = changed(raw, path, other, forged)
                if alters(before, tables(text)):
                    what = "lost" if other is LOST else f"{value!r:.30} → {other!r:.30}"
                    yield Tried(place, what, notices(text, suites))


def unnoticed(tried: Sequence[Tried]) -> Counter[str]:
    """How many changes went unnoticed, by place."""
    return Counter(t.place for t in tried if not t.noticed)
