"""What layout says: calendars drawn in marks, rows without a header, keys and values, options; and what is silent."""

import pytest

from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.rules import RULES

SLOTS = 16


def said(message: str, sender: int = 9) -> dict[tuple[int, str], set[int]]:
    """(target, class) → slots."""
    rows: dict[tuple[int, str], set[int]] = {}
    for target, slot, source, *_ in language_claims(message, sender, RULES["paper"], SLOTS):
        rows.setdefault((target, source.removeprefix("language_")), set()).add(slot or 0)
    return rows


def own(**states: set[int]) -> dict[tuple[int, str], set[int]]:
    """What the sender says of its own slots, by class."""
    return {(9, state): slots for state, slots in states.items()}


FREE_AND_NOT = own(positive={3}, negative={4})
LEFT = set(range(SLOTS))


@pytest.mark.parametrize(
    ("message", "rows"),
    [
        ("0-7: □□■■□■■■\nwhite squares are free, black ones aren't", own(positive={0, 1, 4}, negative={2, 3, 5, 6, 7})),
        ("0 1 2 3 4\n. X X . X\n(X means taken, a dot means free)", own(positive={0, 3}, negative={1, 2, 4})),
        ("My day 👉 " + "🟩🟥" * 8, own(positive=set(range(0, 16, 2)), negative=set(range(1, 16, 2)))),
        ("Slots 4–7: 🟥🟥🟩🟨 (🟨 = errand)", own(negative={4, 5}, positive={6}, occupied={7})),
        ("      4 5 6 7\nAgent 1: F B F B\nAgent 2: B B B F\nF free, B busy", None),
        ("✅ = I'm free, ❌ = I'm not\n| 3 | ✅ |\n| 4 | ❌ |", FREE_AND_NOT),
    ],
)
def test_a_calendar_may_be_drawn_with_a_mark_a_slot(message: str, rows: dict[tuple[int, str], set[int]] | None) -> None:
    agents = {(1, "positive"): {4, 6}, (1, "negative"): {5, 7}, (2, "negative"): {4, 5, 6}, (2, "positive"): {7}}
    assert said(message) == (agents if rows is None else rows)


@pytest.mark.parametrize(
    "message",
    [
        "SLOT  MINE\ns3    free\ns4    busy",
        "slot;state\n3;free\n4;busy",
        "<table><tr><th>Slot</th><th>State</th></tr><tr><td>3</td><td>free</td></tr><tr><td>4</td><td>busy</td></tr></table>",
        "yes - 3\nnope - 4",
        "FREE 3\nBUSY 4",
        "- [x] slot 3\n- [ ] slot 4",
        "▪️ 3 – free\n▪️ 4 – booked",
        '{"slots": [{"id": 3, "state": "free"}, {"id": 4, "state": "busy"}]}',
        "[free] 3\n[busy] 4",
        '[{"slot": 3, "old": "busy", "new": "free"}, {"slot": 4, "old": "free", "new": "busy"}]',
        "Here you go:\n- slot 3: free\n- slot 4: busy",
    ],
)
def test_one_calendar_in_many_layouts_says_the_same(message: str) -> None:
    assert said(message) == FREE_AND_NOT


@pytest.mark.parametrize(
    ("message", "rows"),
    [
        ("busy: all except 2, 3", own(negative=LEFT - {2, 3}, positive={2, 3})),
        ('{"default": "blocked", "overrides": {"7": "free"}}', own(positive={7}, negative=LEFT - {7})),
        ('{"free": "0-2"}', own(positive={0, 1, 2})),
        ("# free slots per agent\nA0: 2 5\nA3: 5", {(0, "positive"): {2, 5}, (3, "positive"): {5}}),
        ('{"relay_from": "Agent 1", "unavailable": [6]}', {(1, "negative"): {6}}),
        ("> Agent 1: slot 4 is free\n> Agent 2: slot 4 is busy", {(1, "positive"): {4}, (2, "negative"): {4}}),
        ("Agent 0 → 10 ✅ 11 ❌", {(0, "positive"): {10}, (0, "negative"): {11}}),
        ("Option A: slot 4, free\nOption B: slot 9, busy\nI vote A.", own(positive={4}, negative={9}, proposal={4})),
        ("| Free | Could move |\n|---|---|\n| 0, 4 | 7 |", own(positive={0, 4}, occupied={7})),
        ("- **Middle block (slots 5–9):** free", own(positive={5, 6, 7, 8, 9})),
    ],
)
def test_keys_columns_and_options_say_whose_slots(message: str, rows: dict[tuple[int, str], set[int]]) -> None:
    assert said(message) == rows


@pytest.mark.parametrize(
    "message",
    [
        "| agent | slots free (count) |\n|---|---|\n| 3 | 5 |",
        "Number of free slots\nA0: 5\nA1: 7",
        "~~slot 4 works~~ ~~5 is free~~",
        "Option A: slot 3\nOption B: slot 5\nWhich do you pick, A or B?",
        "F B B E F (F free, B busy, E errand)",  # of which slots, nobody says
    ],
)
def test_layout_that_counts_or_names_no_slot_is_silent(message: str) -> None:
    assert said(message) == {}
