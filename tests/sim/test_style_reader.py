"""The speakers' own reader: it understands what speakers write, and survives what anybody else does."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.agents.english.reader import EASY, HARD, HEAVY, Reading, Shift, read
from sim.agents.english.writer import HELD_OUT, KINDS, OPEN, Part, Private, SlotHole, Writer, load_bank, statements

SLOTS = 16

CLAIMS = [
    ("I'm free at slots 3, 5 and 9.", {(0, 3, True), (0, 5, True), (0, 9, True)}),
    ("I’m not free at slot #4", {(0, 4, False)}),
    ("SLOT 7 WON'T WORK FOR ME, but slot 8 does work.", {(0, 7, False), (0, 8, True)}),
    ("Agent 3 is free at 4 and 7, but I can't do slot 4.", {(3, 4, True), (3, 7, True), (0, 4, False)}),
    ("Agent 3 and I can both do slot 6.", {(0, 6, True), (3, 6, True)}),
    ("I have an errand at slot 3 (cost=100).", {(0, 3, False)}),
    ("Moving it costs 5. Slot 3 would cost me 100.", {(0, 3, True)}),
    ("You're free at slot 3, right.", set()),
    ("If Agent 4 is available at slot 2, we're done.", set()),
    ("Agent 2 here? I'm not sure. Slot 99 works for me.", set()),
    ('{"imap": "costs", "meeting_id": 1, "costs": {"3": 1}}', set()),
]


def read_by_1(text):
    return read(text, 0, 1, SLOTS)


def claims(reading):
    return {(c.target, c.slot, KINDS[c.kind]) for c in reading.claims}


@pytest.mark.parametrize("text, expected", CLAIMS, ids=[t[:30] for t, _ in CLAIMS])
def test_a_message_claims_what_a_careful_reader_would_say(text, expected):
    assert claims(read_by_1(text)) == expected


@pytest.mark.parametrize("bank", [OPEN, HELD_OUT])
def test_the_reader_understands_almost_all_that_is_written(bank):
    right = wrong = 0
    for number, template in enumerate(t for templates in load_bank(bank).values() for t in templates):
        for seed in range(6):
            draws = Random(f"{number}:{seed}")
            one = any(isinstance(t, SlotHole) and t.name == "slot" for t in template.tokens)
            first, *more = draws.sample(range(SLOTS), 2 if one else 5)
            part = Part(
                template.act,
                (first,) if one else (first, *more[:-1]),
                (more[-1],),
                about=4,
                cost=draws.choice([1, 100, 1000]),
                errand=21,
                old=2,
                private=Private(first, "errand", 21, "Fetch the blue kite"),
            )
            text = Writer(0, 0.0, draws).filled(template, part, 1, 3)
            meant = {(s["target"], s["slot"], s["free"]) for s in statements(template, part, 0)}
            found = claims(read_by_1(text))
            right += len(meant & found)
            wrong += len(meant ^ found)
    assert right / (right + wrong) >= 0.95


COSTS = [
    ("Slot 3 would cost me 100.", 100, HARD),
    ("The cost of slots 3 and 4 is 1000 each on my side.", 1000, HARD),
    ("Slot 3 is easy to move.", None, EASY),
    ("Something important is at slot 3.", None, HEAVY),
]


@pytest.mark.parametrize("text, cost, weight", COSTS)
def test_costs_are_read_as_figures_and_as_words(text, cost, weight):
    claim = read_by_1(text).claims[0]
    assert (claim.slot, claim.cost, claim.weight) == (3, cost, weight)


def test_a_question_asks_and_a_probing_one_probes():
    asked, probing = read_by_1("Would slots 3 or 4 suit you?"), read_by_1("Why is slot 3 so hard to move?")
    assert (asked.asked, asked.asks, asked.probes) == ((3, 4), True, False)
    assert (probing.probed, probing.probes) == ((3,), True)


def test_a_request_to_move_a_meeting_names_it_and_both_slots():
    asked = read_by_1("Could you move meeting 2 from slot 5 to slot 8?")
    told = read_by_1("Please move meeting 2 out of slot 5. Let's lock in slot 8 for it.")
    assert (asked.shift, asked.shift_asked) == (Shift(2, 5, 8), True)
    assert (told.shift, told.shift_asked) == (Shift(2, 5, 8), False)


@pytest.mark.parametrize("bank", [OPEN, HELD_OUT])
def test_a_move_is_understood_in_the_message_that_settles_the_meeting(bank):
    for settle in load_bank(bank)["confirm"]:
        for move in load_bank(bank)["move_confirm"]:
            writer = Writer(0, 0.0, Random(7))
            texts = [
                writer.filled(settle, Part("confirm", (5,)), 1, 4),
                writer.filled(move, Part("move_confirm", (5,), (8,), old=2), 1, 4),
            ]
            reading = read_by_1(" ".join(texts))
            assert (reading.shift, reading.shift_asked, reading.refuses) == (Shift(2, 5, 8), False, False), texts
            assert set(reading.proposed) == {5, 8}


@given(st.text(max_size=200) | st.from_regex(r"(slots? #?[0-9]{1,9}|agent [0-9]+|cost|meeting 3|[-,.?]| ){1,30}"))
def test_any_text_can_be_read(text):
    reading = read(text, 0, 1, SLOTS)
    assert all(0 <= c.slot < SLOTS for c in reading.claims)


@pytest.mark.parametrize("text", ["slot 3 " * 150_000, "slots " + "1," * 500_000])
def test_a_megabyte_is_read_at_once(text):
    assert isinstance(read(text, 0, 1, SLOTS), Reading)
