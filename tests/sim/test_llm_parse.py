import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.models.parse import LONGEST, parse

DM = {"type": "dm", "to": 1, "content": "Slots 3 and 12?"}
PUT = {"type": "schedule", "meeting_id": 1, "slot": 12}
EMPTY = '{"thinking": "", "actions": []}'
GOOD = json.dumps({"thinking": "hm", "actions": [DM, PUT]})

# One row an answer: the text, the actions read from it, and how it was read.
EXAMPLES = [
    (GOOD, [DM, PUT], "strict"),
    (f"  \n{GOOD}\n", [DM, PUT], "strict"),
    (EMPTY, [], "strict"),
    (f"Sure! Here it is:\n{GOOD}\nDone.", [DM, PUT], "repaired: prose around the JSON"),
    (f"```json\n{GOOD}\n```", [DM, PUT], "repaired: code fence"),
    (f"I think:\n```\n{GOOD}\n```", [DM, PUT], "repaired: code fence"),
    (f"{EMPTY}\nNo, rather:\n{GOOD}", [DM, PUT], "repaired: several JSON objects, the last one taken"),
    (f"A set {{1, 2}} of slots. {GOOD}", [DM, PUT], "repaired: prose around the JSON"),
    (GOOD[:-3], [DM], "repaired: cut JSON, an incomplete action dropped"),
    (GOOD[:-2], [DM, PUT], "repaired: cut JSON"),
    (GOOD[:60], [], "repaired: cut JSON, an incomplete action dropped"),
    (f"```json\n{GOOD[:-3]}", [DM], "repaired: cut JSON, an incomplete action dropped"),
    (GOOD.replace('"thinking"', "'thinking'"), [DM, PUT], "repaired: malformed JSON"),
    (GOOD[:-2] + ",]}", [DM, PUT], "repaired: malformed JSON"),
    (json.dumps([DM]), [DM], "repaired: a bare list of actions"),
    ("[]", [], "repaired: a bare list of actions"),
    (json.dumps(PUT), [PUT], "repaired: a bare action"),
    (json.dumps({"actions": [PUT]}), [PUT], "repaired: no thinking"),
    (json.dumps({"thinking": 5, "actions": [PUT]}), [PUT], "repaired: the thinking is a number"),
    (json.dumps({"thinking": "", "actions": PUT}), [PUT], "repaired: a single action outside a list"),
    (json.dumps({"thinking": "", "actions": [], "mood": 1}), [], "repaired: keys beyond thinking and actions left out"),
    (json.dumps({"thinking": "", "actions": ["dm"]}), ["dm"], "strict"),
    ("", [], "refused: the answer is empty"),
    (" \n ", [], "refused: the answer is empty"),
    ("I'd rather not say.", [], "refused: the answer holds no JSON object"),
    ("5", [], "refused: the answer is a number, not an object with thinking and actions"),
    ("[1]", [], "refused: the answer is a list, not an object with thinking and actions"),
    ('{"thinking": "let me see', [], "refused: the answer is cut off before its actions"),
    (json.dumps({"thinking": "x"}), [], "refused: the answer has no actions"),
    (json.dumps({"thinking": 5, "actions": "none"}), [], "refused: the actions are text, not a list"),
    (json.dumps({"thinking": "", "actions": None}), [], "refused: the actions are null, not a list"),
    (GOOD + " " * LONGEST, [], f"refused: the answer has {len(GOOD) + LONGEST} characters, more than {LONGEST}"),
    ('{"actions": ' + "[" * 4000, [], "repaired: cut JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "actions", "how"), EXAMPLES, ids=[e[2][:40] + e[0][:12] for e in EXAMPLES])
def test_an_answer_is_read_strictly_repaired_or_refused(text, actions, how):
    parsed = parse(text)
    assert (parsed.actions, parsed.how) == (actions, how)


def test_a_cut_number_is_never_taken_for_a_whole_one():
    cut = '{"thinking": "", "actions": [{"type": "schedule", "meeting_id": 1, "slot": 1'
    assert parse(cut).actions == []


def test_thinking_survives_a_cut_answer():
    assert parse(GOOD[:-3]).thinking == "hm"


@pytest.mark.parametrize("value", [10**30, -(10**30), float("nan"), "half \ud800 a pair"])
def test_what_no_trace_can_hold_becomes_text(value):
    parsed = parse(json.dumps({"thinking": "", "actions": [{"slot": value}]}))
    assert isinstance(parsed.actions[0]["slot"], str)
    assert parsed.how.startswith("repaired: a value that no trace can hold")
    msgspec.json.encode(parsed)


@given(st.integers(0, len(GOOD)), st.integers(0, len(GOOD)))
def test_any_piece_of_an_answer_gives_only_actions_that_were_in_it(a, b):
    parsed = parse(GOOD[min(a, b) : max(a, b)])
    assert all(action in ([DM, PUT]) for action in parsed.actions)


@given(st.text(max_size=200))
def test_any_text_is_read_somehow_and_can_be_recorded(text):
    msgspec.json.encode(parse(text))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=8))
def test_any_json_value_is_read_somehow_and_can_be_recorded(value):
    msgspec.json.encode(parse(json.dumps({"thinking": value, "actions": [{"type": "dm", "content": value}]})))
