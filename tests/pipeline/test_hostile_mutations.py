"""However a good trace is damaged, it gives rows or a rejection, and never anything that nobody foresaw."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from trace_builder import toy_game

from pipeline.derive.parallel import Recipe, derive_frames
from pipeline.derive.rows import Rejection, rejection, unexpected_failure
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import TraceError, decode_trace

GOOD = toy_game().group(1, 0, [1, 2], {"dsm": "proposals", "slots": [1]}).text()

NUMBERS = st.sampled_from([-1, 0, 1, 2, 3, 4, 99, 10**6, 10**9, 2**63, -(2**70), 10**30, 0.5, 1e300, -0.0])
TEXTS = st.sampled_from(
    ["", "0", "=1", "Slot  0: [FREE]", "\x00", "\u202e", "a" * 300, '{"imap": "costs", "costs": {"0": 1}}']
)
ODD = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.one_of(ODD, st.lists(ODD, max_size=3), st.dictionaries(TEXTS, ODD, max_size=3))


def read(text: bytes) -> Rejection | None:
    """Derive everything from the text; its rejection, or None for one that has rows."""
    try:
        rows = ingest(decode_trace(text), "x.json")
    except TraceError as error:
        return rejection("x.json", error)
    frames, stumbled = derive_frames(rows, Recipe())
    assert stumbled == []
    assert frames["games"].height == 1
    return None


def places(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [before, *(place for key, item in items for place in places(item, (*before, key)))]


PLACES = places(json.loads(GOOD))[1:]


def replaced(changes: list[tuple[tuple[Any, ...], Any]]) -> bytes:
    content = json.loads(GOOD)
    for place, value in changes:
        found = content
        try:
            for step in place[:-1]:
                found = found[step]
            found[place[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    return json.dumps(content).encode()


def test_the_good_trace_is_read() -> None:
    assert read(GOOD) is None


@given(st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_flipped_bytes_give_rows_or_a_rejection(flips: list[tuple[int, int]]) -> None:
    damaged = bytearray(GOOD)
    for at, byte in flips:
        damaged[at] = byte
    read(bytes(damaged))


@given(st.integers(0, len(GOOD) - 1))
def test_a_trace_cut_off_is_rejected(length: int) -> None:
    rejected = read(GOOD[:length])
    assert rejected
    assert rejected.place


@given(st.lists(st.tuples(st.sampled_from(PLACES), VALUES), min_size=1, max_size=2))
def test_other_values_give_rows_or_a_rejection_with_its_place(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    rejected = read(replaced(changes))
    assert rejected is None or rejected.place


@given(st.lists(st.integers(0, len(json.loads(GOOD)["events"]) - 1), min_size=1, max_size=20))
def test_events_left_out_repeated_or_out_of_order_give_rows_or_a_rejection(order: list[int]) -> None:
    content = json.loads(GOOD)
    content["events"] = [content["events"][i] for i in order]
    read(json.dumps(content).encode())


def test_what_nobody_foresaw_is_a_rejection_too() -> None:
    rows = ingest(decode_trace(GOOD), "x.json")
    bad = ingest(decode_trace(toy_game("bad").text()), "bad.json")
    bad["messages"] *= 2
    frames, stumbled = derive_frames({table: rows[table] + bad[table] for table in rows}, Recipe())
    assert [path for path, _, _ in stumbled] == ["bad.json"]
    assert frames["games"]["game_id"].to_list() == ["game-1"]
    assert unexpected_failure(KeyError("a")).reason == "cannot be derived: KeyError: 'a'"
