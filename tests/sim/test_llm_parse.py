import json
import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.models.parse import LONGEST, parse

DM = {"type": "dm", "to": 1, "content": "Slots 3 and 12?"}
PUT = {"type": "schedule", "meeting_id": 1, "slot": 12}
EMPTY = '{"thinking": "", "actions": []}'
GOOD = json.dumps({"thinking": "hm", "actions": [DM, PUT]})

BEGUN = "repaired: several JSON objects, the one that the answer begins with taken"
OPEN = "refused: several lists of actions, and it is open which is meant"

# One row an answer: the text, the actions read from it, and how it was read.
EXAMPLES = [
    (GOOD, [DM, PUT], "strict"),
    (f"  \n{GOOD}\n", [DM, PUT], "strict"),
    (EMPTY, [], "strict"),
    (f"Sure! Here it is:\n{GOOD}\nDone.", [DM, PUT], "repaired: prose around the JSON"),
    (f"```json\n{GOOD}\n```", [DM, PUT], "repaired: code fence"),
    (f"I think:\n```\n{GOOD}\n```", [DM, PUT], "repaired: code fence"),
    (f"{GOOD}\nNot as they:\n{EMPTY}", [DM, PUT], BEGUN),
    (f"```json\n{GOOD}\n```\nNot as they:\n```\n{EMPTY}\n```", [DM, PUT], BEGUN),
    (f"{GOOD}\nNot as they:\n```json\n{EMPTY}\n```", [DM, PUT], BEGUN),
    (f"{json.dumps([DM])} and not {EMPTY}", [DM], f"{BEGUN}, a bare list of actions"),
    (f"{GOOD}\nAgain: {GOOD}", [DM, PUT], "repaired: prose around the JSON"),
    (f"They: {EMPTY}\nI, rather:\n{GOOD}", [], OPEN),
    (f"They: {EMPTY}\nI, rather:\n```json\n{GOOD}\n```", [], OPEN),
    (f"They: ```{EMPTY}```, I: ```{GOOD}```", [], OPEN),
    (f"They: {GOOD}\nI: {EMPTY[:-2]}", [], OPEN),
    (f"{json.dumps(PUT)} and not {EMPTY}", [], OPEN),
    (EMPTY.replace('"', "'") + f" and not {GOOD}", [], OPEN),
    (f'{{"thinking": "they said "{GOOD}", no", "actions": []}}', [], OPEN),
    (f'{{thinking: "they: ", actions: []}} {GOOD}', [], OPEN),
    (f'They: {{"actions": [{json.dumps(PUT)},]}} I: {{"actions": [,]}}', [], OPEN),
    (f'A list of actions: {GOOD}', [DM, PUT], "repaired: prose around the JSON"),
    (f"A set {{1, 2}} of slots. {GOOD}", [DM, PUT], "repaired: prose around the JSON"),
    (GOOD[:-3], [], "refused: the answer is cut off"),
    (GOOD[:-2], [], "refused: the answer is cut off"),
    (f"```json\n{GOOD[:-3]}", [], "refused: the answer is cut off"),
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
    ('{"thinking": "let me see', [], "refused: the answer is cut off"),
    (json.dumps({"thinking": "x"}), [], "refused: the answer has no actions"),
    (json.dumps({"thinking": 5, "actions": "none"}), [], "refused: the actions are text, not a list"),
    (json.dumps({"thinking": "", "actions": None}), [], "refused: the actions are null, not a list"),
    (GOOD + " " * LONGEST, [], f"refused: the answer has more than {LONGEST} characters"),
    ('{"actions": ' + "[" * 4000, [], "refused: the answer is cut off"),
    ("{slot: free}" * 400, [], "refused: malformed JSON of 4800 characters; at most 4000 are repaired"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "actions", "how"), EXAMPLES, ids=[e[2][:40] + e[0][:12] for e in EXAMPLES])
def test_an_answer_is_read_strictly_repaired_or_refused(text, actions, how):
    parsed = parse(text)
    assert (parsed.actions, parsed.how) == (actions, how)


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


# One row a value of an action's integer: what it is read as, and whether that is a repair.
INTEGERS = [
    ("2", 2, True),
    (" 2 ", 2, True),
    (2.0, 2, True),
    ("2.0", 2, True),
    ("-1", -1, True),
    (2, 2, False),
    (2.5, 2.5, False),
    ("2.5", "2.5", False),
    ("two", "two", False),
    ("٢", "٢", False),
    ("", "", False),
    (True, True, False),
    (None, None, False),
    ([2], [2], False),
    (1e300, 1e300, False),
    ("9" * 30, "9" * 30, False),
]


@pytest.mark.parametrize("field", ["to", "meeting_id", "item_id", "slot", "from_slot", "to_slot"])
@pytest.mark.parametrize(("given", "read", "repaired"), INTEGERS)
def test_integers_written_as_text_or_with_a_point_are_read(field, given, read, repaired):
    parsed = parse(json.dumps({"thinking": "", "actions": [{"type": "x", "content": "2", field: given}]}))
    assert parsed.actions == [{"type": "x", "content": "2", field: read}]
    assert type(parsed.actions[0][field]) is type(read)
    assert parsed.how == ("repaired: integers written as text or with a point" if repaired else "strict")


PIECES = [
    "```",
    "```json",
    "\n",
    " ",
    "{",
    "[",
    "}",
    "]",
    '"',
    "'",
    "\\",
    ",",
    ":",
    "actions",
    '"actions": [',
    "{slot: free, …}",
]
PIECES += ["{slot: free, ", '{"type": "dm"},', "{a:", '{"a": "', "1", EMPTY, "actions:", "// "]


def seconds(text):
    """The least CPU time of two readings."""
    took = []
    for _ in range(2):
        began = time.thread_time()
        parse(text)
        took.append(time.thread_time() - began)
    return min(took)


def check_in_proportion(begin, unit, end):
    """Hold the time that an answer of 160,000 characters takes to that of one of 20,000, eight times as much."""
    short, long = (seconds(begin + unit * (n // len(unit)) + end) for n in (20_000, 160_000))
    assert long <= 20 * max(short, 0.01)


@pytest.mark.parametrize("unit", PIECES)
@pytest.mark.parametrize("begin", ["", "```", "```json\n{", '{"actions": [', '{"a": "'])
def test_reading_takes_time_in_proportion_to_the_length(begin, unit):
    check_in_proportion(begin, unit, "")


@settings(max_examples=40, deadline=None)
@given(*(st.lists(st.sampled_from(PIECES), min_size=n, max_size=4).map("".join) for n in (0, 1, 0)))
def test_reading_any_runaway_takes_time_in_proportion_to_the_length(begin, unit, end):
    check_in_proportion(begin, unit, end)
