"""What must not change what a message claims: other numbers, harmless words, layout, spelling, upper case."""

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.rules import RULES
from tests.pipeline.gold import Example, gold

SENDER = 3
Claims = frozenset[tuple[int, int, str]]


def read(message: str, sender: int = SENDER) -> Claims:
    """Target, slot and class of each claim."""
    return frozenset((c[0], c[1] or 0, c[2]) for c in language_claims(message, sender, RULES["paper"]))


def signs(message: str) -> frozenset[tuple[int, int, bool]]:
    """Target and slot of each claim, and whether it speaks for the slot."""
    claims = language_claims(message, SENDER, RULES["paper"])
    return frozenset((c[0], c[1] or 0, c[3] > 0.5) for c in claims)


EXAMPLES = [example for name in ("third_wording", "fourth_wording") for example in gold(name)]
NUMBER = re.compile(r"\d+")


def renumbered(example: Example) -> str:
    """The message with every slot, agent and whatever else is counted one higher."""
    return NUMBER.sub(lambda number: str(int(number[0]) + 1), example.message)


def test_other_numbers_change_slots_and_agents_and_nothing_else() -> None:
    turned = []
    for example in EXAMPLES:
        moved = {(target + 1, slot + 1, said) for target, slot, said in read(example.message, example.sender)}
        # "Before slot 6" then has one slot more, the first.
        if {claim for claim in read(renumbered(example), example.sender + 1) if claim[1]} != moved:
            turned.append(example.message)
    assert turned == []


def test_upper_case_changes_nothing() -> None:
    turned = [e.message for e in EXAMPLES if read(e.message.upper(), e.sender) != read(e.message, e.sender)]
    assert turned == []


CLAIMS = (
    ("I'm free at slot 5", {(3, 5, True)}),
    ("Slot 5 works for me", {(3, 5, True)}),
    ("Slots 5 and 7 are open", {(3, 5, True), (3, 7, True)}),
    ("Agent 1 is free at slot 5", {(1, 5, True)}),
    ("Agent 1 and I can both do slot 5", {(1, 5, True), (3, 5, True)}),
    ("I'm busy at slot 5", {(3, 5, False)}),
    ("Slot 5 doesn't work for me", {(3, 5, False)}),
    ("Agent 2 can't make slot 5", {(2, 5, False)}),
    ("I have an errand at slot 5", {(3, 5, False)}),
)
FREE_ONLY = (
    *(" (no displacement)", " with no rescheduling", " at no cost", ": nothing to move", " without moving anything"),
    *(" with zero displacement", ", no rescheduling involved", " and it needs no rearranging", " with minimal effort"),
    *(" and nothing has to move", ", which costs me nothing", " with hardly any effort", ", no errands there"),
)
HARMLESS = (
    *(
        ", thanks",
        " 🙂",
        " as discussed",
        " today",
    ),
    *(
        "! Let me know what you think",
        " (as I said before)",
        " indeed",
    ),
)
AHEAD = (
    "Hi all, ",
    "Quick update - ",
    "As far as I can see, ",
    "FYI: ",
)


@pytest.mark.parametrize(("claim", "expected"), CLAIMS)
def test_no_harmless_words_turn_a_sign(claim: str, expected: set[tuple[int, int, bool]]) -> None:
    feasible = all(sign for *_, sign in expected)
    written = [claim + more for more in HARMLESS + (FREE_ONLY if feasible else ())] + [more + claim for more in AHEAD]
    assert [text for text in written if signs(text) != expected] == []


STATES = {"free": "positive", "busy": "negative", "errand": "occupied"}
SAID = {"free": "is free", "busy": "is busy", "errand": "has an errand"}
Calendars = dict[int, dict[int, str]]


def name(agent: int) -> str:
    return "Me" if agent == SENDER else f"Agent {agent}"


def in_sentences(calendars: Calendars) -> str:
    who = {
        agent: ("I am", "I have") if agent == SENDER else (f"Agent {agent} is", f"Agent {agent} has")
        for agent in calendars
    }
    return " ".join(
        f"{who[agent][1]} an errand at slot {slot}."
        if state == "errand"
        else f"{who[agent][0]} {state} at slot {slot}."
        for agent, calendar in calendars.items()
        for slot, state in calendar.items()
    )


def in_lists(calendars: Calendars) -> str:
    return "\n\n".join(
        f"**{name(agent)}**\n" + "\n".join(f"- Slot {slot}: {state}" for slot, state in calendar.items())
        for agent, calendar in calendars.items()
    )


def by_state(calendars: Calendars) -> str:
    lines = []
    for agent, calendar in calendars.items():
        lines.append(f"{name(agent)}:")
        for state in dict.fromkeys(calendar.values()):
            lines.append(f"- {state}: " + ", ".join(str(slot) for slot in calendar if calendar[slot] == state))
    return "\n".join(lines)


def in_rows(calendars: Calendars) -> str:
    slots = list(next(iter(calendars.values())))
    head = f"| Agent | {' | '.join(f'Slot {slot}' for slot in slots)} |\n|{'---|' * (len(slots) + 1)}\n"
    return head + "\n".join(
        f"| {name(agent)} | {' | '.join(calendar.values())} |" for agent, calendar in calendars.items()
    )


def in_columns(calendars: Calendars) -> str:
    head = f"| Slot | {' | '.join(map(name, calendars))} |\n|:-{'|:-' * len(calendars)}|\n"
    slots = next(iter(calendars.values()))
    return head + "\n".join(
        f"| {slot} | {' | '.join(calendar[slot] for calendar in calendars.values())} |" for slot in slots
    )


def with_marks(calendars: Calendars) -> str:
    marks = {"free": "F", "busy": "B", "errand": "E"}
    marked = {agent: {slot: marks[state] for slot, state in calendar.items()} for agent, calendar in calendars.items()}
    return in_columns(marked) + "\n\nF = free, B = busy, E = errand"


def in_json(calendars: Calendars) -> str:
    return json.dumps([{"agent": agent, "calendar": calendar} for agent, calendar in calendars.items()])


def in_fields(calendars: Calendars) -> str:
    return json.dumps(
        [
            {"agent": a, "slot": slot, "status": state}
            for a, calendar in calendars.items()
            for slot, state in calendar.items()
        ],
        indent=2,
    )


LAYOUTS = (in_sentences, in_lists, by_state, in_rows, in_columns, with_marks, in_json, in_fields)
SLOTS = st.lists(st.integers(0, 15), min_size=2, max_size=3, unique=True)


@st.composite
def calendars(draw: st.DrawFn) -> Calendars:
    """What two or three agents, the sender among them, have in the same slots."""
    slots = draw(SLOTS)
    agents = [SENDER, *draw(st.lists(st.sampled_from([0, 1, 2, 4]), min_size=1, max_size=2, unique=True))]
    return {agent: {slot: draw(st.sampled_from(sorted(STATES))) for slot in slots} for agent in agents}


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=8, deadline=None)
@given(calendars())
def test_a_table_a_list_and_a_sentence_say_the_same(layout: Callable[[Calendars], str], said: Calendars) -> None:
    expected = {
        (agent, slot, f"language_{STATES[state]}")
        for agent, calendar in said.items()
        for slot, state in calendar.items()
    }
    assert read(layout(said)) == expected
