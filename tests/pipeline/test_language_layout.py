"""What layout says: calendars drawn in marks, rows without a header, keys and values, options; and what is silent."""

import pytest

from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.rules import RULES

SLOTS = 16
PYTHON = "{'agent_2': {'free': [4], 'blocked': [5]}}"


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
        ("(o = open, x = taken): oxxxxxxxxxxxxxxo", own(positive={0, 15}, negative=LEFT - {0, 15})),
        ("My day 👉 " + "🟩🟥" * 8, own(positive=set(range(0, 16, 2)), negative=set(range(1, 16, 2)))),
        ("Slots 4–7: 🟥🟥🟩🟨 (🟨 = errand)", own(negative={4, 5}, positive={6}, occupied={7})),
        ("      4 5 6 7\nAgent 1: F B F B\nAgent 2: B B B F\nF free, B busy", None),
        ("legend: 🆓 = nothing there, 🧳 = errand\n4 🆓 / 5 🧳", own(positive={4}, occupied={5})),
        ("✅ = I'm free, ❌ = I'm not\n| 3 | ✅ |\n| 4 | ❌ |", FREE_AND_NOT),
        ("sl,st\n3,fr\n4,bs\n(fr = free; bs = busy)", FREE_AND_NOT),
    ],
)
def test_a_calendar_may_be_drawn_with_a_mark_a_slot(message: str, rows: dict[tuple[int, str], set[int]] | None) -> None:
    agents = {(1, "positive"): {4, 6}, (1, "negative"): {5, 7}, (2, "negative"): {4, 5, 6}, (2, "positive"): {7}}
    assert said(message) == (agents if rows is None else rows)


@pytest.mark.parametrize(
    "message",
    [
        "SLOT  MINE\ns3    free\ns4    busy",
        "slot 3 | free\nslot 4 | busy",
        "[03] free\n[04] busy",
        "slot 3 ....... free\nslot 4 ....... busy",
        "slot;state\n3;free\n4;busy",
        "<table><tr><th>Slot</th><th>State</th></tr><tr><td>3</td><td>free</td></tr><tr><td>4</td><td>busy</td></tr></table>",
        "| question | answer |\n|---|---|\n| slot 3 free? | yes |\n| slot 4 free? | no |",
        "yes - 3\nnope - 4",
        "FREE 3\nBUSY 4",
        "- [x] slot 3\n- [ ] slot 4",
        "free: [3]  busy: [4]",
        "(3, free), (4, busy)",
        "▪️ 3 – free\n▪️ 4 – booked",
        "Slot 3: ~~busy~~ free\nSlot 4: ~~free~~ busy",
        '{"slots": [{"id": 3, "state": "free"}, {"id": 4, "state": "busy"}]}',
        "{free: [3], busy: [4]}",
        "slots:\n- id: 3\n  status: free\n- id: 4\n  status: busy",
        "[free] 3\n[busy] 4",
        '{"slot": 3, "free": "probably"} and {"slot": 4, "free": "unlikely"}',
        '[{"slot": 3, "old": "busy", "new": "free"}, {"slot": 4, "old": "free", "new": "busy"}]',
        "Here you go:\n- slot 3: free\n- slot 4: busy",
        "Kindly find my status below:\n1. Slot 3 – available\n2. Slot 4 – unavailable",
    ],
)
def test_one_calendar_in_many_layouts_says_the_same(message: str) -> None:
    assert said(message) == FREE_AND_NOT


@pytest.mark.parametrize(
    ("message", "rows"),
    [
        ("busy: all except 2, 3", own(negative=LEFT - {2, 3}, positive={2, 3})),
        ("free: any\nexcept: 4, 10", own(positive=LEFT - {4, 10}, negative={4, 10})),
        ("FREE: 1,2\nBUSY: rest", own(positive={1, 2}, negative=LEFT - {1, 2})),
        ('{"default": "blocked", "overrides": {"7": "free"}}', own(positive={7}, negative=LEFT - {7})),
        (
            "| from | to | state |\n|--|--|--|\n| 0 | 2 | free |\n| 6 | 6 | busy |",
            own(positive={0, 1, 2}, negative={6}),
        ),
        ('{"free": "0-2"}', own(positive={0, 1, 2})),
        ("# free slots per agent\nA0: 2 5\nA3: 5", {(0, "positive"): {2, 5}, (3, "positive"): {5}}),
        ("agent_2.free = 8, 9\nagent_4.busy = 9", {(2, "positive"): {8, 9}, (4, "negative"): {9}}),
        ("source: Agent 2\nabout: Agent 4\ninfo: not free in slot 13", {(4, "negative"): {13}}),
        ('{"relay_from": "Agent 1", "unavailable": [6]}', {(1, "negative"): {6}}),
        ('{"forwarded_from": "Agent 2", "text": "I\'m busy at slot 3"}', {(2, "negative"): {3}}),
        ("> Agent 1: slot 4 is free\n> Agent 2: slot 4 is busy", {(1, "positive"): {4}, (2, "negative"): {4}}),
        (PYTHON, {(2, "positive"): {4}, (2, "negative"): {5}}),
        ("Agent 0 → 10 ✅ 11 ❌", {(0, "positive"): {10}, (0, "negative"): {11}}),
        ("Agent 2 👎 slot 5, me 👍 slot 5", {(2, "negative"): {5}, (9, "positive"): {5}}),
        ("Option A: slot 4, free\nOption B: slot 9, busy\nI vote A.", own(positive={4}, negative={9}, proposal={4})),
        ("slot 4 ✔ (my side confirmed)", own(proposal={4})),
        ("| Free | Could move |\n|---|---|\n| 0, 4 | 7 |", own(positive={0, 4}, occupied={7})),
        ("Slot | Moving cost for me\n---- | ----\n6 | 2\n13 | 0 (nothing there)", own(cost={6}, positive={13})),
        ("- **Middle block (slots 5–9):** free", own(positive={5, 6, 7, 8, 9})),
    ],
)
def test_keys_columns_and_options_say_whose_slots(message: str, rows: dict[tuple[int, str], set[int]]) -> None:
    assert said(message) == rows


@pytest.mark.parametrize(
    "message",
    [
        "| agent | slots free (count) |\n|---|---|\n| 3 | 5 |",
        '{"free_slots": 5, "busy_slots": 11}',
        "Number of free slots\nA0: 5\nA1: 7",
        "Cost per agent\nA0: 5\nA1: 9",
        "~~slot 4 works~~ ~~5 is free~~",
        "todo: reply to Agent 3\nopen_questions: 2",
        "Option A: slot 3\nOption B: slot 5\nWhich do you pick, A or B?",
        "- [x] ask Agent 2\n- [ ] confirm a slot",
        "F B B E F (F free, B busy, E errand)",  # of which slots, nobody says
        "Thanks ✅✅✅✅ talk soon, it's 4 o'clock!",
    ],
)
def test_layout_that_counts_or_names_no_slot_is_silent(message: str) -> None:
    assert said(message) == {}


def test_two_pictures_with_words_are_no_legend() -> None:
    assert said("Slot 4 sounds good 🎉 works for me, 😀 no errands") == own(positive={4})
