import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from typer.testing import CliRunner

from sim.__main__ import app
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


def test_it_answers_as_openai_does_the_same_to_the_same_on_this_machine_only():
    with stub() as server:
        first, second = post(server, HELLO), post(server, HELLO)
        with urllib.request.urlopen(f"{server.address}/models", timeout=LIMIT) as response:
            assert json.load(response)["data"][0]["id"] == "stub"
        assert (server.requests, server.runner.addresses[0][0]) == (2, "127.0.0.1")
    assert first == second and first["usage"]["total_tokens"] > 0
    content = json.loads(first["choices"][0]["message"]["content"])
    assert content == {"thinking": "0 action(s) now.", "actions": []}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", {"model": "stub"}, {"messages": ["hi"]}])
def test_what_is_no_request_is_refused(body):
    with stub() as server, pytest.raises(urllib.error.HTTPError) as refusal:
        post(server, body)
    assert refusal.value.code == 400
    refusal.value.close()


def test_the_lead_offers_its_cheapest_slots_also_where_a_prompt_comes_in_parts():
    whole = [SYSTEM, {"role": "user", "content": START}]
    parts = [m | {"content": [{"type": "text", "text": m["content"]}]} for m in whole]
    (message,) = json.loads(negotiate(whole))["actions"]
    offer = "For meeting 1 I can offer slots 1 and 0. How do they suit you?"
    assert message == {"type": "dm", "to": 1, "content": offer}
    with stub() as server:
        told = post(server, {"model": "stub", "messages": parts})
    assert offer in told["choices"][0]["message"]["content"]


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
    settled = '{"thinking": "", "actions": [{"type": "dm", "to": 1, "content": "Let us take slot 0 for meeting 1."}]}'
    messages = [
        SYSTEM,
        {"role": "user", "content": START},
        {"role": "assistant", "content": settled},
        {"role": "user", "content": "Phase: DECISION\nHand in your batch."},
    ]
    assert json.loads(negotiate(messages))["actions"] == [
        {"type": "reschedule", "item_id": 5, "from_slot": 0, "to_slot": 1},
        {"type": "schedule", "meeting_id": 1, "slot": 0},
    ]


def test_the_command_refuses_a_style_that_it_does_not_know():
    result = CliRunner().invoke(app, ["serve", "--style", "loud"])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: there is no style 'loud'; known styles: plain, ")


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
