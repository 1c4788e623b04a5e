"""Single changes of traces: each place of a trace changed by itself, and which that alter a table are noticed."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

import pytest
from audit_bases import PUBLIC, Raw, raw_of, sealed
from audit_suites import own_suite

from pipeline.derive.parallel import Recipe, derive_frames
from pipeline.traces.audit.auditor import audit_trace
from pipeline.traces.audit.divergences import ERROR
from pipeline.traces.audit.identity import configured_id
from pipeline.traces.audit.suites import Suites, read_suites
from pipeline.traces.audit.trace import LABEL
from pipeline.traces.ingest import ingest
from pipeline.traces.records import EVENTS, Config, Scenario
from pipeline.traces.trace import TraceError, decode_trace

pytestmark = pytest.mark.slow

LOST = object()
THIRDS = ("easy", "medium", "hard")
Path = tuple[str | int, ...]


class Tried(NamedTuple):
    """A change that altered a table: where, and whether the auditor noticed it by hand, and with id and digest made
    again."""

    place: str
    by_hand: bool
    forged: bool


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every value in a trace but the trace itself."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def absent(raw: Raw) -> Iterator[Path]:
    """The path of each field that the tables' readers know, where the trace does not have it."""
    yield from (("config", name) for name in Config.__struct_fields__ if name not in raw["config"])
    if isinstance(scenario := raw["config"].get("scenario"), dict):
        yield from (("config", "scenario", name) for name in Scenario.__struct_fields__ if name not in scenario)
    for number, event in enumerate(raw["events"]):
        if event["type"] in EVENTS:
            names = EVENTS[event["type"]].__struct_fields__
            yield from (("events", number, "data", name) for name in names if name not in event["data"])


def shape(raw: Raw, path: Path) -> str:
    """The path with the kinds of events for their numbers, and * for the numbers of other things."""
    if path[0] == "events" and len(path) > 1:
        kind = raw["events"][path[1]]["type"]
        return ".".join((f"events.{kind}", *(star(part) for part in path[2:])))
    return ".".join(map(star, path))


def star(part: str | int) -> str:
    return "*" if isinstance(part, int) or part.isdecimal() else part


def others(value: Any) -> list[Any]:
    """What a value is changed to, or a field that is not there is given."""
    if value is LOST:
        return [0, "other", [], [0], True]
    if isinstance(value, bool):
        return [not value, LOST]
    if isinstance(value, int):
        return [value + 1, max(0, value - 1), LOST]
    if isinstance(value, float):
        return [value + 0.25, LOST]
    if isinstance(value, str):
        named = [LABEL.sub(" private_label='other'", value)] if LABEL.search(value) else []
        return ["other", value + " ", LOST, *named, *(other for other in THIRDS if value in THIRDS and other != value)]
    if value is None:
        return [0, "other"]
    return [type(value)(), LOST]


def unlabelled(value: Any) -> Any:
    """The text without its private labels; another value as it is."""
    return LABEL.sub("", value) if isinstance(value, str) else value


def changed(raw: Raw, path: Path, value: Any) -> Raw:
    """The trace with another value at the path, or without it."""
    copy = deepcopy(raw)
    holder: Any = copy
    for part in path[:-1]:
        holder = holder[part]
    if value is LOST:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copy


def forged(raw: Raw, path: Path) -> bytes:
    """The changed trace with its id and its digest made again, unless these are what was changed."""
    if path[0] != "game_id" and isinstance(raw.get("config"), dict):
        raw = raw | {"game_id": configured_id(raw["config"])}
    return json.dumps(raw).encode() if path[0] == "record_sha256" else sealed(raw)


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
    """Whether the auditor finds an error in the trace."""
    return any(d.severity == ERROR for d in audit_trace(text, "t.json", suites).divergences)


def campaign(raw: Raw, suites: Suites, shapes: int, draws: Random) -> Iterator[Tried]:
    """Changes at one place of each of so many shapes, those that alter a table."""
    before = tables(json.dumps(raw).encode())
    assert before is not None
    by_shape: dict[str, list[Path]] = defaultdict(list)
    for path in (*places(raw), *absent(raw)):
        by_shape[shape(raw, path)].append(path)
    for place in draws.sample(sorted(by_shape), min(shapes, len(by_shape))):
        path = draws.choice(by_shape[place])
        value: Any = raw
        for part in path:
            value = LOST if isinstance(value, dict) and part not in value else value[part]
        for other in others(value):
            copy = changed(raw, path, other)
            text = json.dumps(copy).encode()
            if alters(before, tables(text)):
                what = f"{place} (label)" if unlabelled(other) == unlabelled(value) else place
                yield Tried(what, notices(text, suites), notices(forged(copy, path), suites))


# What no replay can know of a trace whose id and digest are made again: docs/audit.md says why.
UNKNOWABLE = tuple(
    re.compile(pattern)
    for pattern in (
        r"config\.(team|repeat|simulated|difficulty)",
        r"config\.(max_turns_per_round|decision_retries|dm_cap)",
        r"config\.agents\.\*(\.type|\.parameters.*)?",
        r"events\.(turn|decide)_end\.data\.(thinking|text|intent.*)",
        r"events\.(turn|decide)_end\.data\.usage(\.(cached_)?(in|out)put_tokens)?",
        r"events\.(turn|decide)_end\.data\.usage\.(cost_usd|priced_by|finish_reason|served_model|reasoning_tokens|from_cache)",
        r"stop_category",
    )
)
# Of a game of a task in no list, what more there is.
UNKNOWABLE_WITHOUT_LIST = (
    *UNKNOWABLE,
    re.compile(r"config\.(task_id|setting|density|condition|channels(\.\*)?)"),
    re.compile(r"config\.scenario\.optimal(_bound|\.assignments\.\*)"),
)
# Of a public trace, which has no id, no digest and, here, no list of tasks, what more there is.
UNKNOWABLE_IN_PUBLIC = (
    *UNKNOWABLE,
    re.compile(r"config(\.(max_turns_per_round|decision_retries|dm_cap|channels))?"),
    re.compile(r"config\.(task_id|setting|density|num_participants|condition|seed)"),
    re.compile(r"events\.(\w+\.data\.\w+ \(label\)|turn_start\.data\.prompt_sent)"),
    re.compile(r"events\.(turn|decide)_end\.data\.usage\.model"),
    re.compile(r"events\.game_start\.data\.(team_model_label|scenario_seed)"),
    re.compile(r"events\.agent_registered\.data\.(model|agent_type)"),
)
SHAPES = 40


@pytest.mark.parametrize("base", ["spoken", "prompted", "protocol"])
def test_a_change_that_alters_a_table_is_noticed_and_a_forger_s_but_for_what_nobody_can_know(
    base: str, tmp_path: Any
) -> None:
    suites = read_suites([own_suite(tmp_path, base)])
    tried = list(campaign(raw_of(base), suites, SHAPES, Random(base)))
    assert len(tried) > SHAPES / 4
    assert [t.place for t in tried if not t.by_hand] == []
    unnoticed = {t.place for t in tried if not t.forged}
    assert [place for place in sorted(unnoticed) if not any(p.fullmatch(place) for p in UNKNOWABLE)] == []


def test_without_a_list_a_forger_changes_no_more_than_what_only_a_list_knows() -> None:
    tried = list(campaign(raw_of("protocol"), {}, 2 * SHAPES, Random("no list")))
    assert len(tried) > SHAPES / 2
    assert [t.place for t in tried if not t.by_hand] == []
    unnoticed = {t.place for t in tried if not t.forged}
    assert [p for p in sorted(unnoticed) if not any(known.fullmatch(p) for known in UNKNOWABLE_WITHOUT_LIST)] == []


@pytest.mark.parametrize("base", PUBLIC)
def test_of_a_public_trace_only_what_nobody_can_know_goes_unnoticed(base: str) -> None:
    tried = list(campaign(raw_of(base), {}, 3 * SHAPES, Random(base)))
    assert len(tried) > SHAPES / 4
    unnoticed = {t.place for t in tried if not t.forged}
    assert [p for p in sorted(unnoticed) if not any(known.fullmatch(p) for known in UNKNOWABLE_IN_PUBLIC)] == []
