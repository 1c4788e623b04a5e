"""What every agent must do, whatever its protocol."""

import json
from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.agents import CHEAP_TALK, DECISION, VOLUNTARY
from sim.calendar import item_id
from sim.runs.play import Play, play_game
from sim.runs.teams import FRONTIER, AgentSpec, Team, build_agent, named_teams
from tests.sim.worlds import BUMP, Scripted, calendar, events, new_game, play, registration, request, tiny_task

PLAYERS = named_teams() | {kind: Team(kind, (AgentSpec(kind),)) for kind in FRONTIER}
TEAMS = sorted(PLAYERS)
TASKS = {
    "uniform": tiny_task(3, density=1.0),
    "varied": tiny_task(4, "varied", errand_cost_values=(1, 100, 1000), num_meetings=4, num_slots=8),
    "unequal": tiny_task(5, num_agents=4, num_slots=8, participant_lists=((0, 1), (0, 2, 3), (1, 2, 3))),
    "begun": tiny_task(6, num_slots=9, prior_meetings=2, num_agents=4, num_meetings=2),
}

every_team = pytest.mark.parametrize("team", TEAMS)
# What junk does to agents that share their code with one of these only make check tries out.
TRIED = {"candid", "dsm-private", "imap", "sd"}
every_team_in_turn = pytest.mark.parametrize(
    "team", [pytest.param(team, marks=[] if team in TRIED else [pytest.mark.slow]) for team in TEAMS]
)
every_task = pytest.mark.parametrize(
    "task", [pytest.param(task, id=name, marks=[pytest.mark.slow] * (name == "begun")) for name, task in TASKS.items()]
)


def agent_of(team, number=0):
    return build_agent(PLAYERS[team].agents[0])


def game_of(team, task):
    return play_game(Play(task, PLAYERS[team]))


@every_team
@every_task
def test_the_same_seed_is_the_same_game_to_the_byte(team, task):
    assert msgspec.json.encode(game_of(team, task)) == msgspec.json.encode(game_of(team, task))


@every_team
@every_task
def test_a_game_ends_and_makes_only_calls_that_the_game_knows(team, task):
    trace = game_of(team, task)
    kinds = Counter(e.type for e in trace.events)
    assert (trace.events[-1].type, trace.stopped) == ("game_end", False)
    assert kinds["resolution"] == kinds["round_start"] == len(task.meetings)
    assert kinds["invalid_tool_call"] == 0


@every_team
@every_task
def test_a_game_conserves_every_agent_s_items(team, task):
    trace = game_of(team, task)
    for before, after in zip(task.calendars, trace.final_state["calendars"], strict=True):
        errands = Counter(repr(i) for i in before.slots)
        left = Counter(repr(i) for i in after)
        del errands["None"], left["None"]
        assert errands <= left
        new = Counter(item_id(i) for i in after if i is not None and repr(i) not in errands)
        assert set(new.values()) <= {1}
        assert set(new) <= {m.id for m in task.meetings}


NUMBERS = st.one_of(st.integers(-3, 12), st.sampled_from([2**31, -(2**63), 10**30, 4001, 1001]))
WRONG = st.one_of(
    st.none(), st.booleans(), st.floats(), st.text(max_size=3), st.just([]), st.just({}), st.just("\ud83d")
)
MOVES = st.fixed_dictionaries({"meeting_id": NUMBERS, "from_slot": NUMBERS, "to_slot": NUMBERS})
BY_PLAN = st.dictionaries(NUMBERS.map(str) | st.text(max_size=2), NUMBERS | st.none(), max_size=4)
PLANS = st.fixed_dictionaries(
    {
        "id": NUMBERS,
        "slot": NUMBERS,
        "displacements": st.lists(MOVES, max_size=2),
        "cleared_slots": st.lists(NUMBERS, max_size=2),
    }
)
LISTS = st.lists(NUMBERS, max_size=3)
FIELDS = {
    "slots": LISTS,
    "plans": st.lists(PLANS, max_size=3),
    "displacements": st.lists(MOVES, max_size=3) | st.just({}),
    "cleared_slots": LISTS | st.just({}),
    "reward": st.none(),
    "shifts": LISTS,
    "vectors": st.lists(LISTS, max_size=2),
    "place": NUMBERS | st.none(),
    "meeting_id": NUMBERS,
    "slot": NUMBERS,
    "from_slot": NUMBERS,
    "to_slot": NUMBERS,
    "initiator": NUMBERS,
    "attendee": NUMBERS,
    "plan_id": NUMBERS,
    "round": NUMBERS,
    "reply_status": st.sampled_from(["PENDING", "IMPOSSIBLE", "?"]),
    "costs": BY_PLAN,
    "scores": BY_PLAN,
    "participants": LISTS,
    "limit": NUMBERS | st.none(),
    "limits": BY_PLAN,
    "can": BY_PLAN | st.booleans(),
    "cannot": BY_PLAN,
    "levels": BY_PLAN,
    "bounds": LISTS,
    "ladder": LISTS,
    "truth": st.floats(),
    "per_tenfold": st.floats(),
    "parties": LISTS,
    "tester": NUMBERS,
    "seed": st.text(max_size=3),
    "orders": st.lists(st.permutations(range(7)) | st.lists(NUMBERS, max_size=3), max_size=3),
    "first": NUMBERS,
    "totals": st.lists(NUMBERS, max_size=2),
    "values": st.lists(st.lists(NUMBERS, max_size=3), max_size=2),
    "level": NUMBERS | st.none(),
    "total": NUMBERS | st.none(),
    "places": LISTS,
}


def kinds_of(team):
    """(protocol, kind, fields) of every message that agents of the team read, from their own decoder."""
    decoder = getattr(agent_of(team), "decoder", None)
    return [(t.tag_field, t.tag, [f.encode_name for f in t.fields]) for t in inspected(decoder.type)] if decoder else []


def inspected(kind):
    """What msgspec knows of each record of a union."""
    return getattr(msgspec.inspect.type_info(kind), "types", ())


KINDS = [kind for team in TEAMS for kind in kinds_of(team)]


@st.composite
def hostile_payloads(draw):
    """A message of some protocol with every field it needs, and sometimes one field of a wrong type."""
    protocol, kind, fields = draw(st.sampled_from(KINDS))
    payload = {protocol: kind} | {name: draw(FIELDS[name]) for name in fields}
    if draw(st.integers(0, 4)) == 0:
        payload[draw(st.sampled_from(sorted(payload)))] = draw(WRONG)
    return json.dumps(payload)


JUNK = st.one_of(
    hostile_payloads(),
    hostile_payloads(),
    hostile_payloads(),
    st.sampled_from(
        ["", "{", "null", "[]", "Slot 3 works for me!", '"', "\ud800", "\x00", "[" * 9999, '{"imap":' * 9999]
    ),
    st.text(max_size=10),
)
INBOXES = st.lists(st.lists(st.tuples(st.integers(0, 4), JUNK), max_size=4), min_size=3, max_size=3)
BOARD = ". 3 x2 M1(0,1,2) 100 . M4(0,1)=2"


@pytest.mark.slow
@every_team_in_turn
@pytest.mark.parametrize("number", [0, 2], ids=["initiator", "responder"])
@settings(max_examples=60)
@given(inboxes=INBOXES)
def test_no_message_makes_an_agent_fail_or_send_what_can_t_be_delivered(team, number, inboxes):
    player, board = agent_of(team), calendar(BOARD)
    player.register(registration(board, number, 5))
    for turn, inbox in enumerate(inboxes):
        reply = player.act(request(board, CHEAP_TALK, inbox, members=(0, 1, 2), turn=turn))
        for call in reply.actions:
            assert (call["type"], type(call["content"])) == ("dm", str)
            assert call["to"] in {0, 1, 2, 3, 4} - {number} or call["to"] in {sender for sender, _ in inbox}
            call["content"].encode()
    player.act(request(board, VOLUNTARY))
    for attempt in range(4):
        assert isinstance(player.act(request(board, DECISION, attempt=attempt)).actions, list)


@every_team_in_turn
@settings(max_examples=25)
@given(lines=st.lists(st.lists(st.tuples(st.integers(0, 3), JUNK), max_size=6), min_size=8, max_size=8))
def test_a_game_with_an_agent_that_talks_junk_still_ends(team, lines):
    script = {
        (CHEAP_TALK, round_, turn): [{"type": "dm", "to": to, "content": text} for to, text in lines[4 * round_ + turn]]
        for round_ in (0, 1)
        for turn in range(4)
    }
    for disturber in (1, 3):
        agents = [agent_of(team) for _ in BUMP[0]]
        agents[disturber] = Scripted(script)
        game = play(new_game(BUMP), agents)
        assert len(events(game, "resolution")) == 2
        assert not [e for e in events(game, "invalid_tool_call") if e["agent_id"] != disturber]
