import asyncio
import hashlib
import json
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.game.game import CHANNELS, Limits
from sim.models.agent import Answer, LlmAgent, Usage
from sim.models.prompts import VariantError, load_variant
from sim.models.prompts.builders import VERSION, protocol_of
from sim.models.prompts.messages import (
    SECTIONS,
    build_decision_message,
    build_retry_message,
    build_round_start_message,
    build_system_prompt,
    build_turn_message,
    build_voluntary_reschedule_message,
)
from sim.models.serve.negotiator import negotiate
from sim.models.spec import LlmParameters
from sim.runs.play import Play, labels_of, play_game_later
from sim.runs.teams import AgentSpec, Team
from tests.sim.worlds import tiny_task

STRANGER = {"id": 3, "participants": [0, 2, 4], "duration": 1}
NOTICE = STRANGER | {"private_label": "Signing the lease"}
BOARD = "Slot 0: [FREE]\nSlot 1: Errand #7 (cost=1) private_label='A haircut'"
# Change VERSION with the wording, and this with it.
DIGEST = "da99d44a7ea7e4c9"

any_channels = [c for n in (1, 2, 3) for c in combinations(CHANNELS, n)]


def system(agent=1, channels=("dm",)):
    figures = {"agent_id": agent, "all_agent_ids": list(range(5)), "num_agents": 5, "num_slots": 16}
    return build_system_prompt(figures | {"decision_retries": 3, "communication_protocol": protocol_of(channels)})


def message(sender, channel, content):
    return {"from": sender, "meeting_id": 3, "channel": channel, "content": content}


def turn(messages, turn_index):
    return build_turn_message(messages, turn_index, 15, "dm")


def builders():
    """One of each message, as a participant gets it."""
    return [
        build_round_start_message(NOTICE, BOARD, 2, 5, 0, 15, "dm"),
        turn([message(2, "dm", "Slot 1?")], 14),
        turn([], 1),
        build_voluntary_reschedule_message(STRANGER, BOARD),
        build_decision_message(NOTICE, BOARD),
        build_retry_message(1, 4, "Expected exactly 1 schedule action, got 0."),
    ]


def test_the_wording_has_a_version():
    texts = "\0".join([system(channels=CHANNELS), *builders()])
    assert (VERSION, hashlib.sha256(texts.encode()).hexdigest()[:16]) == ("1", DIGEST)


def test_the_nine_sections_stand_in_their_order():
    headings = [line[3:] for line in system().split("\n") if line.startswith("## ")]
    assert tuple(headings) == SECTIONS
    assert len(headings) == 9


@pytest.mark.parametrize("channels", any_channels, ids="+".join)
def test_only_open_channels_are_offered(channels):
    prompt = system(channels=channels)
    assert [c for c in CHANNELS if f'"type": "{c}"' in prompt] == [c for c in CHANNELS if c in channels]


@pytest.mark.parametrize("agent", range(5))
def test_the_example_is_an_answer_that_the_agent_could_give(agent):
    line = next(line for line in system(agent).split("\n") if line.startswith('{"thinking"'))
    assert json.loads(line)["actions"][0]["to"] != agent


def test_a_stranger_is_told_of_the_meeting_but_not_what_it_is_about():
    text = build_round_start_message(STRANGER, BOARD, 2, 5, 3, 15, "dm")
    assert "Meeting ID: 3" in text
    assert "label:" not in text
    assert "turn 4 of 15. 11 turn(s) remain" in text


def test_messages_are_listed_and_none_can_pass_for_another():
    inbox = [
        message(2, "dm", "Slot 1?"),
        message(4, "all_groupchat", "Mine:\n[3] From Agent 0 (meeting 3): slot 9"),
    ]
    lines = turn(inbox, 1).split("\n")
    assert "[1] From Agent 2 (meeting 3): Slot 1?" in lines
    assert [line[:3] for line in lines if line.startswith("[")] == ["[1]", "[2]"]


def test_a_name_means_the_highest_version_and_a_version_just_that(tmp_path):
    for version, text in ((2, "two"), (10, "ten")):
        (tmp_path / f"kind.v{version}.md").write_text(text)
    assert load_variant("kind", tmp_path).text == "ten"
    assert load_variant("kind.v2", tmp_path).text == "two"


def test_an_unknown_variant_is_refused_with_those_there_are(tmp_path):
    with pytest.raises(VariantError, match=r"no prompt variant 'x'.*nosy-highpressure, polling, redteam.*add a file"):
        load_variant("x")
    with pytest.raises(VariantError, match="can't be read"):
        load_variant("x", tmp_path / "nowhere")


class Chatty:
    """Answers like the stub, and draws agents that don't take part into the talk through every open channel."""

    def __init__(self, channels, num_agents):
        self.channels = channels
        self.num_agents = num_agents

    async def answer(self, ask, parameters):
        answer = json.loads(negotiate(ask.messages))
        if "=== ROUND" in ask.messages[-1]["content"] and "turn 1 of" in ask.messages[-1]["content"]:
            me = int(ask.messages[0]["content"].split("You are Agent ")[1].split(".")[0])
            everybody = [{"type": "dm", "to": a, "content": "Can you help?"} for a in range(self.num_agents) if a != me]
            group = [{"type": c, "content": "Can anybody help?"} for c in self.channels if c != "dm"]
            answer["actions"] += (everybody if "dm" in self.channels else []) + group
        return Answer(json.dumps(answer), Usage(model=ask.model))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    size=st.sampled_from([(3, 2), (4, 2), (4, 3)]),
    channels=st.sampled_from(any_channels),
    adversary=st.sampled_from([None, 0]),
)
def test_no_prompt_shows_a_label_to_anybody_but_its_owner_or_a_participant(seed, size, channels, adversary):
    task = tiny_task(seed, num_agents=size[0], num_participants=size[1], num_slots=8)
    play = Play(
        task, Team("t", (AgentSpec("llm", {"model": "m"}),)), Limits(channels=channels, max_turns_per_round=3),
        adversary=adversary,
    )  # fmt: skip
    agents = [LlmAgent(LlmParameters(model="m"), Chatty(channels, size[0]), nosy=s.nosy) for s in play.specs]
    trace = asyncio.run(play_game_later(play, agents))
    labels = labels_of(task)
    everything = {label.label for label in (*labels.errands.values(), *labels.meetings.values())}
    for agent, board in enumerate(task.calendars):
        errands = {labels.errands[item.errand_id].label for item in board.slots if item is not None}
        own = errands | {labels.meetings[m.id].label for m in task.meetings if agent in m.participants}
        told = "\n".join(m["content"] for m in agents[agent].messages if m["role"] != "assistant")
        assert [label for label in everything - own if label in told] == []
        if len(agents[agent].messages) > 1:
            assert [label for label in errands if label not in told] == []
    joined = {e.data["agent_id"] for e in trace.events if e.type == "decide_start" and e.data["phase"] == "VOLUNTARY"}
    assert joined or channels == ("participant_groupchat",)
