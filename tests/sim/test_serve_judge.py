"""The stub's judge: what it answers, and to which names."""

import json
import urllib.error
import urllib.request

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.models.serve.negotiator import MODEL, judge, refusal
from tests.sim.stub import LIMIT, stub


def asked(**question):
    return [{"role": "system", "content": "Read."}, {"role": "user", "content": json.dumps(question)}]


def claims(message, sender=1, slots=16):
    return json.loads(judge(asked(sender=sender, agents=5, slots=slots, message=message)))["claims"]


# One row a message of agent 1: the claims as target, slot, class, and the sentence each rests on.
EXAMPLES = [
    ("I'm free at slot 3. Are you?", [(1, 3, "positive", "I'm free at slot 3.")]),
    (
        "Slots 3 and 4 are blocked.\nAgent 2 can do slot 5!",
        [
            (1, 3, "negative", "Slots 3 and 4 are blocked."),
            (1, 4, "negative", "Slots 3 and 4 are blocked."),
            (2, 5, "positive", "Agent 2 can do slot 5!"),
        ],
    ),
    (
        "My errand at slot 2 would have to move — sorry.",
        [(1, 2, "occupied", "My errand at slot 2 would have to move — sorry.")],
    ),
    ("Slot 40 is free.", []),
    ("Thanks!", []),
    ("", []),
    ('{"sd": "propose", "slot": 3}', []),
]


@pytest.mark.parametrize(("message", "expected"), EXAMPLES)
def test_it_claims_what_the_simulated_speakers_would_understand(message, expected):
    assert [tuple(claim.values()) for claim in claims(message)] == expected


WORDS = (
    "slot 3",
    "slots 4-6",
    "I am",
    "I would",
    "free",
    "busy",
    "errand",
    "Agent 2",
    "?",
    ".",
    "!",
    "\n",
    "—",
    "İ",
    "’",
    "\ud800",
)


@given(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join) | st.text(st.characters(), max_size=60))
def test_every_quote_stands_in_the_message(message):
    assert all(claim["quote"] in message for claim in claims(message))


@pytest.mark.parametrize(
    "messages",
    [[], [{}], [{"role": "user", "content": "hello"}], asked(sender=1), asked(sender="x", slots=1, message="")],
)
def test_what_is_no_question_claims_nothing(messages):
    assert judge(messages) == '{"claims": []}'


@pytest.mark.parametrize("name", [MODEL, f"openai/{MODEL}", "simulated-anything"])
def test_it_answers_to_names_that_say_that_it_is_simulated(name):
    assert refusal(name) is None


@pytest.mark.parametrize("name", ["", "judge", "stub", "gpt-5.4-mini", "not-simulated-judge", "simulated-/judge"])
def test_it_answers_to_no_other_name(name):
    body = {"model": name, "messages": asked(sender=1, agents=5, slots=16, message="Slot 3 is free.")}
    with stub(style="judge") as server:
        request = urllib.request.Request(f"{server.address}/chat/completions", json.dumps(body).encode())
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=LIMIT)
        assert refused.value.code == 404
        assert "simulated-judge" in refused.value.read().decode()
        refused.value.close()
        with urllib.request.urlopen(f"{server.address}/models", timeout=LIMIT) as response:
            assert json.load(response)["data"][0]["id"] == MODEL
