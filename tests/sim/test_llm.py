import asyncio

import msgspec
import pytest

from sim.agents import AgentFailure
from sim.game.game import Limits
from sim.models.agent import NO_ANSWER, Answer, LlmAgent, Usage
from sim.models.money import Ledger, Reserve
from sim.models.prompts import load_variant
from sim.models.serve.negotiator import negotiate
from sim.models.spec import LlmParameters
from sim.runs.play import Play, config_of, identity, play_game_later
from sim.runs.runner import Outcomes, build_waiting, jobs_for, models_of, play_waiting
from sim.runs.teams import AgentSpec, Team, TeamError, build_agent, llm_parameters, named_teams
from tests.sim.worlds import calendar, registration, request, tiny_task

TASK = tiny_task(3, num_meetings=2)
BOARD = calendar(". 4 .")


class Canned:
    """A provider that gives these texts, then the stub's answers; it fails where a text is None."""

    def __init__(self, *texts):
        self.texts = list(texts)
        self.asks = []

    async def ready(self, models):
        return None

    async def answer(self, ask, parameters):
        self.asks.append(ask)
        text = self.texts.pop(0) if self.texts else negotiate(ask.messages)
        if text is None:
            raise AgentFailure("the line is dead")
        return Answer(text, Usage(model=ask.model))


def llm(provider, nosy=False, repeat=0, **parameters):
    agent = LlmAgent(LlmParameters(model="m", **parameters), provider, nosy, repeat)
    agent.register(registration(BOARD))
    return agent


def replies(agent, *requests):
    async def answer():
        return [await agent.answer(msgspec.structs.replace(r, render=r.calendar.render)) for r in requests]

    return asyncio.run(answer())


def team(*parameters, **spec):
    return Team("t", tuple(AgentSpec("llm", {"model": "m"} | p, **spec) for p in parameters or ({},)))


def played(team, provider, **more):
    play = Play(TASK, team, **more)
    return asyncio.run(play_game_later(play, [build_waiting(s, provider, play.repeat) for s in play.specs]))


def test_one_conversation_lasts_all_game():
    provider = Canned('{"thinking": "a", "actions": []}', "")
    agent = llm(provider)
    turns = [request(BOARD, meeting_id=1), request(BOARD, meeting_id=1, turn=1), request(BOARD, meeting_id=2)]
    first, second, third = replies(agent, *turns)
    roles = [m["role"] for m in agent.messages]
    assert roles == ["system", *["user", "assistant"] * 3]
    assert [m["content"] for m in agent.messages[1::2]] == [first.prompt, second.prompt, third.prompt]
    assert [m["content"] for m in agent.messages[2:5:2]] == ['{"thinking": "a", "actions": []}', NO_ANSWER]
    assert "ROUND 0 START" in first.prompt and "ROUND 1 START" in third.prompt
    assert "START" not in second.prompt
    assert [len(ask.messages) for ask in provider.asks] == [2, 4, 6]


def test_other_games_go_on_while_a_runaway_answer_is_read():
    async def ticks_while_read():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        await llm(Canned("{slot: free, " * 300)).answer(request(BOARD))
        ticking.cancel()
        return ticks

    assert asyncio.run(ticks_while_read()) > 0


def test_what_waits_at_the_start_of_a_round_is_told_too():
    (reply,) = replies(llm(Canned()), request(BOARD, inbox=[(2, "Slot 0?")]))
    assert "=== ROUND 1 START ===" in reply.prompt
    assert "[1] From Agent 2 (meeting 2): Slot 0?" in reply.prompt


def test_a_reply_keeps_text_thinking_times_and_how_it_was_read():
    text = 'Well: {"thinking": "a", "actions": []}'
    (reply,) = replies(llm(Canned(text)), request(BOARD))
    assert (reply.text, reply.thinking, reply.parse) == (text, "a", "repaired: prose around the JSON")
    assert reply.started_at <= reply.ended_at
    assert reply.usage["cost_usd"] is None and reply.usage["input_tokens"] is None


def test_how_answers_were_read_is_in_the_trace():
    trace = played(team(), Canned("no JSON", "", '{"thinking": 1, "actions": []}'))
    read = [e.data["parse"] for e in trace.events if e.type in ("turn_end", "decide_end")]
    assert read[:4] == [
        "refused: the answer holds no JSON object",
        "refused: the answer is empty",
        "strict",
        "strict",
    ]
    counted = [s["answers"] for s in trace.final_state["agent_summaries"]]
    assert sum(c.get("refused", 0) for c in counted) == 2
    assert sum(sum(c.values()) for c in counted) == len(read)


def test_a_failure_of_the_provider_stops_the_game_and_says_who_where_and_why():
    trace = played(team(), Canned(None))
    assert trace.stopped
    assert trace.stop_cause == f"agent {TASK.meetings[0].speaker_order[0]}, round 0, CHEAP_TALK: the line is dead"
    assert trace.events[-1].type == "game_stopped"


def test_agents_of_all_types_play_together():
    mixed = Team("mixed", (AgentSpec("llm", {"model": "m"}), AgentSpec("imap"), AgentSpec("llm", {"model": "m"})))
    trace = played(mixed, Canned())
    assert not trace.stopped
    prompts = [e.data["system_prompt"] != "" for e in trace.events if e.type == "agent_registered"]
    assert prompts == [True, False, True]
    assert [p is not None for p in trace.config["prompts"]] == [True, False, True]


def test_the_adversary_gets_its_variant_word_for_word_and_nobody_else_does():
    trace = played(team(), Canned(), adversary=1)
    text = load_variant("nosy-highpressure").text
    registered = [e.data for e in trace.events if e.type == "agent_registered"]
    assert [r["system_prompt"].endswith(f"\n\n{text}") for r in registered] == [False, True, False]
    assert [r["is_nosy_agent"] for r in registered] == [False, True, False]
    assert trace.config["prompts"][1]["variants"] == [load_variant("nosy-highpressure").record]
    assert trace.config["condition"] == "adversarial"


def test_a_variant_of_one_s_own_is_appended_and_recorded(tmp_path):
    (tmp_path / "calm.v3.md").write_text("## Calm\n\nStay calm.\n")
    own = team({"prompt_variant": "calm", "prompt_dir": str(tmp_path)})
    trace = played(own, Canned())
    assert trace.events[1].data["system_prompt"].endswith("\n\n## Calm\n\nStay calm.\n")
    (variant,) = trace.config["prompts"][0]["variants"]
    assert (variant["name"], variant["version"], len(variant["sha256"])) == ("calm", 3, 64)


def test_each_repeat_asks_with_a_seed_of_its_own():
    providers = Canned(), Canned()
    for repeat, provider in enumerate(providers):
        replies(llm(provider, repeat=repeat, seed=100), request(BOARD))
    assert [p.asks[0].seed for p in providers] == [100, 101]
    assert [p.asks[0].sample for p in providers] == [0, 1]


# One row a change of parameters: whether it makes another game.
CHANGES = [
    ({"temperature": 0.5}, True),
    ({"model": "n"}, True),
    ({"seed": 1}, True),
    ({"answer_format": "schema"}, True),
    ({"answer_format": "text"}, False),
    ({"tell_problems": True}, True),
    ({"api_base": "http://localhost/v1"}, False),
    ({"api_base": ["http://a/v1", "http://b/v1"], "headers_env": {"X-Team": "TEAM"}, "mark_cache": True}, False),
    ({"prompt_variant": "redteam"}, True),
    ({"timeout": 5}, False),
    ({"requests_per_minute": 5, "concurrency": 2, "retries": 0, "backoff": 2}, False),
    ({"prices": {"input": 1, "output": 1, "date": "2026-01-01"}}, False),
    ({"api_key_env": "OTHER_KEY", "needs_env": ["PROJECT"]}, False),
]


@pytest.mark.parametrize(("change", "another"), CHANGES, ids=[next(iter(c[0])) for c in CHANGES])
def test_a_game_is_the_same_however_its_calls_are_carried(change, another):
    before, after = (identity(config_of(Play(TASK, team(c)))) for c in ({}, change))
    assert (before != after) == another


# One row a set of parameters that can't work: what the error must say.
WRONG = [
    ({}, "required field `model`"),
    ({"model": "m", "temprature": 1}, "no parameter temprature; they have: model, "),
    ({"model": "m", "timeout": 0}, "timeout is 0"),
    ({"model": "m", "timeout": "soon"}, "timeout"),
    ({"model": "m", "concurrency": 0}, "concurrency is 0"),
    ({"model": "m", "retries": -1}, "retries is -1"),
    ({"model": "m", "api_base": "https://me:word@host/v1"}, "api_base holds"),
    ({"model": "m", "extra": {"api_key": "x"}}, "extra.api_key looks like a secret"),
    (
        {"model": "m", "extra": {"extra_headers": {"Authorization": "x"}}},
        "extra.extra_headers.Authorization looks",
    ),
    ({"model": "m", "prices": {"input": -1, "output": 1, "date": "2026-01-01"}}, "below 0"),
    ({"model": "m", "prices": {"input": 1, "output": 1}}, "date"),
    ({"model": "m", "prompt_variant": "nowhere"}, "no prompt variant 'nowhere'"),
]


@pytest.mark.parametrize(("parameters", "words"), WRONG, ids=[w[1][:20] for w in WRONG])
def test_wrong_parameters_are_refused_in_one_line(parameters, words):
    with pytest.raises(TeamError) as problem:
        llm_parameters(AgentSpec("llm", parameters))
    assert words in str(problem.value)
    assert "\n" not in str(problem.value)


def test_an_agent_that_waits_is_not_built_without_a_provider():
    with pytest.raises(TeamError, match="wait for a provider"):
        build_agent(AgentSpec("llm", {"model": "m"}))


def test_the_models_of_a_run_are_listed_once(tmp_path):
    jobs = jobs_for([TASK], [team(), named_teams()["imap"]], Limits(), 2, tmp_path)
    assert models_of(jobs) == [LlmParameters(model="m")]


def test_scripted_games_have_no_trace_of_models():
    config = config_of(Play(TASK, named_teams()["imap"]))
    assert "prompts" not in config
    assert identity(config) == identity(msgspec.json.decode(msgspec.json.encode(config)))


def test_no_game_begins_after_one_that_can_t_be_written(tmp_path):
    (tmp_path / "full").write_text("no folder")
    jobs, outcomes, provider = jobs_for([TASK], [team()], Limits(), 3, tmp_path / "full"), Outcomes(), Canned()
    asyncio.run(play_waiting(jobs, provider, Reserve(Ledger(), {}), 1, outcomes, lambda done: None))
    assert (outcomes.ended, outcomes.stopped, outcomes.not_begun) == (0, 1, 2)
    assert any(cause.startswith("not begun: ") and "full" in cause for cause in outcomes.causes)


def test_a_fault_of_the_program_costs_one_game_and_shows_no_key(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SOME_KEY", "sk-planted-0123456789")
    jobs, outcomes = jobs_for([TASK], [team()], Limits(), 2, tmp_path), Outcomes()

    class Broken(Canned):
        async def answer(self, ask, parameters):
            if len(self.asks) == 0:
                self.asks.append(ask)
                raise RuntimeError("sk-planted-0123456789 \x1b[31m")
            return await super().answer(ask, parameters)

    asyncio.run(play_waiting(jobs, Broken(), Reserve(Ledger(), {}), 1, outcomes, lambda done: None))
    assert (outcomes.ended, outcomes.stopped) == (1, 1)
    told = capsys.readouterr().err
    assert "RuntimeError: [redacted]" in told
    assert "\x1b" not in told
    assert "planted-0" not in told.partition("RuntimeError:")[2] + "".join(outcomes.causes)


class Stray:
    """The stub's answers, but for the first two of one speaker: a message to nobody, then no answer at all."""

    def __init__(self, speaker):
        self.agent = f"You are Agent {speaker}."
        self.canned = {2: '{"thinking": "", "actions": [{"type": "dm", "to": 77, "content": "hi"}]}', 4: "what?"}

    async def answer(self, ask, parameters):
        strays = self.agent in ask.messages[0]["content"]
        return Answer((strays and self.canned.get(len(ask.messages))) or negotiate(ask.messages), Usage(model="m"))


def test_an_agent_is_told_of_what_had_no_effect_only_where_its_team_asks():
    speaker = TASK.meetings[0].speaker_order[1]
    told, untold = (
        [e.data["prompt_sent"] for e in trace.events if e.data.get("agent_id") == speaker and "prompt_sent" in e.data]
        for tell in (True, None)
        for trace in [played(team({"tell_problems": tell}), Stray(speaker))]
    )
    before = "Something of what you answered before had no effect:"
    assert told[1].startswith(f"{before}\n- a message was not sent: the recipient must be an agent from 0 to")
    assert told[2].startswith(f"{before}\n- your answer could not be read: the answer holds no JSON object\n\n")
    assert not any(before in prompt for prompt in untold)
