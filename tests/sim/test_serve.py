import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from typer.testing import CliRunner

from sim.__main__ import app
from sim.models.serve.misbehave import KINDS, Fault, read_fault
from sim.models.serve.negotiator import STYLES, negotiate
from tests.sim.stub import LIMIT, stub

HELLO = {"model": "stub", "messages": [{"role": "user", "content": "hello"}]}
SYSTEM = {"role": "system", "content": "You are Agent 0. The agents of this game are: 0, 1."}
START = """\
=== ROUND 0 START ===

Meeting to schedule:
Meeting ID: 1
Participants: [0, 1]

Your calendar:
Slot 0: Errand #5 (cost=100) private_label='A "quoted" errand'
Slot 1: [FREE]
Slot 2: Blocked Errand #6 (cost=1)

Phase: CHEAP_TALK
CHEAP_TALK turn budget: turn 1 of 15. 14 turn(s) remain after this one."""


def post(server, body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.address}/chat/completions", data)
    with urllib.request.urlopen(request, timeout=LIMIT) as response:
        return json.load(response)


def content(answer):
    return answer["choices"][0]["message"]["content"]


def said(*messages, style="plain"):
    return json.loads(negotiate([SYSTEM, *({"role": "user", "content": m} for m in messages)], style))["actions"]


def test_it_answers_as_openai_does_and_the_same_to_the_same():
    with stub() as server:
        first, second = post(server, HELLO), post(server, HELLO)
        assert first == second
        assert json.loads(content(first)) == {"thinking": "0 action(s) now.", "actions": []}
        assert first["usage"]["total_tokens"] > 0
        with urllib.request.urlopen(f"{server.address}/models", timeout=LIMIT) as response:
            assert json.load(response)["data"][0]["id"] == "stub"
        assert server.requests == 2


@pytest.mark.parametrize("body", [b"", b"{", b"[]", {"model": "stub"}, {"messages": ["hi"]}])
def test_what_is_no_request_is_refused(body):
    with stub() as server, pytest.raises(urllib.error.HTTPError) as refusal:
        post(server, body)
    assert refusal.value.code == 400
    refusal.value.close()


def test_it_listens_on_this_machine_only():
    with stub() as server:
        assert server.runner.addresses[0][0] == "127.0.0.1"


def test_the_lead_offers_its_cheapest_slots():
    (message,) = said(START)
    assert message == {
        "type": "dm",
        "to": 1,
        "content": "For meeting 1 I can offer slots 1 and 0. How do they suit you?",
    }


def test_a_follower_grades_them_and_only_a_candid_one_names_its_label():
    told = START.replace("[0, 1]", "[1, 0]")
    me_second = [SYSTEM | {"content": "You are Agent 1."}, {"role": "user", "content": told}]
    me_second[1]["content"] += "\n\n[1] From Agent 0 (meeting 1): For meeting 1 I can offer slots 0, 1 and 2."
    answers = {s: json.loads(negotiate(me_second, s))["actions"] for s in STYLES}
    assert answers["plain"][0]["content"] == (
        "Slot 1 suit me well. Clearing slot 0 is inconvenient. I must rule out slot 2."
    )
    assert 'A "quoted" errand' in answers["candid"][0]["content"]
    assert answers["silent"] == []


def test_the_batch_moves_what_stands_in_the_settled_slot():
    start = START.replace("Participants: [0, 1]", "Participants: [0, 1]").replace("You", "Your")
    settled = '{"thinking": "", "actions": [{"type": "dm", "to": 1, "content": "Let us take slot 0 for meeting 1."}]}'
    messages = [
        SYSTEM,
        {"role": "user", "content": start},
        {"role": "assistant", "content": settled},
        {"role": "user", "content": "Phase: DECISION\nHand in your batch."},
    ]
    assert json.loads(negotiate(messages))["actions"] == [
        {"type": "reschedule", "item_id": 5, "from_slot": 0, "to_slot": 1},
        {"type": "schedule", "meeting_id": 1, "slot": 0},
    ]


@pytest.mark.parametrize("kind", ["cut", "prose", "fence", "empty", "types", "huge", "no-usage", "no-choices"])
def test_a_spoiled_answer_is_still_an_answer(kind):
    with stub() as good, stub(kind) as bad:
        assert post(good, HELLO) != post(bad, HELLO)


def test_a_fault_of_counts_and_one_that_leaves_them_out_meet():
    with stub("no-usage", "reasons", "usage-text") as server:
        assert "usage" not in post(server, HELLO)


def test_a_prompt_in_parts_is_read_as_its_text():
    parts = [
        m | {"content": [{"type": "text", "text": m["content"]}]} for m in (SYSTEM, {"role": "user", "content": START})
    ]
    whole = [SYSTEM, {"role": "user", "content": START}]
    with stub() as server:
        told, asked = (post(server, {"model": "stub", "messages": messages}) for messages in (parts, whole))
    assert told["choices"] == asked["choices"] and "I can offer" in str(told)


@pytest.mark.parametrize("kind", ["429", "500", "400", "401"])
def test_a_fault_passes_unless_it_is_stubborn(kind):
    with stub(kind) as server:
        with pytest.raises(urllib.error.HTTPError) as fault:
            post(server, HELLO)
        fault.value.close()
        assert fault.value.code == int(kind)
        assert post(server, HELLO)["choices"]


def test_a_rate_is_a_share_of_requests_and_always_the_same_ones():
    bodies = [str(n).encode() for n in range(2000)]
    hit = [Fault("429", 0.1).befalls(b) for b in bodies]
    assert 150 < sum(hit) < 250
    assert hit == [Fault("429", 0.1).befalls(b) for b in bodies]
    assert not any(Fault("429", 0.0).befalls(b) for b in bodies)
    assert all(Fault("429", 1.0).befalls(b) for b in bodies)


@pytest.mark.parametrize("text", ["nonsense", "429:2", "429:-1", "429:x", ""])
def test_a_fault_that_makes_no_sense_is_refused(text):
    with pytest.raises(ValueError, match=r"there is no misbehaviour|no number from 0 to 1"):
        read_fault(text)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_fault_can_be_asked_for(kind):
    assert read_fault(f"{kind}:0.5") == Fault(kind, 0.5)


@pytest.mark.parametrize("words", [["--style", "loud"], ["--misbehave", "nonsense"]])
def test_the_command_refuses_what_it_does_not_know(words):
    result = CliRunner().invoke(app, ["serve", *words])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: there is no ")


@pytest.mark.parametrize("words", [[], ["--seconds", "0.2"]])
def test_the_command_says_where_it_serves_and_ends_when_told(words):
    command = [sys.executable, "-m", "sim", "serve", "--port", "0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith("serving at http://127.0.0.1:")
            if not words:
                process.send_signal(signal.SIGTERM)
            assert process.wait(LIMIT) == 0
            assert process.stdout.read() == "0 requests answered\n"
        finally:
            process.kill()
