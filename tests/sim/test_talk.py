import pytest

from sim.agents import CHEAP_TALK, DECISION, VOLUNTARY
from tests.sim.worlds import CHAIN, TRIO, Scripted, events, new_game, play, say

FIVE = ([". ."] * 5, [(0, 1)])


def turn(number, *actions, round=0):
    """A line of a script: what an agent says in this turn of cheap talk."""
    return {(CHEAP_TALK, round, number): list(actions)}


def players(number, **scripts):
    """Scripted agents; agent 2's script is given as a2."""
    return [Scripted(scripts.get(f"a{a}")) for a in range(number)]


def turns(game):
    """(round, turn, agent) of each turn of cheap talk, in order."""
    return [(e["round"], e["turn"], e["agent_id"]) for e in events(game, "turn_start")]


def read(agent):
    """(round, turn, texts) of each inbox that the agent found something in."""
    found = [(r.round, r.turn, [m.content for m in r.inbox]) for r in agent.asked(CHEAP_TALK)]
    return [f for f in found if f[2]]


def test_a_silent_sweep_ends_cheap_talk():
    game = play(new_game(TRIO), players(3))
    assert turns(game) == [(0, 0, 0), (0, 0, 1), (0, 0, 2)]


def test_a_later_speaker_of_the_same_sweep_reads_the_message():
    agents = players(3, a0=turn(0, say(2, "down")), a2=turn(0, say(0, "up")))
    play(new_game(TRIO), agents)
    assert read(agents[2]) == [(0, 0, ["down"])]
    assert read(agents[0]) == [(0, 1, ["up"])]


def test_an_addressed_bystander_joins_in_the_same_sweep_and_stays():
    agents = players(5, a0=turn(0, say(4), say(2)), a2=turn(0, say(0, "yes")))
    game = play(new_game(FIVE), agents)
    assert [t[1:] for t in turns(game)] == [(0, 0), (0, 1), (0, 2), (0, 4), (1, 0), (1, 1), (1, 2), (1, 4)]
    assert agents[4].requests[0].meeting == game.meetings[0]
    assert [len(a.asked(VOLUNTARY)) for a in agents] == [0, 0, 1, 0, 1]


def test_a_bystander_may_draw_in_another_in_the_same_sweep():
    agents = players(5, a0=turn(0, say(4)), a4=turn(0, say(2)))
    game = play(new_game(FIVE), agents)
    assert [t[2] for t in turns(game) if t[1] == 0] == [0, 1, 4, 2]
    assert [e["agent_id"] for e in events(game, "decide_start") if e["phase"] == VOLUNTARY] == [2, 4]


@pytest.mark.parametrize("budget", [1, 2, 15])
def test_the_turn_budget_ends_a_talk_that_would_go_on(budget):
    chatter = {(CHEAP_TALK, 0, t): [say(1)] for t in range(50)}
    agents = players(3, a0=chatter)
    game = play(new_game(TRIO, max_turns_per_round=budget), agents)
    assert len(turns(game)) == 3 * budget
    assert {r.max_turns for r in agents[0].requests} == {budget}
    assert len(agents[0].asked(DECISION)) == 4  # the phases after cheap talk still come


def test_an_inbox_is_not_cleared_between_rounds():
    agents = players(3, a1=turn(0, say(0, "left over")))
    play(new_game(CHAIN, max_turns_per_round=1), agents)
    assert read(agents[0]) == [(1, 0, ["left over"])]
    assert [m.meeting_id for m in agents[0].asked(CHEAP_TALK)[1].inbox] == [1]


def test_delivery_is_recorded_in_full():
    game = play(new_game(TRIO), players(3, a0=turn(0, say(2, "héllo"))))
    assert events(game, "dm_sent") == [
        {
            "round": 0, "turn": 0, "phase": CHEAP_TALK, "agent_id": 0, "from_agent": 0, "to_agent": 2,
            "meeting_id": 1, "content": "héllo", "content_chars": 5, "channel": "dm",
        }
    ]  # fmt: skip
    assert (game.sent, game.received, game.messages) == ([1, 0, 0], [0, 0, 1], 1)


# One row a tool call that can't be delivered, and the reason that is recorded.
INVALID = [
    ({"type": "dm", "to": 9, "content": "x"}, "the recipient must be an agent from 0 to 2"),
    ({"type": "dm", "to": True, "content": "x"}, "the recipient must be an agent from 0 to 2"),
    ({"type": "dm", "to": 0, "content": "x"}, "an agent can't send a message to itself"),
    ({"type": "dm", "to": 1}, "the content must be text"),
    ({"type": "schedule", "meeting_id": 1, "slot": 0}, "only messages can be sent in CHEAP_TALK"),
    ({"type": "all_groupchat", "content": "x"}, "the channel all_groupchat is not open in this game"),
    (None, "only messages can be sent in CHEAP_TALK"),
]


@pytest.mark.parametrize(("call", "reason"), INVALID)
def test_an_invalid_tool_call_is_recorded_and_the_others_still_count(call, reason):
    game = play(new_game(TRIO), players(3, a0=turn(0, call, say(1, "valid"))))
    (event,) = events(game, "invalid_tool_call")
    assert (event["tool_call"], event["reason"], event["agent_id"]) == (call, reason, 0)
    assert [e["content"] for e in events(game, "dm_sent")] == ["valid"]


@pytest.mark.parametrize("actions", [None, "hello", 7, {"type": "nothing"}])
def test_actions_that_are_no_list_are_one_invalid_call(actions):
    game = play(new_game(TRIO), players(3, a0={(CHEAP_TALK, 0, 0): actions}))
    assert [e["tool_call"] for e in events(game, "invalid_tool_call")] == [actions]


@pytest.mark.parametrize(
    ("channel", "heard"), [("participant_groupchat", [2]), ("all_groupchat", [1, 2, 3, 4])]
)  # agent 0 speaks in a meeting with agent 2
def test_a_group_message_is_one_message_to_many(channel, heard):
    agents = players(5, a0=turn(0, {"type": channel, "content": "all"}))
    game = play(new_game(([". ."] * 5, [(0, 2)]), channels=("dm", "participant_groupchat", "all_groupchat")), agents)
    (event,) = events(game, f"{channel}_sent")
    assert (event["to_agents"], event["content_chars"], event["channel"]) == (heard, 3, channel)
    assert [a for a in range(5) if read(agents[a])] == heard
    assert (game.messages, game.sent[0], sum(game.received)) == (1, 1, len(heard))
    assert events(game, "dm_sent") == []


def test_messages_above_the_cap_are_refused_on_record():
    calls = [say(1, "1"), {"type": "all_groupchat", "content": "2"}, say(2, "3"), say(1, "4")]
    agents = players(3, a0={**turn(0, *calls), **turn(1, say(1, "5"))})
    game = play(new_game(TRIO, dm_cap=2, channels=("dm", "all_groupchat")), agents)
    refused = [e["tool_call"]["content"] for e in events(game, "invalid_tool_call")]
    assert refused == ["3", "4", "5"]
    assert {e["reason"] for e in events(game, "invalid_tool_call")} == {"the game's cap of 2 messages is used up"}
    assert [text for _, _, texts in read(agents[1]) for text in texts] == ["1", "2"]
    assert game.messages == 2
