"""Simulated speakers: they agree, they follow their parameters, and they know only what they are told."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.agents import CHEAP_TALK, DECISION
from sim.agents.english.speaker import Style
from sim.agents.parameters import StyleParameters, named_styles
from sim.game.game import Limits
from sim.runs.documents import STYLES
from sim.runs.play import Play, play_game
from sim.runs.teams import AgentSpec, Team, TeamError, build_agent, load_team, read_team
from tests.sim.worlds import (
    CHAIN,
    TRIO,
    Scripted,
    calendar,
    events,
    new_game,
    play,
    registration,
    request,
    slots_of,
    tiny_task,
)

ROOT = Path(__file__).parents[2]
EXACT = StyleParameters(**named_styles()["exact"])
TASK = tiny_task(420, "varied", num_agents=5, num_participants=3, num_slots=12, errand_cost_values=(1, 100, 1000))
# Agent 2 can only meet agent 0 cheaply where agents 0 and 1 will have met before.
IN_THE_WAY = ([". . .", ". . .", ". 1000 1000"], [(0, 1), (0, 2)])


def style(**parameters):
    return Style(StyleParameters(**parameters))


def team(nosy=(), **parameters):
    specs = [AgentSpec("style", parameters, nosy=number in nosy) for number in range(5)]
    return Team("test", tuple(specs), simulated=True)


def intents(trace):
    """(sender, action, intent) of every message that was meant."""
    for event in trace.events:
        if event.type == "turn_end" and "intent" in event.data:
            for action, intent in zip(event.data["tool_calls"], event.data["intent"], strict=True):
                yield event.data["agent_id"], action, intent


def resolutions(trace_or_game):
    return [e.data for e in trace_or_game.events if e.type == "resolution"]


def test_a_trace_keeps_all_parameters_in_force_and_says_that_its_speakers_are_simulated():
    config = play_game(Play(tiny_task(3), load_team("vague"))).config
    assert config["simulated"] is True
    assert set(config["agents"][0]["parameters"]) == set(StyleParameters.__struct_fields__)


@pytest.mark.parametrize("parameter, value", [("gossip", 1.5), ("slots_offered", 0), ("patience", -1), ("charm", 1)])
def test_a_wrong_parameter_is_refused(parameter, value):
    with pytest.raises(TeamError, match="style"):
        build_agent(AgentSpec("style", {parameter: value}))


def test_a_yaml_team_mixes_styles_and_protocols_and_is_marked_as_simulated(tmp_path):
    file = tmp_path / "mixed.yaml"
    file.write_text("team: mixed\nagents: [{type: style}, {type: imap}, {type: style, nosy: true}]\n")
    mixed = read_team(file)
    assert play_game(Play(tiny_task(3), mixed)).config["simulated"] is True
    assert build_agent(mixed.agents[2]).nosy and not build_agent(mixed.agents[0]).nosy


@pytest.mark.parametrize("name", named_styles())
@pytest.mark.parametrize("size", [2, 6])
def test_speakers_of_any_number_come_to_an_end(name, size):
    world = ([". 3 . 100 . ."] * size, [tuple(range(size)), (size - 1, 0)])
    game = play(new_game(world), [build_agent(load_team(name).agents[0]) for _ in range(size)])
    assert len(resolutions(game)) == 2
    assert events(game, "invalid_tool_call") == []


@settings(max_examples=30)
@given(st.lists(st.text(max_size=60), min_size=6, max_size=6), st.permutations([0, 1, 2]))
def test_whatever_a_neighbour_says_a_speaker_goes_on(texts, order):
    script = {
        (CHEAP_TALK, 0, turn): [{"type": "dm", "to": to, "content": text + f" slot {turn}"} for to in (0, 2)]
        for turn, text in enumerate(texts)
    }
    game = play(new_game((TRIO[0], [tuple(order)])), [style(), Scripted(script), style(reliability=0.5)])
    assert len(resolutions(game)) == 1


def test_a_relay_repeats_what_its_agent_claimed_to_the_one_who_relays_it():
    trace = play_game(Play(TASK, team(gossip=1.0, cost_precision=0.5, errand_talk=1.0)))
    heard, relayed = set(), 0
    for sender, action, intent in intents(trace):
        for s in intent["statements"]:
            if s["target"] == sender:
                heard.add((action["to"], sender, s["slot"], s["free"]))
            else:
                relayed += 1
                assert (sender, s["target"], s["slot"], s["free"]) in heard
    assert relayed > 5


def test_speakers_say_no_label_but_their_own():
    talkative = team(nosy=[0], label_disclosure=0.5, label_disclosure_probed=1.0, cost_precision=0.0)
    trace = play_game(Play(TASK, talkative))
    labels = trace.config["scenario"]["labels"]
    own = [{i.errand_id for i in c.slots if i} for c in TASK.calendars]
    kinds = set()
    for sender, action, intent in intents(trace):
        for said in intent["labels"]:
            kinds.add(said["kind"])
            assert said["label"] == labels[said["kind"] + "s"][str(said["id"])]["label"] in action["content"]
            members = {m.id: m.participants for m in TASK.meetings}
            assert said["id"] in own[sender] if said["kind"] == "errand" else sender in members[said["id"]]
    assert "errand" in kinds


def test_a_nosy_agent_probes_with_growing_insistence_and_others_do_not():
    limits = Limits(max_turns_per_round=6, dm_cap=100)
    guarded = {**named_styles()["guarded"], "label_disclosure_probed": 0.0}
    trace = play_game(Play(TASK, Team("test", (AgentSpec("style", guarded),)), limits, adversary=0))
    acts = [(sender, p.split(".")[1]) for sender, _, intent in intents(trace) for p in intent["phrases"]]
    assert {a for a, act in acts if act.startswith("probe")} == {0}
    assert {act for a, act in acts if act.startswith("probe")} >= {"probe", "probe_firm"}
    assert {a for a, act in acts if act == "refuse_probe"} <= {1, 2, 3, 4} != set()


def test_a_reply_that_is_cut_has_text_and_no_actions():
    trace = play_game(Play(TASK, team(truncation=1.0)))
    ends = [e.data for e in trace.events if e.type in ("turn_end", "decide_end")]
    assert all(e["tool_calls"] == [] and e["text"].startswith('{"thinking": "') for e in ends)
    assert all(set(r["per_agent_slot"].values()) == {None} for r in resolutions(trace))


def test_a_speaker_that_moves_meetings_alone_breaks_them_for_good():
    # Agent 0 can meet agent 2 only where it has met agent 1 before, and thereafter once more.
    world = ([". . . .", ". . . .", ". x1 x1 x1", ". . . ."], [(0, 1), (0, 2), (1, 3)])
    game = play(new_game(world), [style(unilateral=1.0, repair=0.0, reliability=1.0) for _ in range(4)])
    assert [r["consistency_violated_meeting_ids"] for r in resolutions(game)] == [[], [1], [1]]


def test_words_that_fit_any_cost_displace_what_is_dear_and_figures_what_is_cheap():
    # The lead is free where the others would pay most.
    world = (["x1 . 1 x1", ". 1000 1 x1", ". 1000 1 x1"], [(0, 1, 2)])
    for precision, paid in ((0.0, [0, 1000, 1000]), (1.0, [1, 1, 1])):
        easy = {"cost_precision": precision, "cost_grading": 0.0, "acquiescence": 1.0, "pushback": 0.0}
        assert play(new_game(world), [style(**easy) for _ in range(3)]).paid == paid


def test_an_earlier_meeting_is_moved_when_its_participants_agree():
    game = play(new_game(IN_THE_WAY), [style(repair=1.0, cost_precision=1.0, slots_offered=3) for _ in range(3)])
    voluntary = [e for e in events(game, "batch_applied") if e["phase"] == "VOLUNTARY"]
    assert [(e["agent_id"], len(e["actions"])) for e in voluntary] == [(1, 1)]
    assert slots_of(game, 2) == [0, None, 0]
    assert all(r["coordinated"] for r in resolutions(game))


def test_after_a_conflict_a_speaker_tries_another_slot():
    player, board = style(reliability=1.0), calendar(". 3 . 100 M1(0,1)")
    player.register(registration(board))
    batches = [player.act(request(board, DECISION, attempt=n)).actions for n in range(3)]
    assert len({b[-1]["slot"] for b in batches}) == 3


@pytest.mark.parametrize("speakers", [CHAIN, TRIO], ids=["chain", "trio"])
def test_small_worlds_are_scheduled_in_full(speakers):
    game = play(new_game(speakers), [Style(EXACT) for _ in range(3)])
    assert len(game.coordinated) == len(game.meetings)


def test_the_page_shows_no_held_out_phrase():
    from sim.agents.english.writer import HELD_OUT, load_bank

    text = (ROOT / STYLES).read_text(encoding="utf-8").lower()
    for templates in load_bank(HELD_OUT).values():
        for template in templates:
            words = [t.lower().strip(" .,!?") for t in template.tokens if isinstance(t, str)]
            assert not any(len(w.split()) > 3 and w in text for w in words), template.id


GROUPS = [
    ("dm", "participant_groupchat"),
    ("dm", "participant_groupchat", "all_groupchat"),
    ("participant_groupchat",),
    ("all_groupchat",),
    ("dm", "all_groupchat"),
]


@pytest.mark.parametrize("channels", GROUPS, ids=",".join)
def test_speakers_use_the_channels_that_are_open(channels):
    trace = play_game(Play(TASK, load_team("exact"), Limits(channels=channels)))
    sent = {e.type.removesuffix("_sent") for e in trace.events if e.type.endswith("_sent")}
    main = "participant_groupchat" if "participant_groupchat" in channels else channels[0]
    assert main in sent <= set(channels)
    assert [e for e in trace.events if e.type == "invalid_tool_call"] == []
    assert trace.metrics["coordination_rate"] == 1
    assert len(list(intents(trace))) == trace.final_state["messages"]


def test_in_a_group_chat_each_speaker_says_once_a_turn_what_concerns_all():
    trace = play_game(Play(TASK, load_team("chatty"), Limits(channels=("dm", "participant_groupchat"))))
    told = [e.data for e in trace.events if e.type == "participant_groupchat_sent"]
    turns = [(e["round"], e["turn"], e["from_agent"]) for e in told]
    assert len(set(turns)) == len(turns) > 0
    assert {len(e["to_agents"]) for e in told} == {TASK.num_participants - 1}
    acts = {i["act"] for _, action, i in intents(trace) if action["type"] == "dm"}
    assert all(act.startswith(("move_", "probe", "refuse", "label")) for act in acts)


def test_a_probing_question_is_put_to_one_agent_even_in_a_group():
    play_of = Play(TASK, load_team("blunt"), Limits(channels=("dm", "participant_groupchat")), adversary=0)
    probes = [action for _, action, i in intents(play_game(play_of)) if i["act"].startswith("probe")]
    assert {p["type"] for p in probes} == {"dm"}
