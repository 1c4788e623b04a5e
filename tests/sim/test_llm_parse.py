import json
import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.models.parse import LONGEST, parse, parse_calls

DM = {"type": "dm", "to": 1, "content": "Slots 3 and 12?"}
PUT = {"type": "schedule", "meeting_id": 1, "slot": 12}
EMPTY = '{"thinking": "", "actions": []}'
GOOD = json.dumps({"thinking": "hm", "actions": [DM, PUT]})
DRAFT = json.dumps({"thinking": "draft", "actions": [{"type": "dm", "to": 2, "content": "My Monday is full."}]})

OPEN = "refused: several lists of actions, and it is open which is meant"
CUT = "refused: the answer is cut off"
THOUGHT = "refused: the answer ends within a thought"
NOT_ITS_KIND = "refused: malformed JSON, and an action of it is not as its kind asks"
CHANGED = "refused: malformed JSON, and a repair would change what it says"
PROSE, FENCE, MALFORMED = "repaired: prose around the JSON", "repaired: code fence", "repaired: malformed JSON"


def slot(written):
    return json.dumps({"thinking": "", "actions": [PUT]}).replace("12", written)


# One row an answer: the text, the actions read from it, and how it was read.
EXAMPLES = [
    (f"  \n{GOOD}\n", [DM, PUT], "strict"),
    (json.dumps({"actions": [PUT]}), [PUT], "strict"),
    (json.dumps({"thinking": "", "actions": ["dm"], "mood": 1}), ["dm"], "strict"),
    (f"Sure! Here it is:\n{GOOD}\nDone.", [DM, PUT], PROSE),
    (f"A set {{1, 2}} of slots, a list of actions: {GOOD}", [DM, PUT], PROSE),
    (f"{GOOD}\nAgain: {GOOD}", [DM, PUT], PROSE),
    (f"I think:\n```json\n{GOOD}\n```", [DM, PUT], FENCE),
    (f"{GOOD}\nNot as they:\n{EMPTY}", [], OPEN),
    (f"They: ```{EMPTY}```, I: ```{GOOD}```", [], OPEN),
    (f"They: {GOOD}\nI: {EMPTY[:-2]}", [], OPEN),
    (EMPTY.replace('"', "'") + f" and not {GOOD}", [], OPEN),
    (f'{{"thinking": "they said "{GOOD}", no", "actions": []}}', [], OPEN),
    (f'They: {{"actions": [{json.dumps(PUT)},]}} I: {{"actions": [,]}}', [], OPEN),
    # Thoughts.
    (f"<think>{DRAFT}</think>{GOOD}", [DM, PUT], "strict"),
    (f"\n<THINKING >\n{DRAFT}\n</thinking>\n\n```\n{GOOD}\n```", [DM, PUT], FENCE),
    (f"{DRAFT} No.\n</think>\n{EMPTY}", [], "strict"),
    (f"[THINK]{DRAFT}[/THINK]{GOOD}", [DM, PUT], "strict"),
    (f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{EMPTY}", [], "strict"),
    (f"<think>{DRAFT} or should I", [], THOUGHT),
    (f"<think>a</think>{DRAFT}<think>no,", [], THOUGHT),
    (f"<|channel|>analysis<|message|>{DRAFT}", [], THOUGHT),
    (f"{DRAFT}</think>\n", [], THOUGHT),
    (f"{DRAFT}\nHmm, is that wise? Let me", [], CUT),
    ('{"thinking": "</think> is a tag", "actions": []}', [], "strict"),
    # Malformed JSON.
    (GOOD.replace('"thinking"', "'thinking'"), [DM, PUT], MALFORMED),
    (GOOD[:-2] + ",]}", [DM, PUT], MALFORMED),
    ("{thinking: '', actions: [{type: 'schedule', meeting_id: 1, slot: 12}]}", [PUT], MALFORMED),
    ('{"thinking": "x" "actions": []}', [], MALFORMED),
    *((slot(odd), [], NOT_ITS_KIND) for odd in ("'12'", "12, 'at': 1")),
    *((slot(odd), [], CHANGED) for odd in ("2+3", "12 or 13", "15:00", "012", "twelve", "3]+1", "3 # or 4", "3 //\n")),
    (GOOD.replace("3 and 12?", '3" + "4'), [], CHANGED),
    (EMPTY.replace("]", f"], {json.dumps(DM)}]"), [], CHANGED),
    ('{"thinking": "", "actions": [...]}', [], CHANGED),
    ("{'actions': []}\nHmm, wait, let me", [], CUT),
    (GOOD[:-3], [], CUT),
    (f"```json\n{GOOD[:-3]}", [], CUT),
    ('{"actions": ' + "[" * 4000, [], CUT),
    ("{'actions': [" + " " * 4000 + "]}", [], "refused: malformed JSON of 4015 characters; at most 4000 are repaired"),
    # No envelope.
    ('{"actions": [1], "actions": []}', [], "refused: a key comes twice in one object"),
    (json.dumps([DM]), [], "refused: the answer is a list without actions"),
    (json.dumps(PUT), [], "refused: the answer is an object without actions"),
    (f"{json.dumps(DM)}\n{json.dumps(PUT)}", [], "refused: the answer has no list of actions"),
    (json.dumps({"thinking": "", "actions": PUT}), [], "refused: the actions are an object, not a list"),
    (" \n ", [], "refused: the answer is empty"),
    ("I'd rather not say.", [], "refused: the answer holds no JSON object"),
    (GOOD + " " * LONGEST, [], f"refused: the answer has more than {LONGEST} characters"),
    ('{"a' * 60, [], "refused: the answer has more than 50 braces outside of one JSON object"),
]


@pytest.mark.parametrize(("text", "actions", "how"), EXAMPLES, ids=[e[2][:40] + e[0][:12] for e in EXAMPLES])
def test_an_answer_is_read_strictly_repaired_or_refused(text, actions, how):
    parsed = parse(text)
    assert (parsed.actions, parsed.how) == (actions, how)


def test_where_the_provider_says_whether_an_answer_broke_off_its_last_words_don_t_count():
    assert parse(f"{GOOD}\nThank you", cut=False).actions == [DM, PUT]
    assert parse(f"{GOOD}\nThank you.", cut=True).how == CUT
    assert parse(GOOD, cut=True).how == "strict"


# One row the tool calls of an answer and the text beside them: actions, thinking, and how they were read.
CALLS = [
    ([GOOD], "\n\n", [DM, PUT], "hm", "strict"),
    ([GOOD, EMPTY, json.dumps({"actions": [PUT]})], "I do both.", [DM, PUT, PUT], "I do both.\nhm", "strict"),
    ([GOOD, GOOD.replace('"thinking"', "'thinking'")], "", [DM, PUT, DM, PUT], "hm\nhm", MALFORMED),
    ([GOOD, GOOD[:-3]], "", [], None, CUT),
    ([EMPTY], DRAFT, [], DRAFT, "strict"),
]


@pytest.mark.parametrize(("calls", "beside", "actions", "thinking", "how"), CALLS)
def test_tool_calls_are_the_answer_all_of_them_in_order(calls, beside, actions, thinking, how):
    parsed = parse_calls(calls, beside)
    assert (parsed.actions, parsed.thinking, parsed.how) == (actions, thinking, how)


@pytest.mark.parametrize("value", [10**30, float("nan"), "half \ud800 a pair"])
def test_what_no_trace_can_hold_becomes_text(value):
    parsed = parse(json.dumps({"thinking": "", "actions": [{"slot": value}]}))
    assert isinstance(parsed.actions[0]["slot"], str)
    assert parsed.how.startswith("repaired: a value that no trace can hold")
    msgspec.json.encode(parsed)


@given(st.integers(0, len(GOOD)), st.integers(0, len(GOOD)))
def test_any_piece_of_an_answer_gives_only_actions_that_were_in_it(a, b):
    parsed = parse(GOOD[min(a, b) : max(a, b)])
    assert all(action in ([DM, PUT]) for action in parsed.actions)


@given(st.text(max_size=200) | st.recursive(st.none() | st.floats() | st.text(), st.lists, max_leaves=8).map(repr))
def test_any_text_is_read_somehow_and_can_be_recorded(text):
    msgspec.json.encode(parse(text))
    msgspec.json.encode(parse(json.dumps({"thinking": text, "actions": [{"type": "dm", "content": text}]})))


# One row a value of an action's integer: what it is read as, and whether that is a repair.
INTEGERS = [
    *(("2", 2, True), (" 2 ", 2, True), (2.0, 2, True), ("2.0", 2, True), ("-1", -1, True), (2, 2, False)),
    *((v, v, False) for v in (2.5, "2.5", "two", "٢", "", True, None, [2], 1e300, "9" * 30)),
]


@pytest.mark.parametrize("field", ["to", "slot"])
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
    "{",
    "[",
    "}",
    '"',
    "\\",
    ",",
    "actions",
    '"actions": [',
    "{slot: free, …}",
    "<think>",
]
PIECES += [
    "{slot: free, ",
    '{"type": "dm"},',
    "{a:",
    '{"a": "',
    "1",
    EMPTY,
    "actions:",
    "// ",
    "</think>",
    "<|channel|>",
]


def seconds(text):
    """The least CPU time of two readings."""
    took = []
    for _ in range(2):
        began = time.thread_time()
        parse(text)
        took.append(time.thread_time() - began)
    return min(took)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["", "```json\n{", '{"actions": [', '{"a": "']),
    *(st.lists(st.sampled_from(PIECES), min_size=n, max_size=3).map("".join) for n in (1, 0)),
)
def test_reading_any_runaway_takes_time_in_proportion_to_the_length(begin, unit, end):
    short, long = (seconds(begin + unit * (n // len(unit)) + end) for n in (20_000, 160_000))
    assert long <= 20 * max(short, 0.01)
